"""OpenHands V0: what the model was shown of an event, as text."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from context_strategies.fields import section, text
from context_strategies.trajectories.openhands import shell_output

Event = Mapping[str, Any]

ENDS = frozenset({"finish", "reject"})
TAGS = {"run": ("execute_bash", "command"), "run_ipython": ("execute_ipython", "code")}
"""How agents without tool calls write an action: the tag, and the argument that it encloses."""
CUT = "\n[... Observation truncated due to length ...]\n"
DATA_IMAGE = "![image](data:image/png;base64,"


def shown_text(kind: str, content: str, extras: Event, limit: int) -> tuple[str, bool]:
    """An observation as the model is shown it, and whether it is cut to ``limit`` characters."""
    if kind == "run":
        content = shell_output(content, section(extras, "metadata"), extras.get("exit_code", -1))
    elif kind == "run_ipython" and DATA_IMAGE in content:
        told = f"{DATA_IMAGE} ...) already displayed to user"
        content = "\n".join(told if DATA_IMAGE in line else line for line in content.split("\n"))
    elif kind == "delegate":
        content = text(section(extras, "outputs").get("content")) or content
    cut = len(content) > limit and kind != "read"
    if cut:
        content = content[: limit // 2] + CUT + content[-(limit // 2) :]
    if kind == "error":
        content += "\n[Error occurred in processing last action]"
    elif kind == "user_rejected":
        content = f"OBSERVATION:\n{content}\n[Last action has been rejected by the user]"
    return content, cut


def spoken(action: str, args: Event, made: Event) -> Event:
    """The reply behind an action whose model response is not recorded."""
    said = text(args.get("content")) if action == "message" else text(args.get("thought"))
    plain = {name: value for name, value in args.items() if isinstance(value, str | int)}
    arguments = {name: value for name, value in plain.items() if name not in {"action", "thought"}}
    call_id = text(made.get("tool_call_id"))
    if call_id:
        function = {"name": text(made.get("function_name")), "arguments": json.dumps(arguments)}
        return {"content": said, "tool_calls": [{"id": call_id, "function": function}]}
    if action in TAGS:
        tag, argument = TAGS[action]
        return {"content": f"{said}\n<{tag}>\n{text(args.get(argument))}\n</{tag}>".strip()}
    if action == "message" or action in ENDS:
        return {"content": said or text(args.get("final_thought"))}
    return {"content": f"{said}\n{action}({json.dumps(arguments)})".strip()}


def recalled(extras: Event, told: set[str]) -> Iterator[str]:
    """What the scaffold adds to a user's message: the workspace, and knowledge by keyword (each piece once)."""
    if extras.get("repo_name"):
        branch = f' The branch is "{extras["repo_branch"]}".' if extras.get("repo_branch") else ""
        place = extras.get("repo_directory")
        yield f"<REPOSITORY_INFO>\nRepository {extras['repo_name']} is cloned to {place}.{branch}\n</REPOSITORY_INFO>"
    if text(extras.get("repo_instructions")).strip():
        yield f"<REPOSITORY_INSTRUCTIONS>\n{extras['repo_instructions']}\n</REPOSITORY_INSTRUCTIONS>"
    runtime = [f"* {host} (port {port})" for host, port in section(extras, "runtime_hosts").items()]
    runtime += [f"* ${name}: {told_of}" for name, told_of in section(extras, "custom_secrets_descriptions").items()]
    runtime += [text(extras.get(name)) for name in ("working_dir", "additional_agent_instructions", "date")]
    runtime = [line for line in runtime if line]
    if runtime:
        yield "<RUNTIME_INFORMATION>\n" + "\n".join(runtime) + "\n</RUNTIME_INFORMATION>"
    if extras.get("conversation_instructions"):
        yield f"<CONVERSATION_INSTRUCTIONS>\n{extras['conversation_instructions']}\n</CONVERSATION_INSTRUCTIONS>"
    for piece in extras.get("microagent_knowledge") or ():
        name, content = text(section(piece).get("name")), text(section(piece).get("content"))
        if content and name not in told:
            told.add(name)
            yield f"<EXTRA_INFO>\n{content}\n</EXTRA_INFO>"
