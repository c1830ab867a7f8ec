# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The plots of a Report; the only module that needs matplotlib.

Figures are made without pyplot, so that nothing keeps them and no display is needed.
"""

from __future__ import annotations

import json

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from . import _core
from .report import Command, Report

__all__ = ["plot_roofline", "plot_timeline"]

COLORS = {"dma": "tab:orange", "main": "tab:blue", "sub": "tab:green"}
#: Characters of a name that a timeline writes into a bar.
NAME_CHARACTERS = 18


def _axes(ax: Axes | None, width: float, height: float) -> tuple[Figure, Axes]:
    if ax is not None:
        return ax.figure, ax
    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.add_subplot()


def plot_roofline(report: Report, ax: Axes | None = None) -> Figure:
    """See Report.plot_roofline."""
    figure, ax = _axes(ax, 6.4, 4.4)
    machine = json.loads(_core.machine(report.target))
    cycles_per_second = machine["clock_mhz"] * 1e6
    peak = report.peak_macs_per_cycle * cycles_per_second
    bandwidth = machine["hbm_utilization_bytes_per_cycle"] * report.chips * cycles_per_second
    ax.set(
        title=f"{report.target}, {report.chips} chip{'s' if report.chips != 1 else ''}",
        xlabel="MACs per byte of HBM traffic",
        ylabel="MACs per second",
        xscale="log",
        yscale="log",
    )
    moved = report.hbm_bytes_read + report.hbm_bytes_written
    ridge = peak / bandwidth
    points = [ridge]
    if report.macs and moved and report.seconds > 0:
        intensity, rate = report.macs / moved, report.macs / report.seconds
        points.append(intensity)
        roof = min(peak, intensity * bandwidth)
        ax.plot(intensity, rate, "o", color="tab:red", zorder=3, label="this run")
        ax.plot([intensity, intensity], [rate, roof], ":", color="tab:red")
        ax.annotate(
            f"{rate / roof:.1%} of the roof",
            (intensity, rate),
            textcoords="offset points",
            xytext=(8, -3),
        )
    left, right = min(points) / 16, max(points) * 16
    label = f"{peak / 1e12:.4g} TMAC/s, {bandwidth / 1e12:.4g} TB/s"
    ax.plot([left, ridge, right], [left * bandwidth, peak, peak], color="black", label=label)
    ax.grid(True, which="major", alpha=0.3)
    ax.legend(loc="lower right")
    return figure


def plot_timeline(report: Report, ax: Axes | None = None) -> Figure:
    """See Report.plot_timeline."""
    rows = [(chip, context) for chip in range(report.chips) for context in report.contexts]
    figure, ax = _axes(ax, 10, 1.4 + 0.5 * len(rows))
    for height, (chip, context) in enumerate(rows):
        commands = [
            c for c in report.commands if c.context == context and chip in c.chips and c.cycles
        ]
        ax.broken_barh(
            [(c.start, c.cycles) for c in commands],
            (height - 0.4, 0.8),
            facecolors=COLORS[context],
            edgecolor="white",
            linewidth=0.5,
        )
        for command in commands:
            _write_name(ax, command, height, report.cycles)
    several = report.chips > 1
    ax.set_yticks(
        range(len(rows)),
        labels=[f"chip {chip} {context}" if several else context for chip, context in rows],
    )
    ax.set(
        title=f"{report.target}: {report.cycles:,} cycles",
        xlabel="cycles",
        xlim=(0, max(report.cycles, 1)),
        ylim=(len(rows) - 0.5, -0.5) if rows else (0, 1),
    )
    if rows:
        ax.legend(
            handles=[Patch(color=COLORS[c], label=c) for c in report.contexts],
            loc="upper left",
            bbox_to_anchor=(1, 1),
        )
    return figure


def _write_name(ax: Axes, command: Command, height: int, cycles: int) -> None:
    """Into the bar, where there is room for it."""
    if command.cycles * 90 < cycles * min(len(command.name), NAME_CHARACTERS):
        return
    ax.text(
        command.start + command.cycles / 2,
        height,
        command.name[:NAME_CHARACTERS],
        ha="center",
        va="center",
        fontsize="x-small",
        clip_on=True,
    )
