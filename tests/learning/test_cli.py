"""The command line of training, where something is missing."""

from __future__ import annotations

import subprocess
import sys

from canasta_agents.learning import cli

WITHOUT_PYTORCH = """
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "torch":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Missing())
from canasta_agents.learning import cli
"""


def without_pytorch(*argv: str) -> subprocess.CompletedProcess[str]:
    """`train.py` with these arguments where PyTorch is not installed."""
    code = WITHOUT_PYTORCH + f"raise SystemExit(cli.main({list(argv)}))"
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


def test_without_pytorch_the_command_says_what_to_install() -> None:
    refused = without_pytorch()
    assert refused.returncode == cli.REFUSED
    assert "canasta-env[train]" in refused.stderr
    assert "Traceback" not in refused.stderr


def test_help_needs_no_pytorch() -> None:
    helped = without_pytorch("--help")
    assert helped.returncode == 0, helped.stderr
    assert "--ppo.learning-rate" in helped.stdout
