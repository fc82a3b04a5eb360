"""Real agents of the OpenHands SDK in a local workspace; a scripted model in the model's place."""

import uuid
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

from openhands.sdk import LLM, Agent, Tool
from openhands.sdk.context.condenser import CondenserBase
from openhands.sdk.conversation.impl.local_conversation import LocalConversation
from openhands.tools.terminal import TerminalTool

from context_strategies.testing import ScriptedModel, Step, call, parallel, run

ID = uuid.UUID(int=1)


def steps(count: int = 25, lines: int = 1_500) -> list[Step]:
    """A run of ``count`` steps with big outputs, some of them parallel, that ends by itself."""
    listed = []
    for n in range(count):
        one = run(f"echo step {n}; seq 1 {lines}", f"Step {n}.", reasoning="Let me think." if n % 4 == 0 else "")
        listed.append(parallel(one, run(f"echo beside {n}"), thought=f"Step {n}.") if n % 6 == 5 else one)
    return [*listed, call("finish", message="Done.")]


def model_of(server: ScriptedModel, usage_id: str = "agent", model: str = "openai/scripted") -> LLM:
    return LLM(
        model=model,
        base_url=server.url,
        api_key="none",
        usage_id=usage_id,
        num_retries=0,
        input_cost_per_token=1e-6,
        output_cost_per_token=5e-6,
    )


def begin(conversation: Any) -> None:
    """Give the task."""
    conversation.send_message("TASK-ID: count\nCount for me.")


class Host:
    """Starts conversations in one folder; the same folder again resumes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._open: list[LocalConversation] = []

    def conversation(
        self, llm: LLM, condenser: CondenserBase | None, *, iterations: int = 100, budget: float | None = None
    ) -> LocalConversation:
        (self.folder / "workspace").mkdir(exist_ok=True)
        agent = Agent(
            llm=llm, tools=[Tool(name=TerminalTool.name, params={"terminal_type": "subprocess"})], condenser=condenser
        )
        made = LocalConversation(
            agent=agent,
            workspace=self.folder / "workspace",
            persistence_dir=self.folder / "conversations",
            conversation_id=ID,
            visualizer=None,
            max_iteration_per_run=iterations,
            max_budget_per_run=budget,
        )
        self._open.append(made)
        return made

    def run(self, llm: LLM, condenser: CondenserBase | None, **limits: Any) -> LocalConversation:
        """Run from the task until it ends, in whatever way."""
        made = self.conversation(llm, condenser, **limits)
        begin(made)
        with suppress(Exception):  # its state tells
            cast("Any", made).run()  # the SDK's decorator hides its signature
        return made

    @property
    def persisted(self) -> Path:
        return self.folder / "conversations" / ID.hex

    def close(self) -> None:
        for conversation in self._open:
            conversation.close()


def agent_requests(server: ScriptedModel) -> list[list[dict[str, Any]]]:
    return [record.messages for record in server.log if record.kind == "agent" and record.status == 200]


def pairs(messages: Sequence[dict[str, Any]]) -> tuple[int, int]:
    """Calls and answers in a request."""
    calls = sum(len(message.get("tool_calls") or ()) for message in messages)
    return calls, sum(message["role"] == "tool" for message in messages)


def texts(messages: Sequence[dict[str, Any]], role: str) -> list[str]:
    return ["".join(part["text"] for part in message["content"]) for message in messages if message["role"] == role]


Make = Callable[[ScriptedModel], CondenserBase]
