"""The field report's research run: who still knows the user id of step 4 in step 12, and what arithmetic allows."""

import pytest

from benchmarks.report import (
    BUFFER,
    CALL,
    INPUT,
    MASKING,
    NEEDED,
    OVERHEAD,
    PRESERVE,
    RAMP,
    SAVED,
    SEEN,
    SHAPES,
    STEPS,
    UNIFORM,
    Run,
    Shape,
    drive,
    main,
    steps_to_save,
)
from context_strategies.prices import relative

shapes = pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.name)

STRAIGHT = tuple(range(1, STEPS + 1))
AGAIN = (*STRAIGHT[: NEEDED - 1], SEEN, *STRAIGHT[NEEDED - 1 :])


def saved(shape: Shape, run: Run) -> int:
    return shape.raw() - run.input - run.overhead


@shapes
def test_the_whole_run_is_the_reports_84_000_tokens(shape: Shape) -> None:
    run = drive(shape, "raw")
    assert run.taken == STRAIGHT
    assert run.input == shape.raw() == INPUT
    assert [request.after for request in run.requests] == [
        shape.base + sum(shape.sizes()[:before]) for before in range(STEPS)
    ]


@shapes
def test_truncation_loses_the_id_and_the_agent_asks_again(shape: Shape) -> None:
    run = drive(shape, "truncation")
    assert run.taken == AGAIN
    assert max(request.after for request in run.requests) <= shape.base + 3_000


@shapes
def test_rolling_summary_keeps_a_preserved_id_and_one_the_agent_tags(shape: Shape) -> None:
    preserved, tagged = drive(shape, PRESERVE), drive(shape, "rolling_summary", tags=True)
    assert preserved.taken == tagged.taken == STRAIGHT
    assert [made.last_turn for made in preserved.summaries] == [2, 6, 10]
    assert saved(shape, preserved) > 0


@shapes
def test_a_digest_without_a_model_keeps_the_id_among_what_outputs_mention(shape: Shape) -> None:
    assert drive(shape, "rolling_summary").taken == STRAIGHT


@shapes
def test_masking_keeps_the_id_with_facts_and_loses_it_without(shape: Shape) -> None:
    assert drive(shape, MASKING).taken == AGAIN
    kept = drive(shape, f"{MASKING},keep_facts=20")
    assert kept.taken == STRAIGHT
    assert kept.input < shape.raw()


@shapes
def test_a_second_lookup_is_paid_like_any_other_step(shape: Shape) -> None:
    lost = drive(shape, MASKING)
    again, next_try = lost.requests[NEEDED - 1 : NEEDED + 1]
    assert len(lost.requests) == STEPS + 1
    assert next_try.turn == again.turn + 1
    assert lost.cost(relative()) == pytest.approx(
        sum(relative().price(relative().usage(r.after, r.shared, CALL)) for r in lost.requests)
    )


@shapes
def test_no_rolling_summary_saves_what_the_report_says(shape: Shape) -> None:
    run, best = drive(shape, PRESERVE), shape.raw() - shape.least()
    assert best < SAVED
    assert saved(shape, run) < best
    assert run.overhead >= shape.read_once() > OVERHEAD
    assert all(shape.raw(n) - shape.rolling(n) <= SAVED for n in range(1, steps_to_save(shape)))


def test_closed_forms_give_the_known_figures() -> None:
    assert (UNIFORM.raw() - UNIFORM.least(), RAMP.raw() - RAMP.least()) == (56_100, 35_200)
    assert (UNIFORM.read_once(), RAMP.read_once()) == (8_500, 6_500)
    assert (UNIFORM.raw() - UNIFORM.rolling(), RAMP.raw() - RAMP.rolling()) == (30_750, 14_350)
    assert (steps_to_save(UNIFORM), steps_to_save(RAMP)) == (19, 21)
    n, base, size = STEPS, UNIFORM.base, UNIFORM.first
    assert UNIFORM.raw() == n * base + size * n * (n - 1) // 2
    assert UNIFORM.least() == n * base + size * (BUFFER * n - BUFFER * (BUFFER + 1) // 2)


def test_the_benchmark_prints_every_strategy_beside_the_report(capsys: pytest.CaptureFixture[str]) -> None:
    main()
    lines = capsys.readouterr().out.splitlines()
    assert sum("| asked again |" in line for line in lines) == 4
    assert sum("| known |" in line for line in lines) == 12
    assert sum(line.startswith("| the report | | 14 | 84,000 | 9,200 | 4,500 | > 70,000 |") for line in lines) == 2
    assert [line.split("|")[3].split(";")[0].strip() for line in lines if line.startswith("| > 70,000")] == ["no", "no"]
