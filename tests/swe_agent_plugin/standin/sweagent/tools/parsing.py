"""Stand-in."""


class ActionParser:
    """Makes no demand on an answer."""
