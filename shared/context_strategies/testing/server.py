"""An OpenAI-compatible chat server on this machine that answers from a script and records what it is sent.

    with ScriptedModel([run("ls"), call("finish", message="Done.")]) as model:
        ...  # an agent with api_base=model.url and any key
    assert model.log[1].prefix_messages == 2

``python -m context_strategies.testing SCRIPT.json`` serves a script from a file.
"""

import re
import threading
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Self

from context_strategies.summarizers.prompt import OPENING
from context_strategies.testing import wire
from context_strategies.testing.endpoint import Endpoint
from context_strategies.testing.script import Step, context_exceeded, fail, message_of, say

CONVERSATION = re.compile(r"TASK-ID:\s{0,4}([\w.-]{1,100})")
DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class Record:
    """One request, the ``n``-th of its conversation, and what it was answered.

    ``kind`` is ``agent`` or ``summary``; ``step`` counts the answers of that kind before it in its conversation.
    ``prefix_messages`` and ``prefix_characters`` are what it shares with an earlier request of the conversation;
    ``marks`` the positions of its messages with a cache mark. ``response`` is empty where none was given.
    """

    n: int
    conversation: str
    kind: str
    step: int
    body: Mapping[str, Any]
    characters: int
    prefix_messages: int
    prefix_characters: int
    marks: tuple[int, ...]
    status: int
    response: Mapping[str, Any]

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The messages it was sent."""
        return list(self.body["messages"])


class ScriptedModel:
    """Serves while its ``with`` block runs, and for ``seconds`` at most.

    ``script`` is a list of steps for every conversation, or one list a conversation by the name that follows
    ``TASK-ID:`` in its messages (``default`` for the others). The last step repeats. Requests whose text
    ``summary_pattern`` finds are answered from ``summaries`` instead. ``strict`` refuses calls and answers without each
    other, as OpenAI does; requests of more than ``max_characters`` (0: any) are refused as too long for the model.
    ``fence`` is the language of the blocks that commands come in where a client offers no tools. ``log`` holds a record
    of each request.
    """

    def __init__(  # noqa: PLR0913 - one server's settings, each by its name
        self,
        script: Sequence[Step] | Mapping[str, Sequence[Step]],
        *,
        summaries: Sequence[Step] = (say("A canned summary."),),
        summary_pattern: str = re.escape(OPENING),
        fence: str = "bash",
        strict: bool = True,
        max_characters: int = 0,
        seconds: float = 600.0,
        port: int = 0,
    ) -> None:
        self.log: list[Record] = []
        self._scripts = dict(script) if isinstance(script, Mapping) else {DEFAULT: script}
        self._summaries = summaries
        self._summary = re.compile(summary_pattern)
        self._fence = fence
        self._strict = strict
        self._max_characters = max_characters
        self._taken: defaultdict[tuple[str, str], int] = defaultdict(int)
        self._asked: defaultdict[str, int] = defaultdict(int)
        self._seen: defaultdict[str, set[bytes]] = defaultdict(set)
        self._lock = threading.Lock()
        self._endpoint = Endpoint(port, self._answer)
        self._timer = threading.Timer(seconds, self.stop)
        self._timer.daemon = True

    @property
    def url(self) -> str:
        """The address to give as ``api_base``."""
        return f"http://127.0.0.1:{self._endpoint.server_port}/v1"

    def __enter__(self) -> Self:
        threading.Thread(target=self._endpoint.serve_forever, args=(0.05,), daemon=True).start()
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        self._endpoint.server_close()

    def stop(self) -> None:
        """Stop serving and let go of the clients that wait."""
        self._timer.cancel()
        self._endpoint.shutdown()
        self._endpoint.stopped.set()

    def wait(self) -> None:
        """Wait until it is stopped."""
        self._endpoint.stopped.wait()

    def _answer(self, body: Mapping[str, Any]) -> tuple[int, Mapping[str, Any]]:
        messages = body["messages"]
        texts = [wire.text_of(message) for message in messages]
        whole = "\n".join(texts)
        found = CONVERSATION.search(whole)
        conversation = found[1] if found else DEFAULT
        kind = "summary" if self._summary.search(whole) else "agent"
        chain = wire.chain_of(body)
        characters = sum(map(len, texts))
        with self._lock:
            n = self._asked[conversation] = self._asked[conversation] + 1  # whatever else runs, it reads the same
            seen = self._seen[conversation]
            prefix = next((length for length in range(len(chain), 0, -1) if chain[length - 1] in seen), 0)
            cached = sum(map(len, texts[:prefix]))
            position = self._taken[conversation, kind]
            step = self._refusal(messages, characters) or self._next(conversation, kind)
            status, response = self._respond(n, step, body, characters, cached)
            if status == HTTPStatus.OK:
                seen.update(chain)
            marks = wire.marks_of(messages)
            self.log.append(
                Record(n, conversation, kind, position, body, characters, prefix, cached, marks, status, response)
            )
        return status, response

    def _refusal(self, messages: Sequence[Mapping[str, Any]], characters: int) -> Step | None:
        """The error that a provider would give for such a request, whatever the script says."""
        if self._max_characters and characters > self._max_characters:
            return context_exceeded()
        error = wire.pairing_error(messages) if self._strict else ""
        return fail(HTTPStatus.BAD_REQUEST, error) if error else None

    def _next(self, conversation: str, kind: str) -> Step:
        script = self._summaries if kind == "summary" else self._scripts.get(conversation, self._scripts.get(DEFAULT))
        if not script:
            return fail(HTTPStatus.NOT_FOUND, f"no script for {kind} requests of conversation {conversation!r}")
        position = self._taken[conversation, kind]
        self._taken[conversation, kind] += 1
        return script[min(position, len(script) - 1)]

    def _respond(
        self, n: int, step: Step, body: Mapping[str, Any], characters: int, cached: int
    ) -> tuple[int, Mapping[str, Any]]:
        if step.hangs:
            return 0, {}
        if step.status != HTTPStatus.OK:
            return step.status, wire.error(step.status, step.text, step.code)
        message, finish = message_of(step, body.get("tools") or (), self._fence, f"call_{n}")
        choice = {"message": message, "finish_reason": finish}
        return step.status, {
            "id": f"chatcmpl-{n}",
            "object": "chat.completion",
            "created": int(time.time()),
            "model": str(body.get("model", "scripted")),
            "choices": [{"index": index, **choice} for index in range(int(body.get("n") or 1))],
            "usage": wire.usage(characters, cached, len(wire.text_of(message)) + len(step.reasoning)),
        }
