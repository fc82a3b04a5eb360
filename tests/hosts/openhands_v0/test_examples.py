"""The ready configs load, and mean what they say."""

from pathlib import Path

import pytest

from openhands_v0_runs import OpenHands

CONFIGS = Path(__file__).resolve().parents[3] / "configs" / "openhands" / "v0"


@pytest.mark.parametrize("path", sorted(CONFIGS.glob("*.toml")), ids=lambda path: path.stem)
def test_a_ready_config_loads(openhands: OpenHands, path: Path, caplog: pytest.LogCaptureFixture) -> None:
    from openhands.core.config.utils import load_openhands_config

    openhands.load('[condenser]\ntype = "raw"')
    config = load_openhands_config(config_file=str(path))
    condenser = config.get_agent_config("CodeActAgent").condenser
    assert condenser.type == {"pipeline": "pipeline", "llm_summary_paper": "llm_summary"}.get(
        path.stem, "hybrid" if path.stem in {"recommended_long", "hybrid_paper"} else "masking"
    )
    assert not [record for record in caplog.records if "Invalid" in record.getMessage()]
