#!/usr/bin/python3
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes docs/performance.md: programs in timing mode against bounds from the machine alone.

    make_tables.py            writes the page
    make_tables.py --check    fails if the page is another one; seconds are not compared
    make_tables.py --only manual,decode    prints these sections

Cycles are the simulator's, and deterministic. Every report is recomputed from the emitted
configuration (utilisation.py), every program is timed once more by the manual (retime.py), every
bound comes from the machine's row (bound.py).
"""

import argparse
import collections
import dataclasses
import difflib
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import bound
import retime
from bound import BITS, Bound, Product
from measure import Failure, Measured, Tools
from programs import Einsums, LlamaLayer, products

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "performance.md"
EXAMPLES = ROOT / "examples"

Machine = dict[str, Any]
NAMES = {"bf16": "bf16", "f8e4m3": "f8"}


@dataclasses.dataclass(frozen=True)
class Row:
    """A program and the least it must do."""

    name: str
    text: str
    products: tuple[Product, ...]
    read: int
    written: int

    def bound(self, machine: Machine) -> Bound:
        return bound.bound_of(machine, self.products, self.read, self.written)


def matrix_row(name: str, tokens: int, inner: int, outers: Sequence[int], kind: str) -> Row:
    """Products that share [tokens, inner]."""
    whole = Product(tokens, inner, sum(outers), kind)
    return Row(name, products(tokens, inner, outers, kind).text(), (whole,),
               whole.operand_bytes, tokens * whole.outer * BITS["bf16"] // 8)


# --------------------------------------------------------------------------------------
# What is measured
# --------------------------------------------------------------------------------------

#: Llama-3-70B.
WIDTH, KV, HIDDEN, PROMPT = 8192, 1024, 28672, 2048


def prefill_rows(kind: str) -> list[Row]:
    return [
        matrix_row("query", PROMPT, WIDTH, [WIDTH], kind),
        matrix_row("key, or value", PROMPT, WIDTH, [KV], kind),
        matrix_row("key and value, one matrix", PROMPT, WIDTH, [2 * KV], kind),
        matrix_row("query, key, value", PROMPT, WIDTH, [WIDTH, KV, KV], kind),
        matrix_row("output", PROMPT, WIDTH, [WIDTH], kind),
        matrix_row("gate, or up", PROMPT, WIDTH, [HIDDEN], kind),
        matrix_row("down", PROMPT, HIDDEN, [WIDTH], kind),
    ]


def named_rows(kind: str) -> list[Row]:
    """Of a prefill, with their type in the name."""
    return [dataclasses.replace(row, name=f"{row.name}, {NAMES[kind]}")
            for row in prefill_rows(kind)]


def decode_rows() -> list[Row]:
    return [
        matrix_row("query, key, value", 1, WIDTH, [WIDTH, KV, KV], "bf16"),
        matrix_row("query, key, value, one matrix", 1, WIDTH, [WIDTH + 2 * KV], "bf16"),
        matrix_row("output", 1, WIDTH, [WIDTH], "bf16"),
        matrix_row("gate and up", 1, WIDTH, [HIDDEN, HIDDEN], "bf16"),
        matrix_row("down", 1, HIDDEN, [WIDTH], "bf16"),
    ]


@dataclasses.dataclass(frozen=True)
class Published:
    """A decode kernel of a 12B model, one token, as a public competition of 2026 timed it."""

    row: Row
    name: str
    weight_bytes: int
    aim: float  # share of the time in which HBM delivers the weights
    estimate: int  # cycles by the vendor's static estimate, baseline
    baseline: int  # cycles on the device, baseline
    best: int  # cycles on the device, best


def gated_ffn_row(activations: str) -> Row:
    """gate and up, SiLU(gate) * up, down; weights of 4 bits, scales of 8."""
    width, hidden = 3840, 15360
    text = program_text(EXAMPLES / "models" / "decode12b" / "make_kernel.py", "ffn",
                        "--activations", activations)
    # Products of 4-bit operands: no mapping multiplies faster or reads less.
    kinds = (Product(1, width, 2 * hidden, "i4"), Product(1, hidden, width, "i4"))
    return Row("gated FFN", text, kinds, published_ffn_bytes(), width * BITS["bf16"] // 8)


def published_ffn_bytes() -> int:
    """Three matrices of 4-bit weights, a scale of 8 bits for every 16."""
    return 3 * 3840 * 15360 * (16 * 4 + 8) // (16 * 8)


def published_rows() -> list[Published]:
    qkv = [4096, 2048, 2048]
    projection = 3840 * sum(qkv)
    return [
        Published(matrix_row("QKV projection", 1, 3840, [sum(qkv)], "f8e4m3"),
                  "QKV projection, one matrix", projection, 0.92, 116583, 250514, 88132),
        Published(matrix_row("QKV projection", 1, 3840, qkv, "f8e4m3"),
                  "QKV projection, three matrices", projection, 0.87, 116583, 250514, 88132),
        Published(matrix_row("attention output", 1, 4096, [3840], "f8e4m3"), "attention output",
                  4096 * 3840, 0.92, 194020, 404633, 33437),
        Published(gated_ffn_row("bf16"), "gated FFN, bf16 activations", published_ffn_bytes(),
                  0.91, 1693200, 3703473, 260271),
        Published(gated_ffn_row("f8E4M3FN"), "gated FFN, f8 activations", published_ffn_bytes(),
                  0.91, 1693200, 3703473, 260271),
    ]


def program_text(path: Path, *options: str) -> str:
    """Of a file, or of what a generator prints."""
    if path.suffix == ".mlir":
        return path.read_text()
    done = subprocess.run([sys.executable, str(path), *options], capture_output=True, text=True,
                          env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
    if done.returncode:
        said = done.stderr.strip().splitlines() or ["(nothing on stderr)"]
        raise Failure(f"{path.name}: exit status {done.returncode}: {said[-1]}")
    return done.stdout


def manual_rows() -> list[tuple[Row, str]]:
    """Einsums of the manual's introduction, each with its kernel there."""
    cases = [
        ("dot_product", "i,i->", {"i": 2048}, (1, 2048, 1)),
        ("gemv", "ij,j->i", {"i": 256, "j": 2048}, (1, 2048, 256)),
        ("gemm", "ik,jk->ij", {"i": 512, "j": 512, "k": 1024}, (512, 1024, 512)),
    ]
    rows = []
    for name, spec, sizes, shape in cases:
        product = Product(*shape, "bf16")
        text = Einsums(((spec, tuple(sizes.items())),), "bf16").text()
        rows.append((Row(f"{name}: `{spec}`", text, (product,), product.operand_bytes,
                         shape[0] * shape[2] * BITS["bf16"] // 8),
                     (EXAMPLES / "tcp" / f"{name}.mlir").read_text()))
    return rows


def layer_rows() -> list[Row]:
    generator = EXAMPLES / "models" / "llama" / "make_layer.py"
    rows = []
    for name, layer in (("decode, cache of 2,048", LlamaLayer(1, 2048)),
                        ("prefill, 512 tokens", LlamaLayer(512, 512)),
                        ("prefill, 2,048 tokens", LlamaLayer(2048, 2048))):
        text = program_text(generator, "--tokens", str(layer.tokens), "--cache", str(layer.cache))
        rows.append(Row(name, text, tuple(layer.products()), layer.bytes_read(),
                        layer.bytes_written()))
    return rows


# --------------------------------------------------------------------------------------
# Tables
# --------------------------------------------------------------------------------------

@dataclasses.dataclass(frozen=True)
class Reading:
    """A machine, and how arguments lie in its HBM if not as usual for it."""

    name: str
    machine: str
    layout: str = ""


READINGS = (Reading("rngd", "rngd"), Reading("static", "rngd-static"),
            Reading("measured", "rngd-measured"), Reading("strict", "rngd-strict"),
            Reading("strict, asked for", "rngd-strict", "chosen"))
#: How many chips the table of several chips has.
CHIPS = (1, 2, 4, 8)
#: Columns that differ from run to run.
SECONDS = ("compiled and simulated, s", "simulated, s")
BOUNDED, OF_BOUND = "bounded by", "of the bound"


def percent(value: float) -> str:
    return f"{100 * value:.1f} %"


def number(value: int) -> str:
    return f"{value:,}"


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    right = [i > 0 and all(re.match(r"^[-\d]", row[i]) for row in rows)
             for i in range(len(header))]
    lines = [header, ["--:" if r else "---" for r in right], *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def slowest(measured: Measured) -> str:
    context, stage, share = measured.shares()[0]
    return f"{context}: {stage}, {percent(share)}"


def chosen(mapping: dict[str, Any]) -> list[str]:
    """Of one group of operations: what the compiler took and what it left, in its estimate."""
    runner_up = mapping.get("runner_up")
    lost = (f"{runner_up['mapping']}: {number(runner_up['cycles'])} cycles, "
            f"{runner_up.get('lost_because', '-')}" if runner_up else "none")
    return [mapping.get("mapping", "-"), mapping.get("bound_by", "-"), number(mapping["cycles"]),
            number(mapping["evaluated"]), number(mapping["feasible"]), lost]


def seconds(measured: Measured) -> list[str]:
    return [f"{measured.seconds:.2f}", f"{measured.report['sim']['wall_seconds']:.2f}"]


@dataclasses.dataclass
class Aim:
    """What a row should reach; `value` gives the share that is compared."""

    text: str
    least: float
    value: Callable[[Measured, Bound], float]

    def missed(self, measured: Measured, limit: Bound) -> bool:
        return self.value(measured, limit) < self.least


def mac_aim(least: float) -> Aim:
    return Aim(f"{100 * least:.0f} % of the MACs", least, lambda m, _: m.report["mac_utilization"])


def bound_aim(least: float) -> Aim:
    return Aim(f"{100 * least:.0f} % of the bound", least, lambda m, limit: limit.cycles / m.cycles)


class Maker:
    def __init__(self, tools: Tools) -> None:
        self.tools = tools
        self.machines: dict[str, Machine] = {}
        self.failures: list[str] = []
        self.terms: list[list[str]] = []
        self.chosen: list[list[str]] = []
        self.measured: dict[tuple[str, str, int, str], Measured] = {}

    def machine(self, name: str) -> Machine:
        if name not in self.machines:
            self.machines[name] = self.tools.machine(name)
        return self.machines[name]

    def measure(self, name: str, text: str, target: str = "rngd", chips: int = 1,
                layout: str = "") -> Measured | None:
        """None, and the reason noted, if it cannot be; what is known is not run again. Arguments
        lie as `layout` says, or as is usual for the machine."""
        key = text, target, chips, layout
        if key not in self.measured:
            where = ", ".join([target, *([f"{chips} chips"] if chips > 1 else []),
                               *([f"{layout} layouts"] if layout else [])])
            print(f"{where}: {name}", file=sys.stderr, flush=True)
            try:
                self.measured[key] = self.tools.measure(text, self.machine(target), chips, layout)
            except Failure as failure:
                self.failures.append(f"{name} on {where}: {failure}")
                return None
        return self.measured[key]

    def cells(self, row: Row, target: str, section: str,
              layout: str = "") -> tuple[Measured, Bound] | None:
        measured = self.measure(row.name, row.text, target, layout=layout)
        if not measured:
            return None
        limit = row.bound(self.machine(target))
        if limit.cycles > measured.cycles:
            self.failures.append(f"{row.name} on {target}: {measured.cycles} cycles, fewer than "
                                 f"the bound of {limit.cycles}")
        if target == "rngd":
            self.terms.append([section, row.name, *(number(c) for c in limit.terms.values()),
                               limit.name])
            if section in ("prefill", "decode", "published"):
                self.chosen += [[section, row.name, *chosen(one)] for one in measured.mappings]
        return measured, limit

    def rows(self, section: str, rows: Sequence[Row], aim: Callable[[Row], Aim], key: str,
             label: str) -> str:
        """The usual table; `key` is the utilisation that counts."""
        header = ["program", "cycles", label, "bound", OF_BOUND, BOUNDED, "missed", *SECONDS]
        lines = []
        for row in rows:
            found = self.cells(row, "rngd", section)
            if not found:
                continue
            measured, limit = found
            line = [row.name, number(measured.cycles), percent(measured.report[key]),
                    number(limit.cycles), percent(limit.cycles / measured.cycles),
                    slowest(measured)]
            wanted = aim(row)
            line.append(wanted.text if wanted.missed(measured, limit) else "nothing")
            lines.append(line + seconds(measured))
        return table(header, lines)

    def prefill(self) -> str:
        parts = ["## Matrix products of a prefill", "",
                 f"Llama-3-70B, {PROMPT:,} tokens, sums in f32, results in bf16. Aims: 95 % of the "
                 "MACs in bf16 and 90 % in f8 (e4m3); 92 % and 85 % where key or value, which are "
                 "an eighth of the others, are a matrix of their own."]
        for kind, wide, narrow in (("bf16", 0.95, 0.92), ("f8e4m3", 0.90, 0.85)):
            def aim(row: Row, wide: float = wide, narrow: float = narrow) -> Aim:
                return mac_aim(narrow if row.products[0].outer <= 2 * KV else wide)

            parts += ["", self.rows("prefill", named_rows(kind), aim, "mac_utilization", "MACs")]
        return "\n".join(parts)

    def decode(self) -> str:
        return "\n".join([
            "## Products of a decode step", "",
            "The same layer for one token, bf16: weights stream from HBM once. Aim: 95 % of the "
            "bound.", "",
            self.rows("decode", decode_rows(), lambda _: bound_aim(0.95), "hbm_utilization",
                      "HBM")])

    def published(self) -> str:
        header = ["kernel", "cycles", "weights at 1,500 B/cycle", "share", "bound", BOUNDED,
                  "breakdown", "missed", "vendor's estimate", "device", "best on the device"]
        header += SECONDS
        lines = []
        for kernel in published_rows():
            hbm = bound.ceil_div(kernel.weight_bytes,
                                 self.machine("rngd")["hbm_utilization_bytes_per_cycle"])
            device = [f"{number(c)} ({percent(hbm / c)})" for c in (
                kernel.estimate, kernel.baseline, kernel.best)]
            found = self.cells(
                dataclasses.replace(kernel.row, name=kernel.name), "rngd", "published")
            if not found:
                lines.append([kernel.name, "-", number(hbm), "-", "-", "no program", "-", "-",
                              *device, "-", "-"])
                continue
            measured, limit = found
            share = hbm / measured.cycles
            breakdown = ", ".join(f"{c}: {s} {percent(p)}" for c, s, p in measured.shares())
            lines.append([kernel.name, number(measured.cycles), number(hbm), percent(share),
                          number(limit.cycles), slowest(measured), breakdown,
                          "nothing" if share >= kernel.aim else f"{100 * kernel.aim:.0f} %",
                          *device,
                          *seconds(measured)])
        return "\n".join([
            "## Decode kernels that were timed on the device", "",
            "Kernels of a 12B model, one token on one chip, of a public competition (2026). "
            "Weights and activations f8e4m3, sums f32, results bf16; the gated FFN's weights are "
            "4-bit (e2m1) with an f8e4m3 scale for every 16. Shares are those of the time in "
            "which HBM delivers the weights at 1.5 TB/s. Aims: 92 %, 87 % with three matrices, 91 % "
            "for the gated FFN. The vendor's estimate and the "
            "first device timing are of the competition's baseline.", "", table(header, lines)])

    def manual(self) -> str:
        lines = []
        for row, kernel in manual_rows():
            found = self.cells(row, "rngd", "manual")
            by_hand = self.measure(f"{row.name} by hand", kernel)
            if not found or not by_hand:
                continue
            measured, limit = found
            lines.append([row.name, number(by_hand.cycles), number(measured.cycles),
                          number(limit.cycles), slowest(measured),
                          "nothing" if measured.cycles <= by_hand.cycles else "the manual's",
                          *seconds(measured)])
        return "\n".join([
            "## The manual's kernels and the compiler's", "",
            "The kernels of the manual's introduction as it maps them (`examples/tcp`), and the "
            "same einsums in bf16 as the compiler maps them, HBM to HBM. Aim: never slower.", "",
            table(["einsum", "manual's, cycles", "compiler's, cycles", "bound", BOUNDED, "missed",
                   *SECONDS], lines)])

    def layers(self) -> str:
        header = ["program", "cycles", "MACs", "HBM", "bound", OF_BOUND, BOUNDED, "commands",
                  *SECONDS]
        lines = []
        for row in layer_rows():
            found = self.cells(row, "rngd", "layer")
            if not found:
                continue
            measured, limit = found
            lines.append([row.name, number(measured.cycles),
                          percent(measured.report["mac_utilization"]),
                          percent(measured.report["hbm_utilization"]), number(limit.cycles),
                          percent(limit.cycles / measured.cycles), slowest(measured),
                          number(measured.counts.commands), *seconds(measured)])
        return "\n".join([
            "## A whole layer", "",
            "One decoder layer of Llama-3-70B (`examples/models/llama/make_layer.py`): norms, "
            "projections, rotary embedding, key/value cache, grouped query attention with the "
            "whole mask, SwiGLU. The bound counts its contractions and what must cross HBM: "
            "weights, arguments, results.", "", table(header, lines)])

    def chips(self) -> str:
        header = ["of", "program", "chips", "cycles", "times faster", "MACs", "HBM",
                  "bytes over links", "collectives", BOUNDED, *SECONDS]
        prefill, decode = prefill_rows("bf16"), decode_rows()
        cases = [("prefill", prefill[0]), ("prefill", prefill[6]), ("decode", decode[0]),
                 ("decode", decode[3]), *(("layer", row) for row in layer_rows())]
        lines = []
        for section, row in cases:
            alone = self.measure(row.name, row.text)
            for chips in CHIPS:
                measured = self.measure(row.name, row.text, chips=chips)
                if not alone or not measured:
                    continue
                limit = bound.ceil_div(row.bound(self.machine("rngd")).cycles, chips)
                if limit > measured.cycles:
                    self.failures.append(f"{row.name} on {chips} chips: {measured.cycles} cycles, "
                                         f"fewer than the bound of {limit}")
                taken = collections.Counter(one["mapping"] for one in measured.mappings
                                            if one["group"] == "collective")
                lines.append([section, row.name, str(chips), number(measured.cycles),
                              f"{alone.cycles / measured.cycles:.2f}",
                              percent(measured.report["mac_utilization"]),
                              percent(measured.report["hbm_utilization"]),
                              number(measured.counts.link_bytes),
                              ", ".join(f"{count} {name}" for name, count in sorted(taken.items()))
                              or "none", slowest(measured), *seconds(measured)])
        return "\n".join([
            "## On several chips", "",
            "Programs of the sections above on 1, 2, 4 and 8 chips; the compiler chooses how groups "
            "and tensors are divided ([Lowering.md](Rationale/Lowering.md#chips)). MACs and HBM are "
            "of all chips. Links move 30 bytes per cycle into and out of each chip; the bytes are "
            "those of all links.", "", table(header, lines)])

    def readings(self) -> str:
        sections = [("prefill", [*named_rows("bf16"), *named_rows("f8e4m3")]),
                    ("decode", decode_rows()),
                    ("published", [dataclasses.replace(k.row, name=k.name)
                                   for k in published_rows()]),
                    ("layer", layer_rows())]
        header = ["of", "program"]
        header += [f"{reading.name}, {what}" for reading in READINGS for what in ("cycles", "bound")]
        lines = []
        for section, rows in sections:
            for row in rows:
                line = [section, row.name]
                for reading in READINGS:
                    found = self.cells(row, reading.machine, section, reading.layout)
                    if found:
                        measured, limit = found
                        line += [number(measured.cycles), percent(limit.cycles / measured.cycles)]
                    else:
                        line += ["-", "-"]
                lines.append(line)
        best = ", ".join(f"{k.name} {number(k.best)}" for k in published_rows())
        return "\n".join([
            "## What the silent points of the manual weigh", "",
            "The programs above, compiled for each machine: cycles, and the share of that "
            "machine's own bound. `rngd-strict`'s aims are 80 % for a prefill in bf16, 70 % in f8, "
            "65 % where key or value are a matrix of their own, and 85 % for decode; its arguments "
            "are row-major, and lie as the compiler likes under *asked for*. Best on the device, "
            f"in cycles: {best}.", "",
            table(header, lines)])

    def mappings(self) -> str:
        return "\n".join([
            "## Which mappings were chosen", "",
            "As `sequin-run --report-mapping` has it, for the products above; cycles are the "
            "estimate for the group alone.", "",
            table(["of", "program", "mapping", "bound by", "cycles", "tried", "possible",
                   "runner-up, and why it lost"], self.chosen)])

    def bounds(self) -> str:
        header = ["of", "program", "work", "feed", "refill", "hbm", "data", "the bound"]
        text = (bound.__doc__ or "").split("\n\n", 2)[2].split("\n\n")
        terms = [f"* **{name}**: {' '.join(rest.split())}"
                 for name, rest in re.findall(r"^(\w+) +((?:.*\n?)(?:^ {8}.*\n?)*)", text[1], re.M)]
        return "\n".join([
            "## Where the bounds come from", "",
            " ".join(text[0].split()), "", *terms, "",
            *(" ".join(paragraph.split()) + "\n" for paragraph in text[2:]),
            table(header, self.terms)])


SECTIONS: dict[str, Callable[[Maker], str]] = {
    "prefill": Maker.prefill,
    "decode": Maker.decode,
    "published": Maker.published,
    "manual": Maker.manual,
    "layers": Maker.layers,
    "chips": Maker.chips,
    "readings": Maker.readings,
    "mappings": Maker.mappings,
    "bounds": Maker.bounds,
}

INTRODUCTION = """# Performance

Written by `bench/performance/make_tables.py`; `--check` says whether it still holds. All cycles are those of the simulator in
timing mode, whose formulas the manual's examples pin down; they are the same on every computer, seconds are not. Programs are linalg, and
the compiler chooses everything.

| column | meaning |
|---|---|
| cycles | from the first command to the end of the last, HBM to HBM |
| MACs | useful multiply-accumulates per cycle against the chip's peak for the operands' type |
| HBM | bytes read and written per cycle against 1,500 (1.5 TB/s); the peak is 1,536, which is 102.4 % |
| bound | the fewest cycles any mapping can take, from the machine's row alone (`bench/performance/bound.py`, terms at the end) |
| of the bound | bound / cycles |
| bounded by | the context that is busy longest, and the stage that its commands wait for most: share of all cycles in such commands |
| missed | which of the section's aims |

MACs and bytes of every row have been counted again from the emitted configuration (`utilisation.py`) and agree with the report. The cycles of every
command, and when it runs, have been computed once more from the manual's formulas and that configuration by a program that shares no code with the
simulator (`retime.py`), row conflicts in HBM included; cycles differ by less than 1 %.

## What is assumed

* Where the manual is silent, `rngd` charges nothing for what has no published number (refreshes of HBM, how far engines run ahead of it,
  dependencies between clusters). What is dearer or not legal in one reading of the manual is so on `rngd`: sums over slices, writes of a part of a
  unit of HBM, accesses to a bank. [Machines.md](Machines.md#what-the-manual-leaves-open) has each point with its line and both readings.
* `rngd-static` adds 265 cycles to every pass, `rngd-measured` has constants that others published ([Machines.md](Machines.md#rngd-as-measured)),
  `rngd-strict` reads every silent point against the programs. [What the silent points weigh](#what-the-silent-points-of-the-manual-weigh) has all
  rows on all of them.
* The tables of `rngd` have arguments in HBM in the order that the compiler asks the host for, and nothing of the time that the host takes.
* Clocks are constant, nothing throttles, and no other program uses the chip."""


def without_seconds(page: str) -> list[str]:
    """Lines of the page, columns of seconds left out."""
    lines = []
    dropped: set[int] = set()
    for line in page.splitlines():
        cells = line.split("|")
        if not line.startswith("|"):
            dropped = set()
        elif not dropped:
            dropped = {i for i, cell in enumerate(cells) if cell.strip() in SECONDS}
        lines.append("|".join(cell for i, cell in enumerate(cells) if i not in dropped))
    return lines


def changes(path: Path, page: str) -> list[str]:
    """What a file would have to change to be the page."""
    before = path.read_text() if path.exists() else ""
    return list(difflib.unified_diff(without_seconds(before), without_seconds(page), str(path),
                                     "regenerated", n=0, lineterm=""))


def missing(failures: Sequence[str]) -> list[str]:
    """What the page has to say of rows that it does not have."""
    if not failures:
        return []
    return ["**Rows that do not hold; what could not be measured is left out:**",
            "\n".join(f"* {failed}" for failed in dict.fromkeys(failures))]


def timed_again(measured: Sequence[Measured]) -> str:
    """How far the simulator is from the manual."""
    most = max((retime.off_by(one.retimed, one.cycles) for one in measured), default=0.0)
    return f"{len(measured)} programs timed again by the manual, at most {most:.2%} apart"


def write(path: Path, text: str) -> None:
    """Under the final name when it is complete."""
    with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False) as file:
        file.write(text)
    os.chmod(file.name, 0o644)
    os.replace(file.name, path)


def main() -> int:
    parser = argparse.ArgumentParser(description="Writes docs/performance.md.")
    parser.add_argument("--check", action="store_true", help="compare with the page instead")
    parser.add_argument("--only", metavar="SECTIONS",
                        help=f"print some of {','.join(SECTIONS)} to standard output")
    parser.add_argument("--tools", type=Path, default=ROOT / "build" / "bin",
                        help="folder of sequin-run and the others (default: build/bin)")
    parser.add_argument("-o", type=Path, default=PAGE, dest="page", metavar="FILE",
                        help="the page (default: docs/performance.md)")
    options = parser.parse_args()
    names = options.only.split(",") if options.only else list(SECTIONS)
    for name in names:
        if name not in SECTIONS:
            parser.error(f"--only: '{name}' is no section, known are {', '.join(SECTIONS)}")
    sys.dont_write_bytecode = True
    with tempfile.TemporaryDirectory(prefix="sequin-tables-") as folder:
        maker = Maker(Tools(options.tools, Path(folder)))
        try:
            sections = [SECTIONS[name](maker) for name in names]
        except (Failure, OSError) as failure:
            print(f"error: {failure}", file=sys.stderr)
            return 1
    for failed in maker.failures:
        print(f"error: {failed}", file=sys.stderr)
    print(timed_again(list(maker.measured.values())), file=sys.stderr)
    if options.only:
        print("\n\n".join(sections))
        return 1 if maker.failures else 0
    page = "\n\n".join([INTRODUCTION, *missing(maker.failures), *sections]) + "\n"
    if not options.check:
        write(options.page, page)
        return 1 if maker.failures else 0
    found = changes(options.page, page)
    print("\n".join(found) if found else f"{options.page} is up to date")
    return 1 if found or maker.failures else 0


if __name__ == "__main__":
    sys.exit(main())
