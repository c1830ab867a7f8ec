# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small kernels around one fetch: what is fetched is collected and committed.

fetch.py make CASE DIR    writes DIR/kernel.mlir and its inputs, DIR/in0.npy ...
fetch.py show CASE DIR    prints the fetch stage in DIR/config.json with the cycles in
                          DIR/report.json; compares DIR/out.npy with NumPy if the case
                          says what it is
"""

import dataclasses
import json
import pathlib
import sys
from collections.abc import Callable

import numpy as np

# Where the tensors are in data memory; the second one of an interleaved fetch.
TENSOR, SECOND, RESULT = 64, 131136, 262144


@dataclasses.dataclass
class Case:
    axes: str
    type: str
    element: str  # in data memory
    time: str
    packet: str
    flit_time: str
    flit: str
    result: str  # as it is committed
    to: str = ""
    clause: str = ""
    context: str = "main"
    interleaved: bool = False
    machine: str = "rngd"
    expected: Callable[..., np.ndarray] | None = None
    inputs: Callable[[tuple[int, ...]], np.ndarray] | None = None


NCHW = "N = 4, C = 3, H = 4, W = 8"
PADDED = "B # 92 @ 2 # 96"  # two before, four behind

CASES = {
    # Fetch Sequencer, contiguous accesses; Batching.
    "fully_contiguous": Case(NCHW, "i8", "N, C, H, W", "N, C, H", "W", "N, C, H", "W # 32", "N, C, H, W"),
    "three_axes_non_contiguous": Case(NCHW, "i8", "N, C, H, W", "C", "N, H, W", "C, N", "H, W", "C, N, H, W"),
    "four_axes_non_contiguous": Case(
        NCHW, "i8", "N, C, H, W", "1", "N, H, C, W", "[N, H, C, W] / 32", "[N, H, C, W] % 32", "N, H, C, W"
    ),
    "fetch_batch_2": Case(
        NCHW, "i8", "N, C, H, W", "N, C, H / 2", "H % 2, W", "N, C, H / 2", "[H % 2, W] # 32", "N, C, H, W"
    ),
    "fetch_batch_3": Case(NCHW, "i8", "N, C, H, W", "N, C", "H, W", "N, C", "H, W", "N, C, H, W"),
    "fetch_batch_4": Case(NCHW, "i8", "N, C, H, W", "N", "C, H, W", "N, C", "H, W", "N, C, H, W"),
    # Padding Packets.
    "packet_c": Case("A = 3, B = 5, C = 2", "f8E4M3FN", "A, B, C", "A, B", "C", "A, B", "C # 32", "A, B, C"),
    "packet_bc": Case(
        "A = 3, B = 5, C = 2", "f8E4M3FN", "[A, B, C] # 32 / 8, [A, B, C] # 32 % 8", "A", "[B, C] # 16", "A", "[B, C] # 32", "A, [B, C] # 16"
    ),
    "packet_abc": Case(
        "A = 3, B = 5, C = 2", "f8E4M3FN", "[A, B, C] # 32 / 8, [A, B, C] # 32 % 8", "1", "[A, B, C] # 32", "1", "[A, B, C] # 32", "[A, B, C] # 32"
    ),
    # Masking.
    "masking": Case("A = 63", "i8", "A # 64 / 8, A # 64 % 8", "1", "A # 64", "A # 64 / 32", "A # 64 % 32", "A # 64"),
    "masking_lowest": Case(
        "A = 63", "i8", "A # 64 / 8, A # 64 % 8", "1", "A # 64", "A # 64 / 32", "A # 64 % 32", "A # 64", clause="pad_value -128 : i8"
    ),
    "padding_case_1": Case(
        "A = 32, B = 90", "i8", "A, B # 96 / 8, B # 96 % 8",
        f"A, [{PADDED}] / 32", f"[{PADDED}] % 32", f"A, [{PADDED}] / 32", f"[{PADDED}] % 32",
        f"A, {PADDED}",
    ),
    "padding_case_2": Case(
        "A = 32, B = 90", "i8", "A, B # 96 / 8, B # 96 % 8",
        f"[{PADDED}] / 32, A", f"[{PADDED}] % 32", f"[{PADDED}] / 32, A", f"[{PADDED}] % 32",
        f"A, {PADDED}",
    ),
    "padding_case_3": Case(
        "A = 32, B = 97", "f32", "A, B # 128 / 8, B # 128 % 8",
        "A, B # 128 / 16, 1", "B # 128 % 16", "A, B # 128 / 8", "B # 128 % 8", "A, B # 128",
    ),
    # Two loops over the padded axis, which one count per index serves.
    "padding_split": Case(
        "A = 4, B = 200", "i8", "A, B # 256",
        "B # 256 / 128, A, B # 256 / 32 % 4", "B # 256 % 32",
        "B # 256 / 128, A, B # 256 / 32 % 4", "B # 256 % 32", "A, B # 256",
    ),
    # The padding of a packet of several entries, joined to one.
    "padding_in_packet": Case(
        "A = 4, B = 20", "i8", "A, B # 32 / 8, B # 32 % 8", "A", "B # 32 / 8, B # 32 % 8", "A", "B # 32", "A, B # 32"
    ),
    # No mask fits, and nobody needs one.
    "padding_unmasked": Case(
        "A = 96", "i8", "A # 288", "A # 288 / 32", "A # 288 % 32", "A # 288 / 32", "A # 288 % 32", "A # 288"
    ),
    # Table Indexing, Type Casting, Zero-Point Subtraction.
    "table": Case(
        "A = 8", "i8", "A", "1", "A", "1", "A # 32", "A",
        clause="table dense<" + str([2 * x if x < 64 else 0 for x in range(256)]) + "> : tensor<256xi8>",
        inputs=lambda shape: np.arange(8, dtype=np.int8), expected=lambda a: 2 * a,
    ),
    "type_cast": Case(
        "A = 8", "i8", "A", "1", "A", "1", "A", "A", to="i32",
        inputs=lambda shape: np.arange(8, dtype=np.int8), expected=lambda a: a.astype(np.int32),
    ),
    "matrix": Case("A = 512, B = 32", "i8", "A, B", "A", "B", "A, B / 8", "B % 8", "A, B", to="i32"),
    "widen_i4": Case("A = 512, B = 32", "i4", "A, B", "A", "B", "A, B / 8", "B % 8", "A, B", to="i32"),
    "widen_i4_sub": Case(
        "A = 512, B = 32", "i4", "A, B", "A, B / 8", "B % 8", "A, B / 8", "B % 8", "A, B", to="i32", context="sub"
    ),
    "widen_f8_rngd_s": Case(
        "A = 512, B = 32", "f8E5M2", "A, B", "A", "B", "A, B / 16", "B % 16", "A, B", to="bf16", machine="rngd-s"
    ),
    "zero_point": Case(
        "A = 8", "i8", "A", "1", "A", "1", "A", "A", to="i32", clause="zero_points [10]",
        inputs=lambda shape: np.arange(8, dtype=np.int8), expected=lambda a: a.astype(np.int32) - 10,
    ),
    "zero_point_sub": Case(
        "A = 512", "i8", "A", "A / 8", "A % 8", "A / 8", "A % 8", "A", to="i32", clause="zero_points [-7]", context="sub"
    ),
    "zero_points": Case(
        "A = 8, I = 2", "i8", "A", "I", "A", "I", "A", "I, A", to="i32", clause="zero_points [100, -100]",
        interleaved=True, inputs=lambda shape: np.arange(8, dtype=np.int8),
        expected=lambda a, b: np.stack([a.astype(np.int32) - 100, b.astype(np.int32) + 100]),
    ),
    # Interleaving Tensors; the order in memory is the order in time.
    "interleaved": Case(
        "A = 512, B = 32, I = 2", "i8", "A, B", "A, I", "B", "A, I", "B", "A, I, B", interleaved=True,
        expected=lambda a, b: np.stack([a, b], axis=1),
    ),
    "split_reduce": Case(
        "A = 64, B = 32, I = 2", "bf16", "A, B", "A, I", "B", "A, I, B / 8", "B % 8", "A, I, B", to="f32",
        interleaved=True,
    ),
    # Three places of eight bytes: batching, and no access of 24 bytes.
    "packet_of_24": Case(
        "A = 4, B = 3, C = 8", "i8", "B, A, C", "A", "B, C", "A", "[B, C] # 32", "A, B, C"
    ),
    "five_accesses": Case(
        "A = 4, B = 5, C = 8", "i8", "B, A, C", "A", "B, C", "A, [[B, C] # 64] / 32", "[[B, C] # 64] % 32", "A, [B, C] # 64"
    ),
    "dual_channel": Case(
        NCHW, "i8", "N, C, H, W", "N", "C, H, W", "N, C", "H, W", "N, C, H, W", clause="dual_channel"
    ),
}

NUMPY = {"i4": np.int8, "i8": np.int8, "i16": np.int16, "i32": np.int32}


def names(case: Case) -> list[str]:
    """The axes of a tensor as the host sees it: in the order they are declared."""
    used = [axis.split("=")[0].strip() for axis in case.axes.split(",")]
    return used


def sizes(case: Case) -> dict[str, int]:
    return {axis.split("=")[0].strip(): int(axis.split("=")[1]) for axis in case.axes.split(",")}


def kernel(case: Case) -> str:
    to = case.to or case.type
    axes = [axis for axis in names(case) if not (case.interleaved and axis == "I")]
    host = ", ".join(axes)
    # The result has the interleaved axis where it was committed.
    host_result = ", ".join(a for a in ["A", "I", "B"] if a in names(case)) if case.interleaved else host
    if case.interleaved and "A" in axes and "B" not in axes:
        host_result = "I, A"
    # The tensor DMA moves whole words: padded tensors have their padding in HBM too.
    hbm = case.element if "#" in case.element else host
    count = 2 if case.interleaved else 1
    many = lambda text, sep=", ": sep.join(text.format(i=i, at=[TENSOR, SECOND][i], hbm=i << 20) for i in range(count))
    begin = (
        f'tcp.begin_interleaved {case.context} "I" %dm0, %dm1 : !Dm' if case.interleaved
        else f"tcp.begin {case.context} %dm0 : !Dm"
    )
    stream = lambda stage, type, time, packet: f'<{case.context} {stage} {type}, #grid, "{time}", "{packet}">'
    begun = stream("begin", case.type, "I" if case.interleaved else "1", case.element)
    inputs = ", ".join(["!HbmIn"] * count)
    return f"""#axes = #stream.axes<{case.axes}>
#grid = #tcp.grid<#axes, chip "1", cluster "1", slice "1">
!HostIn = !tcp.host<{case.type}, #axes, "{host}">
!HbmIn = !tcp.hbm<{case.type}, #axes, "1", "{hbm}">
!Dm = !tcp.dm<{case.type}, #grid, "{case.element}">
!Result = !tcp.dm<{to}, #grid, "{case.result}">
!HbmOut = !tcp.hbm<{to}, #axes, "1", "{host_result}">
!HostOut = !tcp.host<{to}, #axes, "{host_result}">
module attributes {{tcp.target = #tcp.target<"{case.machine}", chips = 1, mode = unit>}} {{
  func.func @main({many("%in{i}: !HostIn")}) -> !HostOut {{
    {many("%hbm{i} = tcp.to_hbm %in{i} at {hbm} : !HostIn -> !HbmIn", chr(10) + "    ")}
    %out = tcp.launch @kernel({many("%hbm{i}")}) : ({inputs}) -> !HbmOut
    %result = tcp.to_host %out : !HbmOut -> !HostOut
    return %result : !HostOut
  }}
  func.func @kernel({many("%hbm{i}: !HbmIn")}) -> !HbmOut {{
    {many("%dm{i} = tcp.to_dm %hbm{i} at {at} : !HbmIn -> !Dm", chr(10) + "    ")}
    %0 = {begin}
    %1 = tcp.fetch %0 {to} "{case.time}", "{case.packet}" {case.clause} : {begun}
    %2 = tcp.collect %1 "{case.flit_time}", "{case.flit}" : {stream("fetch", to, case.time, case.packet)}
    %3 = tcp.commit %2 at {RESULT} "{case.result}" : {stream("collect", to, case.flit_time, case.flit)}
    %4 = tcp.to_hbm %3 at 16777216 : !Result -> !HbmOut
    return %4 : !HbmOut
  }}
}}
"""


def make(case: Case, directory: pathlib.Path) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "kernel.mlir").write_text(kernel(case))
    shape = tuple(n for axis, n in sizes(case).items() if not (case.interleaved and axis == "I"))
    rng = np.random.default_rng(7)
    for i in range(2 if case.interleaved else 1):
        if case.inputs:
            data = case.inputs(shape)
        elif case.type in NUMPY:
            low = {"i4": -8, "i8": -128, "i16": -32768}.get(case.type, -(2**31))
            data = rng.integers(low, -low, shape).astype(NUMPY[case.type])
        else:
            data = rng.integers(-8, 8, shape).astype(np.float32)
        np.save(directory / f"in{i}.npy", data)


def show(case: Case, directory: pathlib.Path) -> None:
    config = json.loads((directory / "config.json").read_text())
    report = json.loads((directory / "report.json").read_text())
    fetch = next(c for c in config["commands"] if c["kind"] == "exec")["fetch"]
    sequencer = fetch["sequencer"]
    entries = ", ".join(f"{size}:{stride}" for size, stride in sequencer["entries"])
    packet = fetch["packet_elements"]
    print(f"[{entries}]:{packet} @ {sequencer['base'] - TENSOR}")
    cycles = next(c["stages"]["fetch"] for c in report["commands"] if "fetch" in c["stages"])
    print(f"fetch_size {fetch['access_bytes']} fetches_per_packet {fetch['fetches_per_packet']} cycles {cycles}")
    if mask := fetch.get("mask"):
        dim = mask.get("last_dim_rightmost_valid_count_dim")
        print(
            f"last_dim {mask['last_dim']} left_pad {mask['left_pad']} "
            f"valid {mask['last_dim_rightmost_valid_count']} count_dim {dim} pad_value {mask['pad_value']}"
        )
    else:
        print("no mask")
    if case.expected:
        inputs = [np.load(directory / f"in{i}.npy") for i in range(2 if case.interleaved else 1)]
        same = np.array_equal(np.load(directory / "out.npy"), case.expected(*inputs))
        print("equals NumPy" if same else "differs from NumPy")


if __name__ == "__main__":
    action, name, where = sys.argv[1:]
    {"make": make, "show": show}[action](CASES[name], pathlib.Path(where))
