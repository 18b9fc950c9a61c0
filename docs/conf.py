"""Sphinx configuration of the documentation site, which `./dev docs` builds (tools/docs.sh)."""

import os
import re
from pathlib import Path

root = Path(os.environ["KALABA_ROOT"])
project = "Kalaba"
author = "the Kalaba developers"
version = release = re.search(r"project\(\s*kalaba\s+VERSION\s+([0-9.]+)", (root / "CMakeLists.txt").read_text(), re.I)[1]
language = "en"

extensions = ["myst_parser", "breathe"]
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]
breathe_projects = {"kalaba": os.environ["KALABA_DOXYGEN_XML"]}
breathe_default_project = "kalaba"
breathe_default_members = ("members",)
primary_domain = "cpp"
highlight_language = "none"
# Every header declares the namespace.
suppress_warnings = ["misc.highlighting_failure", "duplicate_declaration.cpp"]

html_theme = "furo"
html_title = f"Kalaba {version}"
html_copy_source = True
html_show_sourcelink = True
