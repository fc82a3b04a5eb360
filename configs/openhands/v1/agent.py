"""An agent of the OpenHands SDK that hides old outputs when that pays, in the folder it is started in.

LLM_MODEL=anthropic/claude-sonnet-4-5 LLM_API_KEY=... python agent.py "Fix the failing test."
"""

# ruff: noqa: INP001 - a script

import os
import sys
from pathlib import Path

from openhands.sdk import LLM, Agent, Conversation, Tool
from openhands.tools.file_editor import FileEditorTool
from openhands.tools.terminal import TerminalTool

from openhands_plugin.v1 import MaskingCondenser


def main(task: str) -> None:
    """Run the agent on ``task``."""
    llm = LLM(
        model=os.environ["LLM_MODEL"],
        api_key=os.environ.get("LLM_API_KEY"),
        base_url=os.environ.get("LLM_BASE_URL"),
        usage_id="agent",
    )
    agent = Agent(
        llm=llm,
        tools=[Tool(name=TerminalTool.name), Tool(name=FileEditorTool.name)],
        condenser=MaskingCondenser(window=10, events=".conversations"),
    )
    conversation = Conversation(agent=agent, workspace=Path.cwd(), persistence_dir=".conversations")
    conversation.send_message(task)
    conversation.run()
    sys.stdout.write(f"{conversation.conversation_stats.get_combined_metrics().accumulated_cost:.4f} $\n")


if __name__ == "__main__":
    main(sys.argv[1])
