import pytest

from context_strategies.commands import COMMAND_LENGTH, command_of, fenced_command, one_line


@pytest.mark.parametrize(
    ("tool", "arguments", "command"),
    [
        ("bash", '{"command": "ls -la"}', "ls -la"),
        ("bash", {"cmd": "ls", "timeout": 5}, "ls"),
        ("execute_bash", '{"command": "cd /repo &&\\n  make", "security_risk": "LOW"}', "cd /repo && make"),
        (
            "str_replace_editor",
            {"command": "view", "path": "/a.py", "view_range": [1, 9]},
            "str_replace_editor view /a.py",
        ),
        ("finish", "{}", "finish"),
        ("bash", "not json", "bash not json"),
        ("bash", "[1, 2]", "bash [1, 2]"),
        ("bash", "", "bash"),
        ("bash", '{"command": ["ls"]}', "bash"),
        ("bash", "[" * 100_000, "bash " + "[" * (COMMAND_LENGTH - 6) + "…"),
    ],
)
def test_a_call_is_one_short_line(tool: str, arguments: str, command: str) -> None:
    assert command_of(tool, arguments) == command


def test_a_line_is_folded_and_cut() -> None:
    assert one_line("  a \n\t b\u2028c ") == "a b c"
    assert one_line("x" * 81) == "x" * 79 + "…"
    assert one_line("x" * 80) == "x" * 80


def test_the_last_fenced_block_is_the_command() -> None:
    assert fenced_command("First\n```bash\nls\n```\nthen\n```\ncat a\n```\n") == "cat a"
    assert fenced_command("no block, ```unclosed\n") == ""


def test_many_fences_take_no_more_than_linear_time() -> None:
    assert fenced_command("```\n" * 100_001) == ""
    assert fenced_command("`" * 400_000) == ""
