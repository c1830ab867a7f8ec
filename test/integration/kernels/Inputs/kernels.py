# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The fetch-commit kernels of examples/tcp: their input, and what came of them.

kernels.py make A,B,... DIR     writes DIR/in.npy, small numbers of that shape
kernels.py show DIR [ORDER]     prints, for every pass of DIR/config.json, both sequencers,
                                the addresses of the first writes, how many there are, the
                                padding they leave behind, and the cycles of both stages in
                                DIR/report.json; then compares DIR/out.npy with the input,
                                its axes in ORDER
"""

import itertools
import json
import pathlib
import sys

import numpy as np


def passes(commands: list[dict], rounds: tuple[int, ...] = ()) -> list[dict]:
    """The passes in the order in which they run, with the addresses of their round."""
    found = []
    for command in commands:
        if command["kind"] == "loop":
            for i in range(command["count"]):
                found += passes(command["commands"], rounds + (i,))
        elif command["kind"] == "exec":
            bases = {key: command[key]["sequencer"]["base"] for key in ("fetch", "commit")}
            for step in command.get("steps", []):
                bases[step["address"].split(".")[0]] += rounds[step["loop"]] * step["bytes"]
            found.append({"bases": bases, **command})
    return found


def text(stage: dict, base: int, last: int) -> str:
    entries = ", ".join(f"{size}:{stride}" for size, stride in stage["sequencer"]["entries"])
    return f"[{entries}] @ {base} / {last}"


def accesses(stage: dict, base: int) -> list[int]:
    """Byte addresses of the accesses, of elements of one byte."""
    entries = stage["sequencer"]["entries"]
    elements = [
        base + sum(i * stride for i, (_, stride) in zip(index, entries))
        for index in itertools.product(*(range(size) for size, _ in entries))
    ]
    size = stage["access_bytes"]
    starts = elements[::size]
    for start, at in zip(starts, range(0, len(elements), size)):
        assert elements[at:at + size] == list(range(start, start + size)), "an access is one run"
    return starts


def show(directory: pathlib.Path, order: str) -> None:
    config = json.loads((directory / "config.json").read_text())
    report = json.loads((directory / "report.json").read_text())
    timed = [c["stages"] for c in report["commands"] if "fetch" in c["stages"]]
    source, result = np.load(directory / "in.npy"), np.load(directory / "out.npy")
    ran = passes(config["commands"])
    written = []
    for one, stages in zip(ran, timed, strict=True):
        fetch, commit, bases = one["fetch"], one["commit"], one["bases"]
        print("fetch", text(fetch, bases["fetch"], fetch["access_bytes"]), "cycles", stages["fetch"])
        print("commit", text(commit, bases["commit"], commit["access_bytes"]), "cycles", stages["commit"])
        starts = accesses(commit, bases["commit"])
        print("writes", len(starts), "to", *starts[:7])
        written += [byte for start in starts for byte in range(start, start + commit["access_bytes"])]
    assert len(written) == len(set(written)), "no byte is written twice"
    padding = len(written) - source.size
    first, end = min(written), max(written) + 1
    print(f"bytes {first} to {end}, {padding} of {len(written)} are padding ({100 * padding / len(written):.1f} %)")
    print("no byte between is left out" if len(written) == end - first else "with gaps")
    axes = [int(axis) for axis in order.split(",")] if order else range(source.ndim)
    print("equals NumPy" if np.array_equal(result, source.transpose(axes)) else "differs from NumPy")


def make(shape: str, directory: pathlib.Path) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    sizes = tuple(int(size) for size in shape.split(","))
    # Exact in all f8 types.
    np.save(directory / "in.npy", np.random.default_rng(5).integers(-8, 9, sizes).astype(np.float32))


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(sys.argv[2], pathlib.Path(sys.argv[3]))
    else:
        show(pathlib.Path(sys.argv[2]), sys.argv[3] if len(sys.argv) > 3 else "")
