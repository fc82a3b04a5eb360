"""Experiments: scaffolds x strategies x models x instances, each cell by the scaffold's own command."""
