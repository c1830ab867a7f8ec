#!/usr/bin/python3
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Changes one field of emitted configurations and asks who notices.

    mutate_configurations.py --bin build/bin --seed 1 --count 1000

A configuration is all that the simulator sees, so a field that it ignores is a field that may
be wrong. Every mutation is of one field of one of 20 programs, and ends in one way:

refused  an error or a trap, with a message
result   an output has other bytes; `sequin-run --verify` and every comparison with NumPy see it
cycles   the outputs are the same, and a command starts, ends or works at other cycles
report   neither, and the report says something else: names, MACs, bytes, counters
silent   nothing differs

A silent mutation is harmless if the changed configuration says the same thing, or if it changes
what nobody reads; REASONS decides that from the configuration alone. Harmful is a silent one
without a reason: a field that matters was ignored. So is a program that ends in any other way
(crash, no message, no end). Either makes the exit status 1, and more than 5 % silent ones do.

Mutation i of a seed is the same on every run over the same programs; --only i shows it.
"""

import argparse
import collections
import copy
import dataclasses
import json
import random
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

sys.dont_write_bytecode = True  # no __pycache__ among the tests
ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "test/fuzz/Inputs"), str(ROOT / "test/integration/cycles/Inputs")]

from both_modes import generate  # noqa: E402
from silent_reasons import REASONS, Mutation, Path_, at, is_data  # noqa: E402

Json = dict[str, Any]

#: Files, and kernels that the tests of an engine generate (ENGINE/CASE).
PROGRAMS = [
    *(f"examples/tcp/{name}.mlir" for name in (
        "all_reduce", "batch_norm_split", "cumsum", "dot_product", "gemv", "segmentation",
        "temporal_max", "weighted_sum")),
    "fetch/padding_case_2", "fetch/zero_points", "switch/broadcast01", "commit/large_columns",
    "contract/sequential", "vector/staged_pipeline", "reduce/ISR-08", "inter-slice/promotion",
    "examples/linalg/gather.mlir", "examples/linalg/softmax.mlir",
    "test/integration/cycles/Inputs/matmul.mlir", "test/integration/loops/double_buffer.mlir",
]

#: Outcomes in the order of the table.
OUTCOMES = ("refused", "result", "cycles", "report", "silent", "broken")
#: Share of silent mutations that is too many.
SILENT_LIMIT = 0.05
#: Seconds of the processor, and of the clock, after which a program that does not end is broken.
PATIENCE, CLOCK_PATIENCE = 20, 1200
#: Other values of a field of data that are tried.
PROBES = 8
#: Whole numbers of the arguments, by type: [low, high). Those of i4 are branches, those of i32
#: may be indices.
RANGES = {"i4": (0, 3), "i8": (-128, 128), "i16": (-999, 1000), "i32": (0, 8)}


# --------------------------------------------------------------------------------------
# Programs
# --------------------------------------------------------------------------------------


def run(command: Sequence[str | Path]) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(part) for part in command], capture_output=True, text=True,
                          errors="replace", timeout=CLOCK_PATIENCE,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU,
                                                                (PATIENCE, PATIENCE)))


def must_run(command: Sequence[str | Path]) -> None:
    done = run(command)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: exit status {done.returncode}\n{done.stderr}")


@dataclasses.dataclass
class Outcome:
    kind: str
    detail: str = ""


@dataclasses.dataclass
class Seen:
    """What a run shows."""

    outputs: list[bytes]
    report: Json


class Program:
    """A configuration with arguments and with what it does unchanged."""

    def __init__(self, name: str, binaries: Path, folder: Path) -> None:
        self.name, self.binaries, self.folder = name, binaries, folder
        folder.mkdir()
        text = ROOT / name if name.endswith(".mlir") else generate(name, folder)
        lowered, config = folder / "config.mlir", folder / "config.json"
        pipelines = ["--tcp-to-config"]
        if "tcp." not in text.read_text():
            pipelines.insert(0, "--linalg-to-tcp=target=rngd")
        must_run([binaries / "sequin-opt", text, *pipelines, "-o", lowered])
        must_run([binaries / "sequin-translate", "--tcp-to-json", lowered, "-o", config])
        self.config: Json = json.loads(config.read_text())
        self.arguments = list(self.make_arguments())
        done, seen = self.run(self.config)
        if seen is None:
            sys.exit(f"{name}: exit status {done.returncode}\n{done.stderr}")
        self.seen = seen

    def make_arguments(self) -> Iterator[Path]:
        """Random values. Indices are i32, and small enough for every table."""
        generator = np.random.default_rng(7)
        for index, given in enumerate(self.config["inputs"]):
            path = self.folder / f"in{index}.npy"
            if given["type"] in RANGES:
                wide = np.int32 if given["type"] in ("i16", "i32") else np.int8
                values = generator.integers(*RANGES[given["type"]], given["shape"]).astype(wide)
            else:
                values = generator.normal(0, 2, given["shape"]).astype(np.float32)
            np.save(path, values)
            yield path

    def run(self, config: Json) -> tuple[subprocess.CompletedProcess[str], Seen | None]:
        changed, report = self.folder / "changed.json", self.folder / "report.json"
        changed.write_text(json.dumps(config))
        outputs = [self.folder / f"out{index}.npy" for index in range(len(config["outputs"]))]
        for path in [report, *outputs]:
            path.unlink(missing_ok=True)
        command: list[str | Path] = [self.binaries / "sequin-run", changed,
                                     "--target", self.config["target"], "--report", report]
        for path in self.arguments:
            command += ["--input", path]
        for path in outputs:
            command += ["--output", path]
        done = run(command)
        if done.returncode or not report.exists():
            return done, None
        return done, Seen([path.read_bytes() for path in outputs], json.loads(report.read_text()))

    def outcome(self, config: Json) -> Outcome:
        try:
            done, seen = self.run(config)
        except subprocess.TimeoutExpired:
            return Outcome("broken", f"no end within {CLOCK_PATIENCE} s")
        word = {1: "error:", 3: "trap:"}.get(done.returncode)
        if word and word in done.stderr:
            return Outcome("refused", done.stderr.strip().splitlines()[0])
        if seen is None:
            return Outcome("broken", f"exit status {done.returncode}: {done.stderr[:200]}")
        if seen.outputs != self.seen.outputs:
            return Outcome("result")
        if timing(seen.report) != timing(self.seen.report):
            return Outcome("cycles")
        if said(seen.report) != said(self.seen.report):
            return Outcome("report")
        return Outcome("silent")


def timing(report: Json) -> object:
    return report["cycles"], [(command["start"], command["end"], command["stages"])
                              for command in report["commands"]]


def said(report: Json) -> Json:
    """All but the time that the simulation itself took."""
    return {key: value for key, value in report.items() if key != "sim"}


# --------------------------------------------------------------------------------------
# Mutations
# --------------------------------------------------------------------------------------


def fields(value: Any, path: Path_ = ()) -> Iterator[tuple[Path_, Any]]:
    """Every object, list and leaf below the top that the machine is given: neither the data that
    a program brings along nor the names of program, arguments and places in a source."""
    if path:
        yield path, value
    if isinstance(value, dict):
        for key, inner in value.items():
            is_name = key == "location" or key == "name" and path[:1] != ("commands",)
            if not is_name and (key, path[:1]) != ("data", ("constants",)):
                yield from fields(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from fields(inner, (*path, index))


def field_name(config: Json, path: Path_) -> str:
    """The same for all places of a field: kinds instead of commands, no numbers."""
    parts, value = [], config
    for key in path:
        value = value[key]
        if isinstance(key, int):
            if isinstance(value, dict) and "kind" in value:
                parts = [value["kind"]]
            elif isinstance(value, (int, str)):
                # [size, stride, ...] of a loop: the place is the meaning.
                parts.append(str(key))
        else:
            parts.append(key)
    return ".".join(parts)


class Mutator:
    """Draws a field first and then one of its places, so that rare fields are tried as often as
    the loops of descriptors."""

    def __init__(self, programs: Sequence[Program], machine: Json) -> None:
        self.programs, self.machine = programs, machine
        self.places: dict[str, dict[str, list[Path_]]] = {}
        self.values: dict[str, list[str]] = collections.defaultdict(list)
        self.keys: dict[str, Json] = collections.defaultdict(dict)
        for program in programs:
            mine: dict[str, list[Path_]] = collections.defaultdict(list)
            for path, value in fields(program.config):
                name = field_name(program.config, path)
                mine[name].append(path)
                if isinstance(value, str) and value not in self.values[name]:
                    self.values[name].append(value)
                if isinstance(value, dict):
                    self.keys[name].update(value)
            self.places[program.name] = mine

    def mutation(self, number: int, seed: int) -> tuple[Program, Mutation]:
        generator = random.Random(f"{seed}:{number}")
        while True:
            program = generator.choice(self.programs)
            places = self.places[program.name]
            name = generator.choice(sorted(places))
            path = generator.choice(places[name])
            old = at(program.config, path)
            what, new = self.changed(name, old, generator)
            if new != old or isinstance(new, bool) != isinstance(old, bool):
                after = copy.deepcopy(program.config)
                at(after, path[:-1])[path[-1]] = new
                return program, Mutation(f"{name}{what}", path, old, new, program.config, after,
                                         self.machine)

    def changed(self, name: str, old: Any, generator: random.Random) -> tuple[str, Any]:
        """(what happened to an object or a list, the new value)."""
        if isinstance(old, dict):
            return self.changed_object(name, old, generator)
        if isinstance(old, list):
            return changed_list(old, generator)
        if isinstance(old, bool):
            return "", not old
        if isinstance(old, int):
            return "", changed_number(old, generator)
        if is_mask(old):
            bit = generator.randrange(4 * len(old))
            return "", f"{int(old, 16) ^ 1 << bit:0{len(old)}x}"
        return "", generator.choice([*self.values[name], old + "x"])

    def changed_object(self, name: str, old: Json, generator: random.Random) -> tuple[str, Json]:
        """A key less, or one more that such objects have elsewhere."""
        new = dict(old)
        foreign = sorted(set(self.keys[name]) - set(old) - {"location"})
        if foreign and generator.random() < 0.5:
            key = generator.choice(foreign)
            new[key] = copy.deepcopy(self.keys[name][key])
            return f" + {key}", new
        if old:
            key = generator.choice(sorted(set(old) - {"location"}))
            del new[key]
            return f" - {key}", new
        return "", new


def changed_number(old: int, generator: random.Random) -> int:
    return generator.choice([old + 1, old - 1, old * 2, old // 2, -old, 0, old + 8, old - 32,
                             old + generator.randrange(1, 1 << 16)])


def changed_list(old: list[Any], generator: random.Random) -> tuple[str, list[Any]]:
    """An element less, one twice, or two of them the other way round."""
    new = list(old)
    if not old:
        return "", new
    place = generator.randrange(len(old))
    way = generator.choice(["dropped", "doubled", "swapped"])
    if way == "dropped":
        del new[place]
    elif way == "doubled":
        new.insert(place, copy.deepcopy(old[place]))
    else:
        other = generator.randrange(len(old))
        new[place], new[other] = new[other], new[place]
    return f" {way}", new


def is_mask(value: str) -> bool:
    """Bits of slices in hexadecimal."""
    return len(value) >= 4 and all(digit in "0123456789abcdef" for digit in value)


# --------------------------------------------------------------------------------------
# The table
# --------------------------------------------------------------------------------------


@dataclasses.dataclass
class Finding:
    number: int
    program: str
    mutation: Mutation
    outcome: Outcome
    reason: str = ""


def judge(number: int, program: Program, mutation: Mutation, seed: int) -> Finding:
    finding = Finding(number, program.name, mutation, program.outcome(mutation.after))
    if finding.outcome.kind == "silent":
        finding.reason = next((name for name, applies in REASONS.items()
                               if holds(applies, mutation)), "")
        if not finding.reason and is_data(mutation) and is_read(program, mutation, seed):
            finding.reason = "data, of which another value is noticed"
    return finding


def is_read(program: Program, mutation: Mutation, seed: int) -> bool:
    """Whether any of some other values of the field is noticed."""
    generator = random.Random(f"{seed}:{mutation.path}")
    for _ in range(PROBES):
        after = copy.deepcopy(mutation.before)
        at(after, mutation.path[:-1])[mutation.path[-1]] = changed_number(mutation.old, generator)
        if program.outcome(after).kind in ("refused", "result", "cycles"):
            return True
    return False


def holds(applies: Callable[[Mutation], bool], mutation: Mutation) -> bool:
    """A reason that cannot make sense of the configuration is none."""
    try:
        return applies(mutation)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        return False


def stage_of(field: str) -> str:
    """The first two parts of a field's name are the row it is counted in."""
    return ".".join(field.split(" ")[0].split(".")[:2])


def table(findings: Sequence[Finding]) -> str:
    counts: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
    for finding in findings:
        counts[stage_of(finding.mutation.field)][finding.outcome.kind] += 1
    lines = [f"{'field':28}" + "".join(f"{kind:>9}" for kind in OUTCOMES)]
    for name in sorted(counts):
        lines.append(f"{name:28}" + "".join(f"{counts[name][kind] or '-':>9}"
                                            for kind in OUTCOMES))
    total = collections.Counter(finding.outcome.kind for finding in findings)
    lines.append(f"{'all':28}" + "".join(f"{total[kind]:>9}" for kind in OUTCOMES))
    return "\n".join(lines)


def silent_table(findings: Sequence[Finding]) -> str:
    found = collections.Counter((finding.reason or "NO REASON", finding.mutation.field)
                                for finding in findings if finding.outcome.kind == "silent")
    return "\n".join(f"{count:4}  {field:44}  {reason}"
                     for (reason, field), count in sorted(found.items()))


def shown(finding: Finding) -> str:
    mutation = finding.mutation
    where = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in mutation.path)
    return (f"mutation {finding.number} of {finding.program}: {where[1:]}: "
            f"{json.dumps(mutation.old)[:160]} -> {json.dumps(mutation.new)[:160]}: "
            f"{finding.outcome.kind} {finding.outcome.detail}{finding.reason}")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--bin", type=Path, default=ROOT / "build/bin", help="folder of the tools")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 31))
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--programs", type=int, default=len(PROGRAMS),
                        help="how many of the programs, from the last one on")
    parser.add_argument("--only", type=int, help="the number of one mutation, which is shown")
    parser.add_argument("--verbose", action="store_true", help="show every mutation")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="sequin-mutations-") as name:
        programs = [Program(path, options.bin, Path(name) / str(index))
                    for index, path in enumerate(PROGRAMS[-options.programs:])]
        row = Path(name) / "machine.json"
        must_run([options.bin / "sequin-translate", "--dump-machine=rngd", "-o", row])
        mutator = Mutator(programs, json.loads(row.read_text()))
        numbers = range(options.count) if options.only is None else [options.only]
        findings = []
        for number in numbers:
            findings.append(judge(number, *mutator.mutation(number, options.seed),
                                  options.seed))
            if options.verbose or options.only is not None:
                print(shown(findings[-1]), flush=True)
    print(f"seed {options.seed}, {len(findings)} mutations of {len(programs)} programs\n")
    print(table(findings))
    silent = [finding for finding in findings if finding.outcome.kind == "silent"]
    if silent:
        print(f"\nsilent: {len(silent)} of {len(findings)} = {len(silent) / len(findings):.1%}")
        print(silent_table(findings))
    bad = [finding for finding in findings if finding.outcome.kind == "broken"
           or finding.outcome.kind == "silent" and not finding.reason]
    for finding in bad:
        print(f"error: {shown(finding)}", file=sys.stderr)
    if len(silent) > SILENT_LIMIT * len(findings):
        print(f"error: more than {SILENT_LIMIT:.0%} are silent", file=sys.stderr)
        return 1
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
