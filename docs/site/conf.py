"""Configuration of Sphinx, for the folder of sources that build.py lays out."""
import os
import sys

project = "Isopod"
author = "the Isopod authors"
copyright = "the Isopod authors, Apache-2.0"
version = release = os.environ.get("ISOPOD_VERSION", "")

extensions = ["myst_parser", "breathe", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
myst_heading_anchors = 3
myst_enable_extensions = ["colon_fence", "attrs_inline"]
# A word in a docstring may be the name of several members (ref.python).
suppress_warnings = ["myst.header", "toc.not_included", "misc.highlighting_failure", "ref.python"]
exclude_patterns = ["**/node_modules", "**/template.md"]

breathe_projects = {"isopod": os.environ.get("ISOPOD_DOXYGEN", "")}
breathe_default_project = "isopod"
breathe_domain_by_extension = {"h": "c"}

# The docstrings of the Python package are in its sources; its compiled part is not needed for them.
sys.path.insert(0, os.environ.get("ISOPOD_PYTHON", ""))
autodoc_mock_imports = ["isopod._isopod"]
autodoc_member_order = "groupwise"

html_theme = "furo"
html_title = "Isopod"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sphinx = False
html_copy_source = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#0b5fad", "color-brand-content": "#0b5fad"},
    "dark_css_variables": {"color-brand-primary": "#7db8f2", "color-brand-content": "#7db8f2"},
}
