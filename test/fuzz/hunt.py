#!/usr/bin/python3
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Hunts for inputs that a program answers by a signal, with more than 20 s or 4 GB, or wrongly.

    hunt.py --time 300                       all kinds, a fresh seed, which is printed
    hunt.py --kind mlir --count 1000000      so many inputs of one kind
    hunt.py --kind mlir --seed 5 --only 17   input 17 of seed 5: shown, run and judged

Inputs are changed by their structure: MLIR by token, number, type and operation; JSON by field;
CSL by the nodes of its tree; sessions of an editor by message; host scripts by argument; and
data of programs, where the simulator is held against the reference. Input number i of a seed is
the same on every run over the same tree and build. A finding is made smaller while it ends in
the same way and is written to a folder. The exit code is 1 if there are any.
"""

from __future__ import annotations

import argparse
import collections
import os
import random
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from hunting.forked import Programs
from hunting.kinds import ROOT, Input, Kind
from hunting.languages import CslKind, JsonKind, MlirKind
from hunting.mutation import shrink, shrink_json
from hunting.scripts import HostKind
from hunting.sessions import LspKind
from hunting.values import ValuesKind

KINDS: dict[str, type[Kind]] = {
    kind.name: kind for kind in (MlirKind, JsonKind, CslKind, LspKind, HostKind, ValuesKind)}
#: Seconds for making one finding smaller.
PATIENCE = 20
#: Seconds that a kind has in any case.
LEAST = 2
#: Findings of one kind that are written; more of them are only counted.
MOST = 50


@dataclass
class Tally:
    """What has come of the inputs of a kind."""

    inputs: int = 0
    outcomes: collections.Counter[str] = field(default_factory=collections.Counter)
    findings: dict[str, int] = field(default_factory=dict)
    """By how they end, the number of the first input."""
    repeated: int = 0
    seconds: float = 0

    def __str__(self) -> str:
        signals = collections.Counter(end.split()[0] for end in self.findings
                                      if end.startswith("SIG"))
        silent = sum(end.startswith("silent") for end in self.findings)
        parts = [f"{self.inputs} inputs", f"{self.outcomes['refused']} refused",
                 f"{self.outcomes['ran']} ran", f"{self.outcomes['trapped']} trapped",
                 f"{self.outcomes['signal']} by a signal",
                 f"{self.outcomes['late']} over 20 s", f"{self.outcomes['large']} over 4 GB",
                 f"{silent} silent differences", f"{len(self.findings)} findings"]
        if signals:
            parts.append(" ".join(f"{name} {count}" for name, count in sorted(signals.items())))
        each = 1000 * self.seconds / max(1, self.inputs)
        return ", ".join(parts) + f" in {self.seconds:.0f} s, {each:.1f} ms each"


def commit_of(root: Path) -> str:
    """The commit of the tree, and whether it was changed since."""
    run = subprocess.run(["git", "-C", root, "describe", "--always", "--dirty", "--abbrev=12",
                          "--exclude=*"], capture_output=True, text=True)
    return run.stdout.strip() or "unknown"


class Hunt:
    """One kind, one seed."""

    def __init__(self, kind: Kind, seed: int, keep: Path):
        self.kind, self.seed, self.keep = kind, seed, keep
        self.tally = Tally()
        self._waiting: dict[tuple[str, ...], list[tuple[int, Input]]] = {}

    def make(self, number: int) -> Input:
        """Input `number` of the seed."""
        return self.kind.make(random.Random(f"{self.seed}:{self.kind.name}:{number}"))

    def hunt(self, first: int, count: int | None, stop: float) -> None:
        """Inputs from number `first` on, until there were `count` of them or the time is up."""
        begin = time.monotonic()
        number = first
        while (count is None or number < first + count) and time.monotonic() < stop:
            subject = self.make(number)
            if self.kind.batch == 1:
                self.look(number, subject)
            else:
                key = (subject.tool, *subject.arguments)
                batch = self._waiting.setdefault(key, [])
                batch.append((number, subject))
                if len(batch) == self.kind.batch:
                    self.flush(key)
            number += 1
        for key in list(self._waiting):
            self.flush(key)
        self.tally.seconds = time.monotonic() - begin

    def flush(self, key: tuple[str, ...]) -> None:
        """Runs what has the same arguments at once, and one by one if that ends badly."""
        batch = self._waiting.pop(key)
        run = self.kind.run_batch([subject for _, subject in batch])
        outcome, wrong = self.kind.judge(batch[0][1], run)
        whole = self.kind.refused_whole
        if wrong or outcome not in ("ran", "refused") or (whole and whole.search(run.errors)):
            for number, subject in batch:
                self.look(number, subject)
            return
        self.tally.inputs += len(batch)
        # Each part that is refused says so, some more than once.
        refused = min(len(batch), run.errors.count("error:")) if run.code else 0
        self.tally.outcomes["refused"] += refused
        self.tally.outcomes["ran"] += len(batch) - refused

    def look(self, number: int, subject: Input) -> None:
        """Runs one input and keeps it if it is a finding of a new sort."""
        outcome, wrong = self.kind.judge(subject, self.kind.run(subject))
        self.tally.inputs += 1
        self.tally.outcomes[outcome] += 1
        if not wrong:
            return
        if wrong in self.tally.findings:
            self.tally.repeated += 1
            return
        self.tally.findings[wrong] = number
        print(f"{self.kind.name} input {number}: {wrong}", flush=True)
        if len(self.tally.findings) <= MOST:
            self.write(number, subject, outcome, wrong)

    def write(self, number: int, subject: Input, outcome: str, wrong: str) -> None:
        """Makes a finding smaller and writes it."""
        def is_same(text: str) -> bool:
            subject_ = Input(**{**vars(subject), "text": text})
            return self.kind.judge(subject_, self.kind.run(subject_))[1] == wrong

        text = subject.text
        if outcome not in ("late", "large"):
            text = (shrink(text, is_same, subject.cuts, PATIENCE) if subject.cuts
                    else shrink_json(text, is_same, PATIENCE))
        self.keep.mkdir(parents=True, exist_ok=True)
        folder = self.keep / f"{self.kind.name}-{self.seed}-{number}"
        folder.mkdir(exist_ok=True)
        parts = subject.files(text) if subject.files else {"stdin": subject.encode(text)}
        for name, data in parts.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        (folder / "text").write_bytes(text.encode("utf-8", "replace"))
        command = shlex.join([subject.tool, *subject.arguments])
        errors = self.kind.run(Input(**{**vars(subject), "text": text})).errors
        (folder / "about").write_text(
            f"{wrong}\n{command}\nseed {self.seed}, input {number}, commit {commit_of(ROOT)}\n\n"
            f"{errors[-8000:]}\n", errors="replace")
        print(f"  {command}\n  {folder}", flush=True)


def show(hunt: Hunt, number: int) -> int:
    """Prints one input and how it ends."""
    subject = hunt.make(number)
    print(subject.text, flush=True)
    run = hunt.kind.run(subject)
    outcome, wrong = hunt.kind.judge(subject, run)
    print(run.errors[-4000:], file=sys.stderr)
    print(f"{shlex.join([subject.tool, *subject.arguments])}: {outcome}, exit code {run.code}, "
          f"{run.seconds:.3f} s, {run.bytes >> 20} MB; {wrong or 'nothing wrong'}",
          file=sys.stderr)
    return 1 if wrong else 0


def main() -> int:
    """The program."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bin", type=Path, default=ROOT / "build/bin",
                        help="folder of the programs (default: build/bin)")
    parser.add_argument("--package", type=Path, default=ROOT / "build/python",
                        help="folder of the Python package (default: build/python)")
    parser.add_argument("--seed", type=int, help="of the inputs; printed if not given")
    parser.add_argument("--time", type=float, help="seconds, divided among the kinds")
    parser.add_argument("--count", type=int, help="inputs of each kind")
    parser.add_argument("--first", type=int, default=0, help="number of the first input")
    parser.add_argument("--only", type=int, help="show and run this input alone")
    parser.add_argument("--kind", action="append", choices=KINDS,
                        help="what is hunted, may be repeated (default: all)")
    parser.add_argument("--keep", type=Path, default=ROOT / "build/findings",
                        help="folder for findings (default: build/findings)")
    options = parser.parse_args()
    kinds = options.kind or list(KINDS)
    if options.only is not None and len(kinds) != 1:
        parser.error("--only needs one --kind")
    if options.only is None and options.time is None and options.count is None:
        parser.error("give --time, --count or both")
    seed = options.seed if options.seed is not None else random.SystemRandom().randrange(1 << 31)
    memory = Path("/dev/shm")
    scratch = Path(tempfile.mkdtemp(prefix="hunt-",
                                    dir=memory if os.access(memory, os.W_OK) else None))
    programs = Programs(options.bin, options.package, scratch)
    found = 0
    begin = time.monotonic()
    try:
        if options.only is None:
            print(f"hunt: seed {seed}, commit {commit_of(ROOT)}, programs of {options.bin}",
                  flush=True)
        for place, name in enumerate(kinds):
            hunt = Hunt(KINDS[name](programs), seed, options.keep.resolve())
            if options.only is not None:
                return show(hunt, options.only)
            # What one kind needed to get ready is taken from it and those that follow.
            left = float("inf")
            if options.time is not None:
                left = (options.time - (time.monotonic() - begin)) / (len(kinds) - place)
                left = max(left, LEAST)
            hunt.hunt(options.first, options.count, time.monotonic() + left)
            print(f"{name}: {hunt.tally}", flush=True)
            found += len(hunt.tally.findings)
    finally:
        programs.close()
        shutil.rmtree(scratch, ignore_errors=True)
    print(f"hunt: seed {seed}, {found} findings"
          + (f", written to {options.keep}" if found else ""), flush=True)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
