# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a run costs, by the nodes and the layers of the model.

A command is called by the node it works for, so its cycles and bytes are that node's.
Nodes that the compiler has fused count for the one that the whole is called by. The bound
of a node is what no schedule of the same work can beat: its multiply-accumulates at the
machine's peak, or the bytes it moves at the bandwidth of the HBM, whichever takes longer.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .. import machine
from ..errors import printable
from ..report import Command, Report, _seconds, _union

if TYPE_CHECKING:
    from .model import Model

__all__ = ["Cost", "Costs", "Throughput", "costs_of", "layer_of"]

#: Lines of a table of nodes or layers.
MOST_LINES = 20
#: What commands that several nodes or layers share count for.
SHARED = "(shared)"
#: Columns of a name in a table.
NAME_WIDTH = 40


@dataclass(frozen=True)
class Cost:
    """What a node, a layer or the whole model costs."""

    name: str
    nodes: int
    """How many nodes have commands of their own."""
    cycles: int
    """During which at least one of its commands ran."""
    macs: int
    """Useful multiply-accumulates, as the model has them."""
    hbm_bytes_read: int
    hbm_bytes_written: int
    bound_cycles: int
    """The least that `macs` and the bytes take on the machine."""
    bound_by: str
    """The stage that was the longest of its commands for most of the time, with its context:
    ``"dma hbm"``; empty if it has none."""

    @property
    def share_of_bound(self) -> float:
        """bound_cycles / cycles: 1 is as fast as the machine allows."""
        return self.bound_cycles / self.cycles if self.cycles else 0.0

    def to_dict(self) -> dict[str, Any]:
        """The fields and `share_of_bound`, for JSON."""
        return {**vars(self), "share_of_bound": self.share_of_bound}


@dataclass(frozen=True)
class Throughput:
    """How much of what a model works on goes through it, one run after the other."""

    unit: str
    """``"token"``, ``"image"``, or ``"run"`` where inputs do not tell."""
    per_run: int
    per_second: float
    """At the machine's clock."""


@dataclass(frozen=True)
class Costs:
    """What a run of a model costs; `print` shows it."""

    total: Cost
    layers: tuple[Cost, ...]
    """In the model's order; none where neither names of nodes nor of weights tell."""
    nodes: tuple[Cost, ...]
    """In the model's order."""
    seconds: float
    """Of one run at the machine's clock."""
    throughput: Throughput

    def to_dict(self) -> dict[str, Any]:
        """For JSON: `total`, `layers`, `nodes`, `seconds`, `throughput`."""
        return {
            "total": self.total.to_dict(),
            "layers": [cost.to_dict() for cost in self.layers],
            "nodes": [cost.to_dict() for cost in self.nodes],
            "seconds": self.seconds,
            "throughput": dataclasses.asdict(self.throughput),
        }

    def __str__(self) -> str:
        """Time and speed, then tables of layers and of the nodes that take longest."""
        speed, total = self.throughput, self.total
        plural = "s" if speed.per_run != 1 else ""
        lines = [
            f"speed    {speed.per_second:,.1f} {speed.unit}s per second, "
            f"{speed.per_run:,} {speed.unit}{plural} in {_seconds(self.seconds)}",
            f"bound    {total.bound_cycles:,} cycles for {total.macs:,} MACs and "
            f"{total.hbm_bytes_read + total.hbm_bytes_written:,} bytes of HBM = "
            f"{total.share_of_bound:.1%} of the time",
        ]
        for what, rows in (("layer", self.layers), ("node", self.nodes)):
            if rows:
                lines += ["", *_table(what, rows, total.cycles)]
        return "\n".join(lines)


def _table(what: str, rows: tuple[Cost, ...], cycles: int) -> list[str]:
    """The rows that take longest; layers stay in the model's order if there is room."""
    lines = [
        f"{what:<{NAME_WIDTH}}{'cycles':>12}{'share':>8}{'of bound':>10}  {'bound by':<14}"
        f"{'HBM bytes':>14}"
    ]
    ordered = sorted(rows, key=lambda row: (-row.cycles, row.name))[:MOST_LINES]
    if what == "layer":
        kept = {row.name for row in ordered}
        ordered = [row for row in rows if row.name in kept]
    for row in ordered:
        name = row.name if len(row.name) < NAME_WIDTH else "..." + row.name[4 - NAME_WIDTH:]
        lines.append(
            f"{printable(name):<{NAME_WIDTH}}{row.cycles:>12,}"
            f"{row.cycles / max(cycles, 1):>8.1%}{row.share_of_bound:>10.1%}  {row.bound_by:<14}"
            f"{row.hbm_bytes_read + row.hbm_bytes_written:>14,}"
        )
    if len(rows) > len(ordered):
        lines.append(f"... and {len(rows) - len(ordered)} more")
    return lines


# ===--- From a report -----------------------------------------------------=== #


def costs_of(model: Model, report: Report) -> Costs:
    """What a run of `model` whose report this is costs."""
    row = machine(report.target)
    bandwidth = row["hbm_utilization_bytes_per_cycle"] * report.chips

    def cost(name: str, commands: list[Command], macs: int, nodes: int) -> Cost:
        read = sum(c.counters.get("hbm_bytes_read", 0) for c in commands)
        written = sum(c.counters.get("hbm_bytes_written", 0) for c in commands)
        least = max(macs / max(report.peak_macs_per_cycle, 1), (read + written) / bandwidth)
        cycles = _union((c.start, c.end) for c in commands)
        return Cost(name, nodes, cycles, macs, read, written, round(least), _bound_by(commands))

    by_node: dict[str, list[Command]] = {}
    for command in report.commands:
        if command.context != "host":
            by_node.setdefault(node_of(command.name), []).append(command)
    nodes = [cost(name, commands, model.macs.get(name, 0), 1)
             for name, commands in by_node.items()]
    by_layer: dict[str, list[str]] = {}
    for name in by_node:
        by_layer.setdefault(model.layers.get(name, ""), []).append(name)
    layers = []
    if any(layer for layer in by_layer):
        for layer, names in by_layer.items():
            commands = [command for name in names for command in by_node[name]]
            macs = sum(model.macs.get(name, 0) for name in names)
            layers.append(cost(layer or SHARED, commands, macs, len(names)))
    every = [c for c in report.commands if c.context != "host"]
    total = cost(model.name, every, sum(model.macs.values()), len(nodes))
    total = dataclasses.replace(total, cycles=report.cycles)
    unit, count = _unit(model)
    speed = count / report.seconds if report.seconds else 0.0
    return Costs(total, tuple(layers), tuple(nodes), report.seconds,
                 Throughput(unit, count, speed))


def node_of(command: str) -> str:
    """``/fc1/Gemm.to_dm.3[2]``, of node ``/fc1/Gemm``; what the compiler has found to be the
    same for several nodes is called by none of them."""
    stem = re.sub(r"(\[\d+\]|\.\d+)+$", "", command)
    return stem.rpartition(".")[0] or SHARED


def _bound_by(commands: Iterable[Command]) -> str:
    longest: dict[str, int] = {}
    for command in commands:
        if command.bound_by:
            name = f"{command.context} {command.bound_by}"
            longest[name] = longest.get(name, 0) + command.cycles
    return max(longest, key=lambda name: longest[name], default="")


def _unit(model: Model) -> tuple[str, int]:
    """What the first input counts: indices [batch, seq] are tokens, floats [batch, channels,
    height, width] are images."""
    for value in model.inputs[:1]:
        if value.dtype in ("int32", "int64") and len(value.shape) == 2:
            return "token", value.shape[0] * value.shape[1]
        if value.dtype.startswith("float") and len(value.shape) == 4:
            return "image", value.shape[0]
    return "run", 1


# ===--- Layers ------------------------------------------------------------=== #


def layer_of(node: str, weights: Iterable[str], before: str) -> str:
    """The layer that a node belongs to.

    Exporters name nodes by the modules they are in, ``/encoder/layer.0/output/MatMul``: up
    to the first that is one of several, ``encoder/layer.0``, or the outermost. Where they do
    not, the weights that a node reads may be named so, ``encoder.layer.0.output.weight``.
    What has neither belongs where the node `before` it did.
    """
    *scopes, _ = node.strip("/").split("/")
    for i, scope in enumerate(scopes):
        if re.search(r"\.\d+$", scope):
            return "/".join(scopes[:i + 1])
    if scopes:
        return scopes[0]
    for weight in weights:
        *modules, _ = weight.split(".")
        for i, module in enumerate(modules):
            if i and module.isdecimal():
                return ".".join(modules[:i + 1])
        if modules:
            return modules[0]
    return before
