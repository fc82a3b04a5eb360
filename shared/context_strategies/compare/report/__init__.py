"""One self-contained HTML page: the tables, the figures, and what the model was shown at every call."""
