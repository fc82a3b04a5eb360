"""Small valid recordings of every format, as folders: file name to content."""

import json
from pathlib import Path
from typing import Any

from context_strategies.trajectories import Trajectory, read
from context_strategies.trajectories.atif_export import document

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "recordings"
FEW, SHORT = 9, 200
"""How many messages or events of an example, and characters of each text: small inputs are many inputs."""

Folder = dict[str, bytes]


def seeds() -> list[Folder]:
    """One folder, or several, for each format that is read."""
    return [*_mini(), *_openhands_v1(), *_sweagent(), *_openhands_v0(), _completions(), *_atif()]


def _line(*values: Any) -> bytes:
    return b"\n".join(json.dumps(value).encode() for value in values)


def _short(value: Any) -> Any:
    if isinstance(value, str):
        return value[:SHORT] if value[:1] not in "{[" else value  # arguments are JSON in a text
    if isinstance(value, list):
        return [_short(one) for one in value[:FEW]]
    return {name: _short(one) for name, one in value.items()} if isinstance(value, dict) else value


def _parsed(path: Path) -> Any:
    return _short(json.loads(path.read_bytes()))


def _mini() -> list[Folder]:
    return [{path.name: _line(_parsed(path))} for path in sorted(EXAMPLES.glob("*.json"))]


def _openhands_v1() -> list[Folder]:
    folder = EXAMPLES / "openhands-parallel"
    state = _parsed(folder / "base_state.json")
    events = [_parsed(path) for path in sorted((folder / "events").iterdir())[:FEW]]
    files = {f"events/event-{number}.json": _line(event) for number, event in enumerate(events)}
    return [
        {"base_state.json": _line(state)} | files,
        {"output.jsonl": _line({"instance_id": "a-1", "history": events, "metrics": {"accumulated_cost": 0.5}})},
    ]


def _chat_call(call_id: str, command: str) -> dict[str, Any]:
    function = {"name": "bash", "arguments": json.dumps({"command": command})}
    return {"id": call_id, "type": "function", "function": function}


CHAT: list[dict[str, Any]] = [
    {"role": "system", "content": [{"type": "text", "text": "You fix bugs."}]},
    {"role": "user", "content": "Fix a.py."},
    {"role": "assistant", "content": "Look.", "tool_calls": [_chat_call("c1", "ls"), _chat_call("c2", "cat a.py")]},
    {"role": "tool", "tool_call_id": "c1", "content": "a.py"},
    {"role": "tool", "tool_call_id": "c2", "content": [{"type": "image_url", "image_url": {"url": "data:"}}]},
    {"role": "assistant", "content": "Done.\n```bash\nls\n```", "thinking_blocks": [{"thinking": "Hm."}]},
]


def _sweagent() -> list[Folder]:
    history = [
        message
        | {"agent": "main", "action": "ls" if message["role"] == "assistant" else None, "tags": ["keep"]}
        | ({"tool_call_ids": [message["tool_call_id"]]} if "tool_call_id" in message else {})
        for message in CHAT
    ]
    demo = {"role": "user", "content": "Once upon a time", "is_demo": True, "agent": "main"}
    config = {
        "agent": {"model": {"name": "m"}, "history_processors": [{"type": "cache_control"}]},
        "problem_statement": {"id": "a-1"},
    }
    value = {
        "trajectory": [{"action": "ls", "observation": "a.py", "query": CHAT[:2]}],
        "history": [*history[:2], demo, *history[2:]],
        "info": {"exit_status": "submitted", "model_stats": {"instance_cost": 0.5, "api_calls": 3}},
        "replay_config": json.dumps(config),
        "attempts": [{}, {}],
    }
    return [{"a.traj": _line(value)}]


def _openhands_v0() -> list[Folder]:
    usage = {"prompt_tokens": 90, "completion_tokens": 9, "prompt_tokens_details": {"cached_tokens": 50}}
    response = {"id": "r1", "model": "m", "choices": [{"message": CHAT[2]}], "usage": usage}
    listed = [usage | {"response_id": "r1"}]
    totals = {"accumulated_cost": 0.5, "accumulated_token_usage": usage, "token_usages": listed}
    made = {"function_name": "execute_bash", "tool_call_id": "c1", "model_response": response}
    events: list[dict[str, Any]] = [
        {"id": 0, "source": "agent", "action": "system", "args": {"content": "You fix bugs.", "tools": [{}]}},
        {"id": 1, "source": "user", "action": "message", "args": {"content": "Fix a.py.", "image_urls": []}},
        {"id": 2, "source": "agent", "action": "run", "args": {"command": "ls"}, "tool_call_metadata": made}
        | {"llm_metrics": totals},
        {"id": 3, "source": "agent", "observation": "run", "content": "a.py", "tool_call_metadata": made, "cause": 2}
        | {"extras": {"command": "ls", "metadata": {"exit_code": 0, "prefix": "", "suffix": "[done]"}}},
        {"id": 4, "source": "agent", "action": "delegate", "args": {"agent": "x", "inputs": {"task": "t"}}},
        {"id": 5, "source": "agent", "action": "condensation", "args": {"forgotten_event_ids": [3], "summary": "s"}},
        {"id": 6, "source": "agent", "action": "finish", "args": {"final_thought": "Done."}},
        {"id": 7, "source": "environment", "observation": "agent_state_changed", "extras": {"agent_state": "finished"}},
    ]
    metadata = {"llm_config": {"model": "m", "max_message_chars": 30}, "condenser_config": {"type": "recent"}}
    line = {"instance_id": "a-1", "history": events, "metadata": metadata, "error": None}
    metrics = {"accumulated_cost": 0.5, "costs": [{"cost": 0.5}], "token_usages": listed}
    return [
        {"exported.json": _line(events)},
        {f"{event['id']}.json": _line(event) for event in events},
        {"output.jsonl": _line(line | {"metrics": metrics}, line)},
    ]


def _completions() -> Folder:
    usage = {"prompt_tokens": 90, "completion_tokens": 9, "cache_read_input_tokens": 50}
    return {
        f"{number}.json": _line(
            {
                "messages": CHAT[:upto],
                "response": {"id": f"r{number}", "model": "m", "choices": [{"message": CHAT[upto]}], "usage": usage},
                "cost": 0.25,
                "timestamp": number,
            }
        )
        for number, upto in enumerate((2, 5))
    }


def _atif() -> list[Folder]:
    runs = [run for run in read([EXAMPLES / "mini-tools.traj.json"]) if isinstance(run, Trajectory)]
    ours = document(runs[0])
    ours["steps"] = ours["steps"][:FEW]
    ours["extra"]["context_strategies"]["side_calls"] = [{"upto": 3, "metrics": {"prompt_tokens": 9}}]
    result = {"content": [{"type": "text", "text": "a.py"}], "subagent_trajectory_ref": [{"trajectory_id": "t"}]}
    call = {"tool_call_id": "c1", "function_name": "bash", "arguments": {"command": "ls"}}
    metrics = {"prompt_tokens": 90, "cached_tokens": 50, "completion_tokens": 9, "cost_usd": 0.1, "extra": {}}
    management = {"context_management": {"type": "compaction", "boundary": "replace"}}
    steps: list[dict[str, Any]] = [
        {"source": "user", "message": "Fix a.py."},
        {"source": "agent", "message": "Look.", "reasoning_content": "Hm.", "tool_calls": [call], "metrics": metrics}
        | {"observation": {"results": [result]}, "llm_call_count": 1, "model_name": "m"},
        {"source": "system", "message": "", "extra": management},
        {"source": "user", "message": "So far: nothing."},
        {"source": "agent", "message": "Done.", "is_copied_context": False},
    ]
    steps = [{"step_id": number} | step for number, step in enumerate(steps, 1)]
    head = {"schema_version": "ATIF-v1.7", "trajectory_id": "t", "agent": {"name": "a", "version": "1"}}
    foreign = head | {"steps": steps, "final_metrics": {"total_cost_usd": 0.5}}
    return [
        {"trajectory.json": _line(foreign | {"subagent_trajectories": [foreign]})},
        {"run.atif.json": _line(ours)},
        {"run.jsonl": _line(head, *steps)},
    ]
