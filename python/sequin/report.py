# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The report of a run as an object (docs/Guides/ReadingAReport.md)."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping as Dictionary
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _core, _notebook
from ._boundary import write_file
from .page import Page

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["Command", "Report", "Simulation", "Timeline"]

#: Lines of the table of commands in a summary.
SUMMARY_COMMANDS = 10


@dataclass(frozen=True)
class Command:
    """When one command of the program ran; times in cycles from the start."""

    id: int
    """Place in the program's order."""
    name: str
    context: str
    """What it occupied: ``"main"``, ``"sub"``, ``"dma"``, or ``"host"`` (no time)."""
    start: int
    end: int
    stages: dict[str, int] = field(default_factory=dict)
    """Cycles each stage was at work; stages overlap."""
    wait: str = ""
    """What the start waited for; empty if for nothing."""
    chips: tuple[int, ...] = (0,)
    """The chips in whose context it ran."""
    counters: dict[str, int] = field(default_factory=dict)
    """What happened besides, by name."""
    location: str = ""
    """The line of the program it came from, ``"file:line:column"``, or the name of a
    model's node; empty if that is not known."""
    operation: str = ""
    """The operation there, e.g. ``"linalg.matmul"`` or ``"Conv"``."""
    extra: dict[str, Any] = field(default_factory=dict, repr=False)
    """Keys that have no field here."""

    @property
    def cycles(self) -> int:
        """From start to end."""
        return self.end - self.start

    @property
    def bound_by(self) -> str:
        """The stage that took longest; empty without stages."""
        return max(self.stages, key=lambda name: self.stages[name], default="")

    @classmethod
    def from_dict(cls, keys: Dictionary[str, Any]) -> Command:
        """From an entry of the report's ``commands``."""
        rest = dict(keys)
        return cls(
            id=rest.pop("id"),
            name=rest.pop("name"),
            context=rest.pop("context"),
            start=rest.pop("start"),
            end=rest.pop("end"),
            stages=dict(rest.pop("stages")),
            wait=rest.pop("wait", ""),
            chips=tuple(rest.pop("chips", (0,))),
            counters=dict(rest.pop("counters", {})),
            location=rest.pop("location", ""),
            operation=rest.pop("operation", ""),
            extra=rest,
        )

    def to_dict(self) -> dict[str, Any]:
        """The keys of the entry, as JSON has them."""
        keys: dict[str, Any] = {**vars(self), "chips": list(self.chips)}
        del keys["extra"]
        return {**keys, **self.extra}


@dataclass(frozen=True)
class Simulation:
    """What the simulation itself took, on the computer it ran on."""

    wall_seconds: float
    macs_per_second: float
    extra: dict[str, Any] = field(default_factory=dict, repr=False)
    """Keys that have no field here."""

    @classmethod
    def from_dict(cls, keys: Dictionary[str, Any]) -> Simulation:
        """From the report's ``sim``."""
        rest = dict(keys)
        return cls(rest.pop("wall_seconds"), rest.pop("macs_per_second"), rest)

    def to_dict(self) -> dict[str, Any]:
        """The keys of ``sim``."""
        keys = dict(vars(self))
        del keys["extra"]
        return {**keys, **self.extra}


class Timeline(str):
    """A run as Chrome-trace JSON; in a notebook it is a picture."""

    _report: Report

    @classmethod
    def _of(cls, text: str, report: Report) -> Timeline:
        timeline = cls(text)
        timeline._report = report
        return timeline

    def _repr_svg_(self) -> str:
        return _notebook.timeline_svg(self._report)


@dataclass(frozen=True)
class Report:
    """Cycles and utilisation of one run; the keys of `sequin-run --report`."""

    target: str
    """Machine name."""
    chips: int
    cycles: int
    """From the first command to the end of the last, HBM to HBM."""
    seconds: float
    """The same at the machine's clock."""
    macs: int
    """Useful multiply-accumulates of the program as it was given."""
    peak_macs_per_cycle: int
    """What all chips could do in the program's element type."""
    mac_utilization: float
    """macs / (cycles x peak_macs_per_cycle), 0 to 1."""
    hbm_bytes_read: int
    hbm_bytes_written: int
    hbm_utilization: float
    """Bytes moved per cycle by what the machine's HBM can move, 0 to 1."""
    commands: tuple[Command, ...]
    """In the program's order."""
    sim: Simulation
    sources: tuple[dict[str, Any], ...] = ()
    """What each line of the program took, the longest first: ``location``,
    ``operation``, ``commands``, and ``cycles`` in which at least one of them ran, by
    ``contexts`` too."""
    digit_products: int = 0
    """Contractions added for operands wider than the contraction engine takes."""
    extra: dict[str, Any] = field(default_factory=dict, repr=False)
    """Keys of the report that have no field here."""
    _native: _core.RunReport | None = field(default=None, repr=False, compare=False)

    def __getstate__(self) -> dict[str, Any]:
        """A pickled report is as one from a file: without the run itself."""
        return {**self.__dict__, "_native": None}

    # -- Reading and writing ---------------------------------------------------------

    @classmethod
    def from_dict(
        cls, keys: Dictionary[str, Any], _native: _core.RunReport | None = None
    ) -> Report:
        """From the keys of a report; KeyError names one that is missing."""
        rest = dict(keys)
        commands = tuple(map(Command.from_dict, rest.pop("commands")))
        sim = Simulation.from_dict(rest.pop("sim"))
        known = {
            name: rest.pop(name)
            for name in cls.__dataclass_fields__
            if name not in ("commands", "sources", "sim", "extra", "_native")
            and (name in rest or name != "digit_products")
        }
        known["sources"] = tuple(rest.pop("sources", ()))
        return cls(**known, commands=commands, sim=sim, extra=rest, _native=_native)

    @classmethod
    def _from_native(cls, native: _core.RunReport) -> Report:
        return cls.from_dict(json.loads(native.json()), native)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Report:
        """Reads a file that `sequin-run --report` or `save` has written."""
        return cls.from_dict(json.loads(Path(path).read_text(encoding="utf-8")))

    def to_dict(self) -> dict[str, Any]:
        """The keys of the report, as JSON has them."""
        commands = [command.to_dict() for command in self.commands]
        own = {
            name: getattr(self, name)
            for name in self.__dataclass_fields__
            if name not in ("commands", "sources", "sim", "extra", "_native")
        }
        return {
            **own,
            "commands": commands,
            "sources": list(self.sources),
            "sim": self.sim.to_dict(),
            **self.extra,
        }

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the report as JSON, as `sequin-run --report` does."""
        write_file(path, json.dumps(self.to_dict(), indent=2) + "\n")

    def timeline(self) -> Timeline:
        """The run as Chrome-trace JSON, which Perfetto opens; one microsecond of the
        trace is one cycle. ValueError for a report that was read from a file."""
        if self._native is None:
            raise ValueError("only the report of a run has a timeline, not one from a file")
        return Timeline._of(self._native.timeline(), self)

    def save_timeline(self, path: str | os.PathLike[str]) -> None:
        """Writes `timeline()`, as `sequin-run --timeline` does."""
        write_file(path, self.timeline())

    def page(self, title: str = "", *, text: str = "", name: str = "") -> Page:
        """The run as a page to look at (docs/Guides/ReadingAPage.md). `text` is the
        program, which locations call `name`; files are found by themselves. ValueError
        for a report that was read from a file."""
        if self._native is None:
            raise ValueError("only the report of a run has a page, not one from a file")
        title = title or f"a run on {self.target}"
        return Page(title, self._native.page(title, name, text))

    # -- Reading off -----------------------------------------------------------------

    def busy(self, context: str) -> int:
        """Cycles during which at least one command of `context` ran."""
        return _union((c.start, c.end) for c in self.commands if c.context == context)

    @property
    def contexts(self) -> tuple[str, ...]:
        """The contexts in use, without the host's."""
        used = {command.context for command in self.commands}
        return tuple(c for c in ("dma", "main", "sub") if c in used)

    def summary(self) -> str:
        """The report on one screen: totals, how busy each context was, and the
        commands that took longest, repeated ones (``x``, ``x.1``, ``x[2]``) together."""
        clock = self.cycles / self.seconds / 1e6 if self.seconds > 0 else 0
        lines = [
            f"machine  {self.target}, {self.chips} chip{'s' if self.chips != 1 else ''}",
            f"time     {self.cycles:,} cycles = {_seconds(self.seconds)} at {clock:,.0f} MHz",
            f"MACs     {self.macs:,} = {self.mac_utilization:.2%} of "
            f"{self.peak_macs_per_cycle:,} per cycle",
            f"HBM      {self.hbm_bytes_read:,} bytes read, {self.hbm_bytes_written:,} "
            f"written = {self.hbm_utilization:.2%} of the bandwidth",
        ]
        if self.digit_products > 0:
            lines.append(f"digits   {self.digit_products:,} contractions added for wide operands")
        if self.contexts:
            shares = (f"{c} {self.busy(c) / max(self.cycles, 1):.1%}" for c in self.contexts)
            lines.append("busy     " + ", ".join(shares))
        groups: dict[tuple[str, str], list[Command]] = {}
        for command in self.commands:
            if command.context != "host":
                groups.setdefault((command.context, _stem(command.name)), []).append(command)
        rows = sorted(
            (
                (_union((c.start, c.end) for c in group), context, name, group)
                for (context, name), group in groups.items()
            ),
            key=lambda row: (-row[0], row[1:3]),
        )
        if rows:
            lines += ["", "context command                      count    cycles   share  bound by"]
        for busy, context, name, group in rows[:SUMMARY_COMMANDS]:
            bounds = {command.bound_by for command in group}
            lines.append(
                f"{context:<8}{_shorten(name, 28):<28}{len(group):>6}{busy:>10,}"
                f"{busy / max(self.cycles, 1):>8.1%}  {bounds.pop() if len(bounds) == 1 else '-'}"
            )
        if len(rows) > SUMMARY_COMMANDS:
            lines.append(f"... and {len(rows) - SUMMARY_COMMANDS} more")
        if self.sim.wall_seconds > 0:
            lines += ["", f"simulated in {_seconds(self.sim.wall_seconds)}"]
        return "\n".join(lines)

    __str__ = summary

    def __repr__(self) -> str:
        """Ten lines at most."""
        totals, _, commands = self.summary().partition("\n\n")
        lines = [f"<sequin.Report: {len(self.commands):,} commands", *totals.splitlines()]
        for line in commands.splitlines()[: 9 - len(lines)]:
            lines.append(line.rstrip())
        return "\n".join(lines) + ">"

    def _repr_html_(self) -> str:
        return _notebook.report_html(self)

    def plot_roofline(self, ax: Axes | None = None) -> Figure:
        """The run against the machine's roofs: MACs per second over MACs per byte of
        HBM traffic, both logarithmic. Draws into `ax` if given. Needs matplotlib."""
        from . import plots

        return plots.plot_roofline(self, ax)

    def plot_timeline(self, ax: Axes | None = None) -> Figure:
        """The commands over time, one row per chip and context; cycles. Draws into
        `ax` if given. Needs matplotlib."""
        from . import plots

        return plots.plot_timeline(self, ax)


def _stem(name: str) -> str:
    """``to_dm.3[2]``, a repetition of ``to_dm``, as ``to_dm``."""
    name = name.split("[", 1)[0]
    stem, dot, number = name.rpartition(".")
    return stem if dot and number.isdigit() else name


def _shorten(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 3] + "..."


def _seconds(seconds: float) -> str:
    for scale, unit in ((1, "s"), (1e3, "ms"), (1e6, "us")):
        if seconds * scale >= 1:
            return f"{seconds * scale:.3f} {unit}"
    return f"{seconds * 1e9:.0f} ns"


def _union(intervals: Iterable[tuple[int, int]]) -> int:
    """Length of the union of half-open intervals."""
    total = reached = 0
    for start, end in sorted(intervals):
        total += max(0, end - max(start, reached))
        reached = max(reached, end)
    return total
