# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page of a run (docs/Guides/ReadingAPage.md)."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from html import escape

from ._boundary import write_file

__all__ = ["Page"]


@dataclass(frozen=True)
class Page:
    """One run to look at: an HTML file that needs nothing else. In a notebook it shows
    itself."""

    title: str
    html: str = field(repr=False)
    """The whole file."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the file, as `sequin-run --page` does."""
        write_file(path, self.html)

    def _repr_html_(self) -> str:
        # A frame of its own: the page's scripts see nothing of the notebook.
        return (
            f'<iframe srcdoc="{escape(self.html)}" sandbox="allow-scripts" '
            f'title="{escape(self.title)}" style="width:100%;height:760px;border:0"></iframe>'
        )
