from typing import Any

import pytest

from context_strategies.prices import Usage
from context_strategies.usage import usage_of


@pytest.mark.parametrize(
    ("recorded", "usage"),
    [
        ({"prompt_tokens": 100, "completion_tokens": 7}, Usage(100, output=7)),
        ({"prompt_tokens": 100, "prompt_tokens_details": {"cached_tokens": 64}}, Usage(100, 64)),
        ({"prompt_tokens": 100, "prompt_tokens_details": None, "prompt_cache_hit_tokens": 64}, Usage(100, 64)),
        (
            {"input_tokens": 100, "input_tokens_details": {"cached_tokens": 64}, "output_tokens": 7},
            Usage(100, 64, 0, 7),
        ),
        (
            {"prompt_tokens": 100, "cache_read_input_tokens": 60, "cache_creation_input_tokens": 30},
            Usage(100, 60, 30),
        ),
        ({"prompt_tokens": 10, "cache_read_input_tokens": 60, "cache_creation_input_tokens": 30}, Usage(100, 60, 30)),
        ({"input_tokens": 10, "cache_read_input_tokens": 60, "cache_creation_input_tokens": 30}, Usage(100, 60, 30)),
        ({"input_tokens": 200, "cache_read_input_tokens": 60, "output_tokens": 7}, Usage(260, 60, 0, 7)),
        ({}, None),
        (None, None),
        ({"prompt_tokens": 0, "completion_tokens": 0}, None),
        ({"prompt_tokens": "100"}, None),
        ({"prompt_tokens": float("nan")}, None),
        ({"prompt_tokens": 10**400}, None),
        ({"prompt_tokens": True}, None),
        ({"prompt_tokens": 100, "prompt_tokens_details": [1], "completion_tokens": -3}, Usage(100)),
    ],
)
def test_every_spelling_gives_the_same_usage(recorded: Any, usage: Usage | None) -> None:
    assert usage_of(recorded) == usage


def test_written_tokens_that_do_not_fit_into_the_prompt_come_on_top() -> None:
    recorded = {"prompt_tokens": 100, "cache_read_input_tokens": 90, "cache_creation_input_tokens": 30}
    assert usage_of(recorded) == Usage(130, 90, 30)
