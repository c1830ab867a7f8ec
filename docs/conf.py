# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sphinx's configuration of the site; tools/dev/docs lays out what it reads."""

from pygments.lexers import TextLexer, ZigLexer

project = "Sequin"
author = "The Sequin developers"
copyright = "the Sequin developers, Apache License 2.0 with LLVM exceptions"
extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
myst_heading_anchors = 4
# Pages of dialects begin below the first level.
suppress_warnings = ["misc.highlighting_failure", "myst.header"]
html_theme = "alabaster"
html_theme_options = {
    "description": "Compiler and exact simulators for spatial machines",
    "fixed_sidebar": True,
    "page_width": "1200px",
    "sidebar_collapse": False,
}
html_show_sourcelink = False
html_copy_source = False


def setup(app):
    """Pygments knows no MLIR; CSL is much like Zig."""
    app.add_lexer("mlir", TextLexer)
    app.add_lexer("csl", ZigLexer)
