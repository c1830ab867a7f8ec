# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Passes that end in the cast, transpose and commit engines.

passes.py make CASE DIR   writes DIR/kernel.mlir and its inputs, DIR/in0.npy ...
passes.py show CASE DIR   prints the stages behind collect in DIR/config.json with their
                          cycles in DIR/report.json, and compares DIR/out.npy with NumPy
"""

import dataclasses
import json
import pathlib
import sys
from collections.abc import Callable

import numpy as np

TENSOR, RESULT = 0, 262144


@dataclasses.dataclass
class Case:
    """One tensor through one pass; `stages` stand between collect and commit."""

    axes: str
    type: str
    element: str  # in data memory
    time: str
    packet: str
    flit: str  # after collect; time unchanged
    commit: str  # what is committed, with its options
    host: str
    host_result: str
    to: str = ""
    stages: tuple[tuple[str, str, str, str, str], ...] = ()  # text, stage, type, time, packet
    slices: str = "1"
    result_slices: str = ""
    context: str = "main"
    expected: Callable[..., np.ndarray] | None = None


def transposed(axes: str, type: str, time: str, packet: str, out_time: str, out_packet: str, order: str, host: str,
               slices: str = "1") -> Case:
    """Fetch, collect, transpose, commit; `order` is committed and comes back as the host has it."""
    width = {"i4": 64, "i8": 32, "bf16": 16, "f16": 16, "i16": 16, "i32": 8, "f32": 8}[type]
    return Case(
        axes, type, host if slices == "1" else host.removeprefix(slices + ", "), time, packet, f"{packet} # {width}", order,
        host, host,
        stages=((f'tcp.transpose {{}} "{out_time}", "{out_packet} # {width}"', "transpose", type, out_time,
                 f"{out_packet} # {width}"),),
        slices=slices, expected=lambda a: a,
    )


CASES = {
    # Transpose Engine, Examples.
    "basic": transposed("P = 256, C = 8, D = 8, E = 8", "i8", "C, D", "E", "C, E", "D", "C, E, D", "P, C, D, E", "P"),
    "small": transposed("P = 64, A = 4, B = 2", "i8", "A", "B # 8", "B", "A", "B, A # 8", "P, A, B", "P"),
    "large_columns": transposed(
        "P = 256, B = 2, C = 8, D = 4, E = 8", "i8", "B, C, D", "E", "B, D, E", "C", "B, D, E, C", "P, B, C, D, E", "P"
    ),
    "bf16": transposed("P = 256, C = 8, D = 4, E = 8", "bf16", "C, D", "E", "C, E", "D", "C, E, D", "P, C, D, E", "P"),
    # Sixteen columns, the most that two buffers take in turn.
    "two_packets": transposed("B = 4, C = 8, D = 2, E = 8", "i8", "B, C, D", "E", "B, D, E", "C", "B, D, E, C", "B, C, D, E"),
    # Half bytes cannot be put back in order by DMA.
    "nibbles": dataclasses.replace(
        transposed("B = 2, R = 16, H = 16", "i4", "B, R", "H", "B, H", "R", "B, H, R", "B, R, H"),
        host_result="B, H, R", expected=lambda a: a.transpose(0, 2, 1),
    ),
    "nibbles_two_packets": dataclasses.replace(
        transposed("B = 2, R = 16, G = 2, H = 16", "i4", "B, R, G", "H", "B, G, H", "R", "B, G, H, R", "B, R, G, H"),
        host_result="B, G, H, R", expected=lambda a: a.transpose(0, 2, 3, 1),
    ),
    "words": transposed("B = 4, R = 2, H = 8", "f32", "B, R", "H", "B, H", "R", "B, H, R", "B, R, H"),
    # Rows of padding come out as padding behind the data of a flit.
    "trimmed": transposed("B = 3, R = 8, H = 5", "i8", "B, R", "H # 8", "B, H", "R", "B, H, R", "B, R, H"),
    # Vector engine, cast, transpose.
    "behind_cast": Case(
        "B = 4, R = 8, H = 8", "i32", "B, R, H", "B, R", "H", "H", "B, H, R", "B, R, H", "B, R, H", to="i8",
        stages=(
            ('tcp.cast {} i8 "H # 32"', "cast", "i8", "B, R", "H # 32"),
            ('tcp.transpose {} "B, H", "R # 32"', "transpose", "i8", "B, H", "R # 32"),
        ),
        expected=lambda a: a.astype(np.int8),
    ),
    # Cast Engine, Examples.
    "cast": Case(
        "B = 4, A = 8", "i32", "B, A", "B", "A", "A", "B, A", "B, A", "B, A", to="i8",
        stages=(('tcp.cast {} i8 "A # 32"', "cast", "i8", "B", "A # 32"),), expected=lambda a: a.astype(np.int8),
    ),
    "cast_commit": Case(
        "P = 256, M = 16, N = 8", "f32", "M, N", "M", "N", "N", "M, N # 16", "P, M, N", "P, M, N", to="bf16", slices="P",
        stages=(('tcp.cast {} bf16 "N # 16"', "cast", "bf16", "M", "N # 16"),), expected=lambda a: a,
    ),
    # Commit Engine, Truncating and Commit Sequencer.
    "i8_padding_truncation": Case(
        "M = 4, K = 2, W = 8", "i8", "M, K, W", "M, K", "W", "W # 32", "M, K, W", "M, K, W", "M, K, W", expected=lambda a: a
    ),
    "f32_truncation": Case(
        "M = 4, K = 2, W = 8", "f32", "M, K, W", "M, K", "W", "W", "M, K, W = 4", "M, K, W", "M, K, W = 4",
        expected=lambda a: a[:, :, :4],
    ),
    "bf16_truncation_with_transpose": Case(
        "M = 4, K = 2, N = 16", "bf16", "M, K, N", "M, K", "N", "N", "K, M, N = 8", "M, K, N", "K, M, N = 8",
        expected=lambda a: a[:, :, :8].transpose(1, 0, 2),
    ),
    "i4_with_transpose": Case(
        "M = 4, K = 2, J = 64", "i4", "M, K, J", "M, K", "J", "J", "K, M, J", "M, K, J", "K, M, J",
        expected=lambda a: a.transpose(1, 0, 2),
    ),
    "transpose": Case(
        "M = 4, K = 2, W = 8", "f32", "M, K, W", "M, K", "W", "W", "K, M, W", "M, K, W", "K, M, W",
        expected=lambda a: a.transpose(1, 0, 2),
    ),
    "padding_chunking": Case(
        "M = 4, K = 2, W = 8", "i8", "K, M, W", "K", "M, W", "M, W", "K, M, W # 16", "K, M, W", "K, M, W",
        expected=lambda a: a,
    ),
    "sub_truncation": Case(
        "M = 4, K = 2, W = 16", "i8", "M, K, W", "M, K", "W", "W # 32", "M, K, W", "M, K, W", "M, K, W", context="sub",
        expected=lambda a: a,
    ),
    # Slice Bitmap.
    "slice_0": Case(
        "I = 256, A = 8", "i32", "A", "1", "A", "A", 'A" slices "I = 1 # 256', "I, A", "I = 1, A", slices="I",
        result_slices="I = 1 # 256", expected=lambda a: a[:1],
    ),
    "all_but_slice_0": Case(
        "I = 256, A = 8", "i32", "A", "1", "A", "A", 'A" slices "I @ 1 = 255 # 256 @ 1', "I, A", "I @ 1 = 255, A", slices="I",
        result_slices="I @ 1 = 255 # 256 @ 1", expected=lambda a: a[1:],
    ),
}

NUMPY = {"i4": np.int8, "i8": np.int8, "i16": np.int16, "i32": np.int32}


def kernel(case: Case) -> str:
    to = case.to or case.type
    grid = lambda slices: f'#tcp.grid<#axes, chip "1", cluster "1", slice "{slices}">'
    stream = lambda stage, type, time, packet: f'<{case.context} {stage} {type}, #grid, "{time}", "{packet}">'
    element = case.commit.split('"')[0]
    lines, last = [], ("collect", case.type, case.time, case.flit)
    for i, (text, stage, type, time, packet) in enumerate(case.stages):
        lines.append(f"    %{3 + i} = {text.format(f'%{2 + i}')} : {stream(*last)}")
        last = (stage, type, time, packet)
    end = 2 + len(case.stages)
    body = "\n".join(lines)
    return f"""#axes = #stream.axes<{case.axes}>
#grid = {grid(case.slices)}
#result = {grid(case.result_slices or case.slices)}
!HostIn = !tcp.host<{case.type}, #axes, "{case.host}">
!HbmIn = !tcp.hbm<{case.type}, #axes, "1", "{case.host}">
!Dm = !tcp.dm<{case.type}, #grid, "{case.element}">
!Result = !tcp.dm<{to}, #result, "{element}">
!HbmOut = !tcp.hbm<{to}, #axes, "1", "{case.host_result}">
!HostOut = !tcp.host<{to}, #axes, "{case.host_result}">
module attributes {{tcp.target = #tcp.target<"rngd", chips = 1, mode = unit>}} {{
  func.func @main(%in: !HostIn) -> !HostOut {{
    %hbm = tcp.to_hbm %in at 0 : !HostIn -> !HbmIn
    %out = tcp.launch @kernel(%hbm) : (!HbmIn) -> !HbmOut
    %result = tcp.to_host %out : !HbmOut -> !HostOut
    return %result : !HostOut
  }}
  func.func @kernel(%hbm: !HbmIn) -> !HbmOut {{
    %dm = tcp.to_dm %hbm at {TENSOR} : !HbmIn -> !Dm
    %0 = tcp.begin {case.context} %dm : !Dm
    %1 = tcp.fetch %0 {case.type} "{case.time}", "{case.packet}" : {stream("begin", case.type, "1", case.element)}
    %2 = tcp.collect %1 "{case.time}", "{case.flit}" : {stream("fetch", case.type, case.time, case.packet)}
{body}
    %c = tcp.commit %{end} at {RESULT} "{case.commit}" : {stream(*last)}
    %h = tcp.to_hbm %c at 16777216 : !Result -> !HbmOut
    return %h : !HbmOut
  }}
}}
"""


def make(case: Case, directory: pathlib.Path) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "kernel.mlir").write_text(kernel(case))
    sizes = {axis.split("=")[0].strip(): int(axis.split("=")[1]) for axis in case.axes.split(",")}
    shape = tuple(sizes[axis.strip()] for axis in case.host.split(","))
    rng = np.random.default_rng(11)
    low = -8 if case.type == "i4" else -100
    data = rng.integers(low, -low, shape)
    np.save(directory / "in0.npy", data.astype(NUMPY.get(case.type, np.float32)))


def bitmap(words: list[str]) -> str:
    return " ".join(digits[:8] + ".." + digits[-8:] for digits in words)


def show(case: Case, directory: pathlib.Path) -> None:
    config = json.loads((directory / "config.json").read_text())
    report = json.loads((directory / "report.json").read_text())
    exec_ = next(c for c in config["commands"] if c["kind"] == "exec")
    stages = next(c["stages"] for c in report["commands"] if "fetch" in c["stages"])
    for name in ("cast", "transpose"):
        if stage := exec_.get(name):
            fields = " ".join(f"{key} {value}" for key, value in sorted(stage.items()))
            print(name, fields, "cycles", stages[name])
    commit = exec_["commit"]
    entries = ", ".join(f"{size}:{stride}" for size, stride in commit["sequencer"]["entries"])
    print(
        f"commit [{entries}] commit_in {commit['commit_in_bytes']} commit_size {commit['access_bytes']} "
        f"cycles {stages['commit']}"
    )
    if "slices" in commit:
        print("slices", bitmap(commit["slices"]))
    got, wanted = np.load(directory / "out.npy"), case.expected(np.load(directory / "in0.npy"))
    print("equals NumPy" if np.array_equal(got, wanted) else "differs from NumPy")


if __name__ == "__main__":
    action, name, where = sys.argv[1:]
    {"make": make, "show": show}[action](CASES[name], pathlib.Path(where))
