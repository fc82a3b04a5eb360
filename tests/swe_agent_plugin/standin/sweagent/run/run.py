"""The command line: prints the processor types it knows and the arguments it got."""

import sys


def main(args: list[str]) -> int | None:
    """Exit with 3 for the argument ``fail``."""
    from sweagent.run.run_single import RunSingleConfig

    tags = RunSingleConfig.model_json_schema()["$defs"]["DefaultAgentConfig"]["properties"]["history_processors"]
    sys.stdout.write(f"{' '.join(args)} | {' '.join(sorted(tags['items']['discriminator']['mapping']))}\n")
    return 3 if "fail" in args else None
