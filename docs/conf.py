"""How Sphinx makes a site of these pages: `sphinx-build -n -W docs site`."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from made import learner_reference, learner_table, learner_toctree, relational_reference

import ctree

project = "ctree"
copyright = "2026, the ctree authors"
version = release = ctree.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "numpydoc", "made"]
exclude_patterns = ["_build", "site"]
html_theme = "furo"
smartquotes = False
html_title = f"ctree {version}"
html_static_path = ["static"]
html_css_files = ["wide.css"]
html_copy_source = False
html_show_sphinx = False

myst_enable_extensions = ["substitution"]
myst_substitutions = {
    make.__name__: make() for make in (learner_table, learner_toctree, learner_reference, relational_reference)
}
myst_heading_anchors = 3
myst_links_external_new_tab = False

# Types are told in the docstrings. Attributes and methods are listed by autodoc.
autodoc_typehints = "none"
autodoc_member_order = "bysource"
numpydoc_show_class_members = False

# In docstrings `name` is a link where that name has a place in the reference, and else only set as code.
default_role = "py:obj"
nitpick_ignore_regex = [("py:obj", r"(?!ctree[.]).*")]
highlight_language = "none"
