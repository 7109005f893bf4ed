"""Commands: `python -m agents export RUN FILE.onnx`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m agents", description="Work on trained players.")
    commands = parser.add_subparsers(dest="command", required=True)
    export = commands.add_parser("export", help="write a trained policy as an ONNX file")
    export.add_argument(
        "run", help='a run (its best policy), a checkpoint in it, or a policy of the package ("classic_4")'
    )
    export.add_argument("file", type=Path, help="the file to write")
    options = parser.parse_args(arguments)
    try:
        _export(Path(options.run.removeprefix("neural:")), options.file)
    except (ValueError, ImportError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def _export(run: Path, file: Path) -> None:
    try:
        from .onnx_export import export
    except ImportError as error:
        raise ImportError(
            f"exporting needs PyTorch: pip install 'canasta-env[train,onnx]' ({error})"
        ) from error

    metadata = export(run, file)
    print(
        f"{file}: {metadata['game']}, {metadata['players']} players, observations of "
        f"{metadata['observation_size']} entries; it plays as onnx:{file}"
    )


if __name__ == "__main__":
    raise SystemExit(main())
