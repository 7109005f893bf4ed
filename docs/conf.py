"""How Sphinx builds the site: `make docs`."""

import re
import sys
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))  # the checkout's `canasta_env` and `agents`

project = "canasta-env"
author = "The canasta-env authors"
copyright = author
default_role = "code"  # docstrings quote code in single backquotes
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.viewcode"]
exclude_patterns = ["_build"]

html_theme = "furo"
html_title = "canasta-env"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False

myst_heading_anchors = 3  # links such as arena.md#faults lead where a code host leads them
myst_links_external_new_tab = False
smartquotes_action = "D"  # dashes; "quotes" stay, they are often part of the code
highlight_language = "text"  # fences without a language show commands
highlight_options = {"pycon": {"stripnl": True}}  # the empty line that ends an example for doctest

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_preserve_defaults = True
autodoc_type_aliases = {"ArrayLike": "ArrayLike"}
python_use_unqualified_type_names = True
napoleon_numpy_docstring = False
maximum_signature_line_length = 90

# The long form in which a resolved `NDArray[np.int8]` prints.
_ARRAY = re.compile(
    r"~?(?:numpy\.)?ndarray\[tuple\[~?(?:typing\.)?Any, \.\.\.\], ~?(?:numpy\.)?dtype\[([^\]]*)\]\]"
)


def _shorten_arrays(
    _app: Any, _what: str, _name: str, _object: Any, _options: Any, *texts: str | None
) -> Any:
    """The signature and what is returned, with arrays in the short form."""
    return tuple(text and _ARRAY.sub(r"NDArray[\1]", text) for text in texts)


def _shorten_annotations(_app: Any, doctree: Any, _page: str) -> None:
    """The same for attributes and properties, which have no signature."""
    for node in doctree.findall(addnodes.desc_annotation):
        if _ARRAY.search(text := node.astext()):
            node.children = [nodes.Text(_ARRAY.sub(r"NDArray[\1]", text))]


def setup(app: Any) -> None:
    """Let arrays show as they are written in the code."""
    app.connect("autodoc-process-signature", _shorten_arrays)
    app.connect("doctree-resolved", _shorten_annotations)
