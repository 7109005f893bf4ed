"""Put a trained run into the package as a frozen partner for cross-play.

    python -m benchmarks.freeze_partner runs/NAME classic_4_a

Afterwards it is `neural:partners/classic_4_a`. Results depend on partners, so none is ever
written over: another one takes another name. tests/agents/test_partners.py pins what their folders hold.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from pathlib import Path
from typing import Any

from canasta_agents.files import write_file
from canasta_agents.learning.config import Run
from canasta_agents.learning.metrics import read_metrics
from canasta_agents.neural.policy_file import find_policy
from canasta_agents.policies import FOLDER, PARTNERS, POLICY_FILES

NOTE = "Frozen: do not modify. Results of cross-play and of the benchmark depend on this partner."


def freeze_partner(run: Path, name: str, folder: Path = FOLDER / PARTNERS) -> Path:
    """Copy a run's best policy, its config and, if it has one, the comparison at its end.

    Args:
        run: A run that has ended.
        name: Of the partner.
        folder: Where partners are kept.

    Returns:
        The partner's folder.

    Raises:
        FileExistsError: If there is a partner of that name.
        CheckpointError: If the run holds no policy.
    """
    target = folder / name
    if target.exists():
        raise FileExistsError(f"{target}: is frozen; give the run another name")
    policy = find_policy(run)
    contents = {file: (policy / file).read_bytes() for file in POLICY_FILES}
    if (run / "result.json").is_file():
        contents["result.json"] = (run / "result.json").read_bytes()
    config = json.loads((run / "config.json").read_bytes())
    config["run"] |= {"name": name, "folder": Run().folder}  # not where it lay on this machine
    contents["config.json"] = (json.dumps(config, indent=1) + "\n").encode()
    target.mkdir(parents=True)
    for file, content in contents.items():
        write_file(target / file, content)
    card = _card(run, config)
    card["sha256"] = {file: hashlib.sha256(content).hexdigest() for file, content in contents.items()}
    write_file(target / "frozen.json", json.dumps(card, indent=1) + "\n")
    return target


def _card(run: Path, config: dict[str, Any]) -> dict[str, Any]:
    """Whence a partner comes."""
    last = read_metrics(run)[-1]
    return {
        "frozen": NOTE,
        "seed": config["run"]["seed"],
        "minutes": round(last["seconds"] / 60, 1),
        "decisions": int(last["decisions"]),
    }


def main() -> None:
    """Freeze a run."""
    parser = argparse.ArgumentParser(description="Put a run into the package as a frozen partner.")
    parser.add_argument("run", type=Path)
    parser.add_argument("name", help="of the partner, such as classic_4_a")
    arguments = parser.parse_args()
    print(freeze_partner(arguments.run, arguments.name))


if __name__ == "__main__":
    main()
