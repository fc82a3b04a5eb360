"""What the demo's scripted model does, in shell commands that every scaffold can run, and how each scaffold ends."""

from collections.abc import Iterator

from context_strategies.experiment.demo.repository import TOPICS
from context_strategies.testing import Step, call, run

DONE = "total_taxes rounds half up now, as all other modules do; all tests pass."

ENDS: dict[str, Step] = {
    "mini": run("echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT && git diff", DONE),
    "openhands_v1": call("finish", DONE, message=DONE),
    "sweagent": run("submit", DONE),
}
"""By scaffold: how an agent says there that it is done."""

TESTS = "python3 -m unittest"
MEND = """sed -i 's/("0.01"), ROUND_DOWN/("0.01"), ROUND_HALF_UP/' shop/taxes.py"""


def steps(scaffold: str) -> list[Step]:
    """The whole script for one scaffold."""
    return [*(run(command, thought) for thought, command in _moves()), ENDS[scaffold]]


def _moves() -> Iterator[tuple[str, str]]:
    yield "First I look at what there is, and how large it is.", "find . -name '*.py' | sort | xargs wc -l"
    yield "The README should say what the modules are for.", "cat README.md"
    yield "Which tests fail now? I expect one of the taxes.", f"{TESTS} 2>&1 | grep -v '^Ran'"
    for topic in TOPICS:
        yield f"I read the module of the {topic}, to see how it rounds its total.", f"cat shop/{topic}.py"
        yield f"What do the tests expect of the {topic}?", f"cat tests/test_{topic}.py"
        yield f"Who uses the {topic}, and is the rounding the same there?", f"grep -rn '{topic}' --include='*.py' ."
        if topic in {"invoices", "shipping", "taxes"}:
            yield f"Do the tests of the {topic} pass?", f"{TESTS} -v tests.test_{topic} 2>&1 | grep -v '^Ran'"
    yield "total_taxes has ROUND_DOWN. Does any other module?", "grep -rn 'ROUND_' shop | grep quantize"
    yield "Only the taxes. I change that one line.", f"{MEND} && tail -n 5 shop/taxes.py"
    yield "The tests of the taxes should pass now.", f"{TESTS} -v tests.test_taxes 2>&1 | grep -v '^Ran'"
    yield "And all others, as before?", f"{TESTS} 2>&1 | grep -v '^Ran'"
    yield "The import of ROUND_DOWN stands in every module and is unused.", "grep -rn 'import ROUND_DOWN' shop | wc -l"
    for topic in TOPICS[:10]:
        yield f"A last look at the end of the {topic}.", f"tail -n 25 shop/{topic}.py"
    yield "What have I changed in all?", "git diff"
    yield "Nothing but that one line. The tests once more, in full.", f"{TESTS} -v 2>&1 | grep -v '^Ran'"
    yield "No file is left over.", "git status --short"
