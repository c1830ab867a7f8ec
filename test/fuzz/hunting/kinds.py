# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kinds of inputs: what a hunter makes, how it is run, and when a run has ended badly."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from .forked import Programs, Run
from .mutation import lines_of, tokens_of

ROOT = Path(__file__).resolve().parents[3]
#: Between inputs of one run, as --split-input-file has it.
SEPARATOR = "\n// -----\n"
#: A line of LLVM's stack: a file, an address, and the function if it is exported.
FRAME = re.compile(r"^\d+\s+(\S+)\s+(0x[0-9a-f]+) ?(.*)$", re.MULTILINE)
SANITIZER = re.compile(r"runtime error: .*|AddressSanitizer: [\w-]+")
SOURCE = re.compile(r"((?:lib|include|tools|python)/(?:sequin/)?\w+/\S*?:\d+)")


@dataclass
class Input:
    """An input and the program that takes it."""

    tool: str
    arguments: tuple[str, ...]
    text: str
    """What is changed and made smaller."""
    files: Callable[[str], dict[str, bytes]] | None = None
    """Files that the text is written as; without it, it is what stdin has."""
    encode: Callable[[str], bytes] = lambda text: text.encode("utf-8", "replace")
    """What stdin has of the text."""
    check: Callable[[Input, Run], str] | None = None
    """What is wrong with a run that seems good, in a few words; it may run more."""
    output: bool = False
    """Whether check() looks at what the run wrote to stdout."""
    cuts: Sequence[Callable[[str], Sequence[str]]] = (lines_of, tokens_of)
    """How it is made smaller; by fields if there are none."""
    facts: dict[str, object] = field(default_factory=dict)
    """What check() knows of how it was made."""


class Kind:
    """A hunter. `make` gives input number i of a seed, the same whenever it is asked."""

    name = ""
    #: How many inputs of the same arguments a run has.
    batch = 1
    #: Messages that refuse all of a run for one of its inputs.
    refused_whole: re.Pattern[str] | None = None

    def __init__(self, programs: Programs):
        self.programs = programs
        self.directory = programs.scratch / self.name
        self.directory.mkdir(exist_ok=True)

    def make(self, random: Random) -> Input:
        """A new input."""
        raise NotImplementedError

    def run(self, subject: Input) -> Run:
        """Runs one input."""
        server = self.programs.get(subject.tool)
        if subject.files is None:
            return server.run(subject.arguments, subject.encode(subject.text), self.directory,
                              subject.output)
        written = []
        for name, data in subject.files(subject.text).items():
            path = self.directory / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
            written.append(path)
        run = server.run(subject.arguments, b"", self.directory, subject.output)
        for path in written:
            path.unlink(missing_ok=True)
        return run

    def run_batch(self, inputs: Sequence[Input]) -> Run:
        """Runs inputs that have the same arguments, at once."""
        first = inputs[0]
        text = SEPARATOR.join(subject.text for subject in inputs)
        return self.programs.get(first.tool).run(
            [*first.arguments, "--split-input-file"], first.encode(text), self.directory)

    def judge(self, subject: Input, run: Run) -> tuple[str, str]:
        """Whether it ran, trapped or was refused, and what is wrong in a few words that are the
        same for the same reason; mostly nothing."""
        if run.late:
            return "late", "over 20 s"
        if run.is_large:
            return "large", "over 4 GB"
        if run.signal:
            return "signal", f"{run.signal} {place_of(run.errors)}".strip()
        if found := SANITIZER.search(run.errors):
            return "signal", f"{found[0]} {place_of(run.errors)}".strip()
        outcome = {0: "ran", 1: "refused", 2: "refused", 3: "trapped"}.get(run.code, "signal")
        if outcome == "signal":
            return outcome, f"exit code {run.code} {last_line(run.errors)}"
        if wrong := self.check(subject, run):
            return outcome, wrong
        return outcome, ""

    def check(self, subject: Input, run: Run) -> str:
        """What is wrong although no signal came."""
        if subject.check is not None and (wrong := subject.check(subject, run)):
            return wrong
        if run.code and "error:" not in run.errors:
            return f"exit code {run.code} without an error"
        return ""


def last_line(text: str) -> str:
    """The last line that says something."""
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1].strip()[:100] if lines else ""


def place_of(errors: str) -> str:
    """Where a run died, by source or by places in the binary."""
    for line in errors.splitlines():
        if "/usr/" not in line and (found := SOURCE.search(line)):
            return found[1]
    frames = FRAME.findall(errors)
    # The first ones print the stack; the signal came in what is below libc.
    below = max((i for i, (file, _, _) in enumerate(frames[:8]) if file.startswith("libc.so")),
                default=-1)
    return " < ".join(name.split("(")[0] or f"{file} {address.lstrip('0x')}"
                      for file, address, name in frames[below + 1:][:3])


# ===--- What programs there are ------------------------------------------=== #


def mlir_programs(refused: bool = False) -> dict[str, list[str]]:
    """The MLIR programs of tests and examples by what they are for, without comments; those
    that expect an error only if they are asked for."""
    found: dict[str, list[str]] = {"linalg": [], "tcp": [], "csl": []}
    for path in sorted([*ROOT.glob("test/**/*.mlir"), *ROOT.glob("examples/**/*.mlir")]):
        for text in re.split(r"^//(?: -----|---).*$", path.read_text(errors="replace"), flags=re.M):
            if "expected-error" in text and not refused:
                continue
            text = re.sub(r"^\s*//.*\n", "", text, flags=re.M).strip()
            if not text or len(text) > 20000:
                continue
            if "csl." in text:
                found["csl"].append(text)
            elif "tcp." in text:
                found["tcp"].append(text)
            elif "linalg" in text or "tensor" in text:
                found["linalg"].append(text)
    return found


LAYOUT = re.compile(r"^layout\s*\{", re.MULTILINE)
SPLIT = re.compile(r"^(?:#|//)--- (\S+)\n", re.MULTILINE)


def csl_programs() -> Iterator[tuple[str, dict[str, str]]]:
    """The CSL programs of examples and tests: parameters, and files, that of the layout
    first."""
    def program(params: str, files: dict[str, str]) -> Iterator[tuple[str, dict[str, str]]]:
        for top in [name for name in files if LAYOUT.search(files[name])]:
            rest = {n: t for n, t in files.items() if not LAYOUT.search(t)}
            yield params, {top: files[top], **rest}

    for commands in sorted(ROOT.glob("examples/*/*/commands_wse3.sh")):
        params = re.search(r"--params=(\S+)", commands.read_text())
        yield from program(params[1] if params else "", {
            path.relative_to(commands.parent).as_posix(): path.read_text()
            for path in sorted(commands.parent.rglob("*.csl"))})
    for path in [*sorted(ROOT.glob("test/**/*.csl")), *sorted(ROOT.glob("test/**/*.test"))]:
        text = path.read_text(errors="replace")
        parts = SPLIT.split(text)
        yield from program("", {path.name: text} if len(parts) == 1 else {
            name: part for name, part in zip(parts[1::2], parts[2::2], strict=True)
            if name.endswith(".csl")})
