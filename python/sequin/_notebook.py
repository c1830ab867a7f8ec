# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What notebooks show of the objects of this package: HTML and SVG without scripts.

Everything that comes from a program is escaped.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .errors import Error
    from .mapping import Derivation
    from .program import Argument, Program
    from .report import Report

#: Okabe and Ito's colors, which are told apart with any color vision.
COLORS = {"dma": "#0072b2", "main": "#d55e00", "sub": "#009e73"}
#: Rows of a table, and bars of a timeline, at most.
MOST_ROWS = 10
MOST_BARS = 2000
WIDTH = 760
LABELS = 90
ROW = 26

STYLE = "font-family:sans-serif;font-size:13px"


def _cells(tag: str, cells: Iterable[str]) -> str:
    style = "text-align:left;padding:2px 12px 2px 0"
    return "".join(f'<{tag} style="{style}">{escape(cell)}</{tag}>' for cell in cells)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    body = "".join(f"<tr>{_cells('td', row)}</tr>" for row in rows)
    return f'<table style="{STYLE};margin:4px 0"><tr>{_cells("th", head)}</tr>{body}</table>'


def report_html(report: Report) -> str:
    """Totals, the timeline and the lines of the program that took longest."""
    totals, _, _ = report.summary().partition("\n\n")
    rows = [
        (
            source["operation"] or "-",
            source["location"] or "-",
            f"{source['cycles']:,}",
            f"{source['cycles'] / max(report.cycles, 1):.1%}",
        )
        for source in report.sources[:MOST_ROWS]
    ]
    more = len(report.sources) - len(rows)
    return (
        f'<div style="{STYLE}"><pre style="margin:0">{escape(totals)}</pre>{timeline_svg(report)}'
        + (_table(("operation", "place", "cycles", "share"), rows) if rows else "")
        + (f"<p>and {more} more</p>" if more > 0 else "")
        + "</div>"
    )


def timeline_svg(report: Report) -> str:
    """The commands over time, a row for each chip and context."""
    tracks: dict[tuple[int, str], list[Any]] = {}
    for command in report.commands:
        if command.context in COLORS:
            for chip in command.chips:
                tracks.setdefault((chip, command.context), []).append(command)
    order = sorted(tracks)
    height = ROW * max(len(order), 1) + 22
    scale = (WIDTH - LABELS - 8) / max(report.cycles, 1)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
        f'viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{height}" fill="white"/>',
    ]
    for row, (chip, context) in enumerate(order):
        top = row * ROW + 4
        name = f"{context} {chip}" if report.chips > 1 else context
        parts.append(f'<text x="4" y="{top + 14}" fill="black">{escape(name)}</text>')
        for start, end, title in _bars(tracks[chip, context], scale):
            left, width = LABELS + start * scale, max((end - start) * scale, 0.6)
            parts.append(
                f'<rect x="{left:.1f}" y="{top}" width="{width:.1f}" height="{ROW - 6}" '
                f'fill="{COLORS[context]}"><title>{escape(title)}</title></rect>'
            )
    bottom = height - 6
    parts.append(
        f'<text x="{LABELS}" y="{bottom}" fill="black">0</text>'
        f'<text x="{WIDTH - 8}" y="{bottom}" text-anchor="end" fill="black">'
        f"{report.cycles:,} cycles</text></svg>"
    )
    return "".join(parts)


def _bars(commands: Sequence[Any], scale: float) -> Iterable[tuple[int, int, str]]:
    """Commands as bars; those that are closer than a pixel are one."""
    bars: list[list[Any]] = []
    for command in sorted(commands, key=lambda c: (c.start, c.end)):
        if bars and (command.start - bars[-1][1]) * scale < 0.5 and len(commands) > 200:
            bars[-1][1] = max(bars[-1][1], command.end)
            bars[-1][2] += 1
        else:
            bars.append([command.start, command.end, 1, command.name])
    for start, end, count, name in bars[:MOST_BARS]:
        yield start, end, f"{name}, {end - start:,} cycles" if count == 1 else f"{count} commands"


def program_html(program: Program) -> str:
    """Machine, arguments and results."""

    def rows(kind: str, arguments: tuple[Argument, ...]) -> list[tuple[str, str, str, str]]:
        return [(kind, a.name, a.dtype, " × ".join(map(str, a.shape)) or "scalar") for a in arguments]

    chips = f"{program.chips} chip" + ("s" if program.chips != 1 else "")
    return (
        f'<div style="{STYLE}"><b>sequin.Program</b> for {escape(program.target)}, {chips}'
        + _table(("", "name", "type", "shape"),
                 rows("argument", program.inputs) + rows("result", program.outputs))
        + "</div>"
    )


def derivation_html(derivation: Derivation) -> str:
    """The loops of a sequencer, outermost first."""
    rows = [
        (f"{'  ' * depth}× {loop.size:,}", f"{loop.stride:,}", ", ".join(loop.terms))
        for depth, loop in enumerate(derivation.entries)
    ]
    return (
        f'<div style="{STYLE}"><code>{escape(derivation.text)}</code>'
        + _table(("loop", "step", "walks"), rows)
        + f"{derivation.packet_elements:,} elements in a packet, {derivation.access_bytes} bytes at "
        f"once, {derivation.cycles:,} cycles</div>"
    )


def error_html(error: Error) -> str:
    """The text as the tools print it, with what it is."""
    return (
        f'<div style="{STYLE};border-left:4px solid #d55e00;padding-left:10px">'
        f"<b>{escape(type(error).__name__)}</b>"
        f'<pre style="margin:4px 0;white-space:pre-wrap">{escape(str(error))}</pre></div>'
    )
