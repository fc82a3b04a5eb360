"""``python -m openhands_plugin.v1.run CONFIG.yaml``: one agent of the SDK with its usual tools, on one task.

The file names ``model``, ``api_base``, ``strategy`` (null: no condenser), ``task``, ``workspace``, ``conversations``
(the folder to keep the conversation in), ``conversation`` (its id) and ``budget`` (US dollars, 0: no limit). The key is
taken from where litellm looks for the provider's. Exit code 1 where the agent did not finish.
"""

import sys
import uuid
from pathlib import Path
from typing import Any

import yaml
from openhands.sdk import LLM, Agent, Tool
from openhands.sdk.context.condenser import CondenserBase
from openhands.sdk.conversation.impl.local_conversation import LocalConversation
from openhands.tools.file_editor import FileEditorTool
from openhands.tools.task_tracker import TaskTrackerTool
from openhands.tools.terminal import TerminalTool

from openhands_plugin.v1.cli import ContextCondenser

TOOLS = (
    Tool(name=TerminalTool.name, params={"terminal_type": "subprocess"}),  # tmux, its default, may not be there
    Tool(name=FileEditorTool.name),
    Tool(name=TaskTrackerTool.name),
)


def main() -> int:
    """Run the conversation that the file in this process's arguments describes."""
    config: dict[str, Any] = yaml.safe_load(Path(sys.argv[1]).read_text(encoding="utf-8"))
    llm = LLM(model=config["model"], usage_id="agent", **_served(config["api_base"]))
    conversation: Any = LocalConversation(
        agent=Agent(llm=llm, tools=list(TOOLS), condenser=_condenser(config, llm)),
        workspace=config["workspace"],
        persistence_dir=config["conversations"],
        conversation_id=uuid.UUID(config["conversation"]),
        visualizer=None,
        max_budget_per_run=config["budget"] or None,
    )
    conversation.send_message(config["task"])
    conversation.run()
    status = conversation.state.execution_status.value
    cost = conversation.conversation_stats.get_combined_metrics().accumulated_cost
    conversation.close()
    sys.stdout.write(f"{status}, {cost:.4f} $\n")
    return 0 if status == "finished" else 1


def _served(api_base: str) -> dict[str, Any]:
    """Where the model is served: one's own servers know chat completions, and seldom OpenAI's newer interface."""
    chat = {"api_mode": "chat"} if "api_mode" in LLM.model_fields else {}
    return {"base_url": api_base, **chat} if api_base else {}


def _condenser(config: dict[str, Any], llm: LLM) -> CondenserBase | None:
    if config["strategy"] is None:
        return None
    own = llm.model_copy(update={"usage_id": "condenser"})
    own.reset_metrics()
    return ContextCondenser(strategy=config["strategy"], llm=own, events=config["conversations"])


if __name__ == "__main__":
    sys.exit(main())
