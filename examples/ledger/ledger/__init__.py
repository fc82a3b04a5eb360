"""Expenses from a CSV file, added up."""
