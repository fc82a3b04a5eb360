"""Cache marks in the requests that leave, for a model that caches up to marks."""

from openhands_v0_runs import BIG, FINISH, OpenHands, shown

CLAUDE = "openrouter/claude-sonnet-4-20250514"
"""A provider whose requests have OpenAI's shape and keep their marks."""

MASKING = '[condenser]\ntype = "masking"\nwindow = 3\nrefresh = 4'


def test_a_mark_stays_at_the_settled_end(openhands: OpenHands) -> None:
    ours = openhands.run(MASKING, [*BIG[:14], FINISH], model=CLAUDE)
    assert ours.end == "finished"
    for record in ours.requests[4:]:
        assert len(record.marks) <= 4
        roles = [role for role, _ in shown(record)]
        assert record.marks[0] == 0
        assert record.marks[-1] == max(i for i, role in enumerate(roles) if role in {"tool", "user"})
        hidden = [i for i, (_, text) in enumerate(shown(record)) if "hidden" in text]
        settled = hidden[-1] if hidden else 2
        assert settled in record.marks
        assert not [i for i in record.marks[1:-1] if i > settled]


def test_no_marks_where_openhands_sets_none(openhands: OpenHands) -> None:
    ours = openhands.run(MASKING, [*BIG[:6], FINISH], model=CLAUDE, llm="caching_prompt = false")
    assert not any(record.marks for record in ours.requests)
