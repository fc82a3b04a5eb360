"""What a turn shows by rules alone: files touched, errors, test outcomes. All in time linear in the text."""

import re
from collections.abc import Iterable
from functools import lru_cache

from context_strategies.commands import one_line

SCANNED = 100_000
"""Characters looked at from each end of an output."""

LINE = 200
"""Characters looked at of a line, and the longest that is quoted."""

PATH = re.compile(
    r"""~?[\w@+.-]{0,100}(?:/[\w@+.-]{1,100}){1,30}                          # with a folder
      | [\w@+-]{1,100}(?:\.[\w@+-]{1,100}){0,5}\.[A-Za-z]\w{0,9}            # with a suffix
    """,
    re.VERBOSE,
)
SEGMENT = re.compile(r"&&|\|\||[;|]")
DISCARDED = re.compile(r"\d?>+\s?(?:&\d|/dev/null)")
REDIRECTED = re.compile(r">\s*([^\s>]+)")
EDITS_IN_PLACE = re.compile(r"\s*(?:sed|perl) +-\w*i|\s*(?:tee|mv|rm|touch|patch)\b")
EDITORS = frozenset({"create", "insert", "str_replace", "undo_edit", "edit", "write"})
SCRIPTED = frozenset({"sed", "perl", "awk"})
"""Commands whose first word that is no option is a program, which may look like a path."""

READERS = frozenset({"cat", "head", "tail", "less", "nl", "bat", "view", "open"})

ERROR = re.compile(
    r"""(?:E\s{1,8})?(?:
        [A-Za-z_][\w.]{0,100}(?:Error|Exception|Exit)(?::|$)      # the last line of a traceback
      | (?:FAILED|ERROR)\s\S                                      # pytest's short summary
      | (?:fatal|error|bash|/bin/\w{1,10})(?:\[\w{1,10}\])?:\s    # git, compilers, shells
    )""",
    re.VERBOSE,
)
OUTCOME = re.compile(
    r"""[=\s]{0,100}+(?:[\w\s,]{0,60}\s)?\d{1,7}\s(?:passed|failed|errors?)\b  # pytest
      | Ran\s\d{1,7}\stests?\b | OK$ | OK\s\( | FAILED\s\(             # unittest
      | test\sresult:\s | Tests:\s | (?:ok|FAIL|---\sFAIL:)\s{1,4}\S   # cargo, jest, go
    """,
    re.VERBOSE,
)


def lines_of(text: str) -> list[str]:
    """The lines of an output, cut to ``LINE``; line ends that a scaffold has escaped as JSON count too."""
    if len(text) > 2 * SCANNED:
        text = f"{text[:SCANNED]}\n{text[-SCANNED:]}"
    return [line[:LINE] for line in text.replace("\\n", "\n").splitlines()]


def errors_of(lines: Iterable[str], most: int = 3) -> list[str]:
    """The last ``most`` different error lines among those of an output."""
    found = [one_line(line, LINE) for line in filter(ERROR.match, lines)]
    return list(dict.fromkeys(found))[-most:]


def outcome_of(lines: Iterable[str]) -> str:
    """The last of an output's lines in which a test runner sums up; empty where there is none.

    >>> outcome_of(["== 1 failed, 4 passed in 0.21s =="])
    '1 failed, 4 passed in 0.21s'
    """
    found = [one_line(line.strip("= "), LINE) for line in filter(OUTCOME.match, lines)]
    if len(found) > 1 and found[-2].startswith("Ran "):
        return f"{found[-2]}: {found[-1]}"
    return found[-1] if found else ""


def findings_of(text: str) -> tuple[list[str], str]:
    """An output's error lines, and its test outcome."""
    lines = lines_of(text)
    return errors_of(lines), outcome_of(lines)


@lru_cache(maxsize=1_000)
def files_of(command: str) -> tuple[list[str], list[str]]:
    """The files that a command, in one line, reads and those it changes.

    >>> files_of("cd /repo && sed -i 's/a/b/' src/core.py && cat setup.cfg > /tmp/copy.txt")
    (['setup.cfg'], ['src/core.py', '/tmp/copy.txt'])
    >>> files_of("str_replace_editor view /repo/core.py")
    (['/repo/core.py'], [])
    """
    read: list[str] = []
    changed: list[str] = []
    for segment in SEGMENT.split(DISCARDED.sub("", command)):
        targets = _paths(REDIRECTED.findall(segment))
        words = REDIRECTED.sub("", segment).split()
        paths = _paths(words[1:])
        if EDITORS.intersection(words[:2]):
            targets += paths[:1]
        elif EDITS_IN_PLACE.match(segment):
            targets += paths[-1:] if words[0] in SCRIPTED else paths
        elif words and words[0] in SCRIPTED:
            read += paths[-1:]
        elif READERS.intersection(words[:2]):
            read += paths
        changed += targets
    return read, changed


def _paths(words: list[str]) -> list[str]:
    bare = (word.strip("'\"`,:()") for word in words)
    return [word for word in bare if PATH.fullmatch(word) and not word.startswith("-")]
