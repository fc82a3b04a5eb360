"""What goes wrong around a run, in every scaffold: the faults, the runs they are tried on, and what must hold then."""
