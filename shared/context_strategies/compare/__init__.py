"""Many runs, many strategies: evaluation, tables, and what to choose."""
