"""Print every package that some requirements bring into this environment, a line NAME==VERSION each.

python tests/integrations/closure.py NAME[EXTRA] ...

An environment's own Python runs it: the standard library and `packaging` are all that it needs.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from importlib.metadata import distribution

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name


def closure(wanted: Iterable[str]) -> dict[str, str]:
    """The installed version of each package that is wanted, and of each that one of them requires.

    Raises:
        importlib.metadata.PackageNotFoundError: If one is not installed.
    """
    versions: dict[str, str] = {}
    seen: set[tuple[str, str]] = set()
    waiting = [Requirement(text) for text in wanted]
    while waiting:
        requirement = waiting.pop()
        package = distribution(requirement.name)
        name = canonicalize_name(requirement.name)
        versions[name] = package.version.partition("+")[0]
        for extra in {"", *requirement.extras} - {extra for known, extra in seen if known == name}:
            seen.add((name, extra))
            for text in package.requires or ():
                needed = Requirement(text)
                if needed.marker is None or needed.marker.evaluate({"extra": extra}):
                    waiting.append(needed)
    return versions


if __name__ == "__main__":
    print("\n".join(f"{name}=={version}" for name, version in sorted(closure(sys.argv[1:]).items())))
