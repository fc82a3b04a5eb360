"""What can be wrong with a file."""


class LedgerError(Exception):
    """A file cannot be used; ``code`` is listed in the README."""

    def __init__(self, code: str, message: str, row: int | None = None) -> None:
        self.code = code
        self.row = row
        place = "" if row is None else f" (row {row})"
        super().__init__(f"{code}: {message}{place}")
