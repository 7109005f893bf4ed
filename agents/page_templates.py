"""The templates of pages that are written: reports of tournaments, reviews. Needs jinja2 (extra `arena`)."""

from __future__ import annotations

from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined


def page_templates(folder: Path) -> Environment:
    """The templates of a folder: values are escaped, and a name that is not given is an error."""
    return Environment(
        loader=FileSystemLoader(folder),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
