"""Serve a scripted model from the command line."""

import argparse
import json
import sys
import threading
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from context_strategies.fields import MALFORMED, reason
from context_strategies.testing.script import step_of
from context_strategies.testing.server import DEFAULT, ScriptedModel


def main(arguments: Sequence[str] | None = None) -> None:
    """Serve a script from a file until standard input closes."""
    parser = argparse.ArgumentParser(prog="python -m context_strategies.testing", description=main.__doc__)
    parser.add_argument("script", type=Path, help="JSON: a list of steps, or an object of one list a conversation")
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one (default)")
    parser.add_argument("--seconds", type=float, default=600.0, help="stop after this long at the latest")
    parser.add_argument("--fence", default="bash", help="language of the fenced blocks for clients without tools")
    parser.add_argument("--max-characters", type=int, default=0, help="refuse longer requests")
    parser.add_argument("--log", type=Path, help="write the record of each request here, as JSON lines")
    options = parser.parse_args(arguments)
    try:
        data = json.loads(options.script.read_text(encoding="utf-8"))
        listed = data if isinstance(data, dict) else {DEFAULT: data}
        script = {name: [step_of(step) for step in steps] for name, steps in listed.items()}
    except (OSError, *MALFORMED) as error:
        parser.error(f"{options.script}: {reason(error)}")
    with ScriptedModel(
        script, fence=options.fence, max_characters=options.max_characters, seconds=options.seconds, port=options.port
    ) as model:
        sys.stdout.write(f"{model.url}\n")
        sys.stdout.flush()
        threading.Thread(target=_stop_at_end_of_input, args=(model,), daemon=True).start()
        model.wait()
    if options.log:
        options.log.write_text("".join(json.dumps(asdict(record)) + "\n" for record in model.log), encoding="utf-8")


def _stop_at_end_of_input(model: ScriptedModel) -> None:
    sys.stdin.read()
    model.stop()


if __name__ == "__main__":
    main()
