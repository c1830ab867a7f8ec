# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels around one contraction: the manual's snippets and case studies.

cases.py run CASE DIR [--verify]
    writes DIR/prog.mlir and its inputs, derives DIR/config.json, runs the kernel, and compares
    results with NumPy, configuration and report with the manual's numbers; exit 1 on any
    difference
cases.py print CASE
    writes the kernel to stdout

A case is what the manual states: the mappings of every stage, and the numbers that must
come out. `contract` and `to_trf` are keys of the configuration, `stages` cycles of the
main pass.
"""

from __future__ import annotations

import dataclasses
import json
import pathlib
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

FLOAT_BITS = {"bf16": 16, "f8E4M3FN": 8, "f8E5M2": 8}
INT_BITS = {"i4": 4, "i8": 8}


@dataclasses.dataclass
class Case:
    """One kernel: mappings as the manual writes them."""

    axes: str
    x: str  # host and DM mapping of the streamed operand
    w: str  # host and DM mapping of the stationary operand
    fetch: tuple[str, str]
    w_fetch: tuple[str, str]
    trf: tuple[str, str, str]  # address, row, element
    align: tuple[str, str]
    contract: str
    accumulate: tuple[str, str, str]
    out: str  # DM mapping of the result
    result: Callable[[np.ndarray, np.ndarray], np.ndarray]
    out_host: str = ""
    type: str = "bf16"
    max: bool = False
    collect: tuple[str, str] = ("", "")
    w_collect: tuple[str, str] = ("", "")
    x_dm: str = ""
    w_dm: str = ""
    grid: tuple[str, str] = ("1", "1")  # cluster, slice
    mode: str = "unit"
    expect: dict[str, Any] = dataclasses.field(default_factory=dict)
    to_trf: dict[str, Any] = dataclasses.field(default_factory=dict)
    stages: dict[str, int] = dataclasses.field(default_factory=dict)
    counters: dict[str, int] = dataclasses.field(default_factory=dict)
    cycles: int = -1


def einsum(text: str) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """The result by axis names, one letter each."""
    return lambda x, w: np.einsum(text, x, w)


def convolve(sizes: dict[str, int], stride: int, dilation: int) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """x[K, H..., W...] * w[C, K, Fh, Fw] -> [H, C, W], as the definition says."""

    def run(x: np.ndarray, w: np.ndarray) -> np.ndarray:
        out = np.zeros((sizes["H"], w.shape[0], sizes["W"]))
        for fh in range(sizes["Fh"]):
            for fw in range(sizes["Fw"]):
                rows = x[:, fh * dilation:, :]
                rows = rows[:, : (sizes["H"] - 1) * stride + 1 : stride, :]
                window = rows[:, :, fw * dilation:]
                window = window[:, :, : (sizes["W"] - 1) * stride + 1 : stride]
                out += np.einsum("khw,ck->hcw", window, w[:, :, fh, fw])
        return out

    return run


def conv_case(sizes: dict[str, int], sliding: str, dm_pad: str, windows: str, packet: str,
              stride: int, dilation: int, rows: str, collect: tuple[str, str],
              contract: str, expect: dict[str, Any], steps: int, zero: bool = False) -> Case:
    """A convolution of the manual: sliding over H by the fetch engine, over W by shifts."""
    zeros = ", 1 #z 2" if zero else ""
    columns = expect["columns"]
    time = f"H, C / 8, Fh, K, {windows}"
    return Case(
        axes=", ".join(f"{name} = {size}" for name, size in sizes.items()),
        x=f"K, {rows}, {sliding}",
        w="C, K, Fh, Fw",
        # In the order of the TRF, so that it is one contiguous load.
        w_dm=f"C % 8, K, C / 8, Fh, Fw{zeros}",
        fetch=("H, C / 8, Fh, K", f"{sliding}{dm_pad}"),
        collect=(f"H, C / 8, Fh, K, {collect[0]}", collect[1]),
        w_fetch=("C % 8", f"K, C / 8, Fh, Fw{zeros}"),
        w_collect=(f"C % 8, [K, C / 8, Fh, Fw{zeros}] / 16", f"[K, C / 8, Fh, Fw{zeros}] % 16"),
        trf=("Full", "C % 8", f"K, C / 8, Fh, Fw{zeros}"),
        align=(time, packet),
        contract=contract,
        accumulate=("Sequential", f"H, C / 8, C % 8, {contract} / 8", f"{contract} % 8"),
        out=f"H, C, {contract}",
        out_host="H, C, W",
        result=convolve(sizes, stride, dilation),
        expect=expect,
        stages={"contract": steps, "accumulate": sizes["H"] * 24 * columns // 8},
    )


CASES: dict[str, Case] = {
    # ALN-01: collection of two flits, packet broadcast, time permutation.
    "batched": Case(
        axes="M = 32, N = 8, K = 16, L = 2, O = 2",
        x="M, O, L, K", w="N, O, M, K",
        fetch=("M, O, L", "K"), w_fetch=("N, O, M", "K"),
        trf=("FirstHalf", "N", "O, M, K"),
        align=("M, O", "L, K"), contract="L",
        accumulate=("Interleaved", "M, O, L", "N"), out="M, O, L, N",
        result=einsum("molk,nomk->moln"),
        expect={"collect_flits": 2, "reg_read_bytes": 32, "rows": 8, "depth": 4,
                "columns": 2, "time_broadcast": 1, "trf_address": "first_half",
                # The manual's dump is innermost first, in bytes: O {2, 1024}, M {32, 32}.
                "trf.entries": [[32, 32 // 2], [2, 1024 // 2]]},
        to_trf={"bytes_per_row": 2048, "rows": 8},
        stages={"collect": 128, "contract": 64, "accumulate": 128},
    ),
    # ALN-05
    "two_flits": Case(
        axes="M = 32, N = 8, K = 16, L = 2, O = 2",
        x="M, O, L, K", w="N, O, K",
        fetch=("M, O, L", "K"), w_fetch=("N, O", "K"),
        trf=("Full", "N", "O, K"),
        align=("M, O", "L, K"), contract="L",
        accumulate=("Interleaved", "M, O, L", "N"), out="M, O, L, N",
        result=einsum("molk,nok->moln"),
        expect={"collect_flits": 2, "rows": 8, "reg_read_bytes": 32,
                "trf.entries": [[32, 0], [2, 16]]},
        stages={"contract": 64},
    ),
    # ALN-06: the upper half of the packet is zero.
    "one_flit": Case(
        axes="M = 32, N = 8, K = 16",
        x="M, K", w="N, K",
        fetch=("M", "K"), w_fetch=("N", "K"),
        trf=("Full", "N", "K"),
        align=("M", "K # 32"), contract="1",
        accumulate=("Interleaved", "M", "N"), out="M, N",
        result=einsum("mk,nk->mn"),
        expect={"collect_flits": 1, "time_broadcast": 1, "rows": 8, "depth": 5,
                "trf.entries": [[32, 0]]},
        stages={"contract": 32},
    ),
    # ALN-07, ALN-04: T is only in the TRF; every packet is used five times.
    "time_broadcast": Case(
        axes="M = 32, N = 8, K = 16, T = 5",
        x="M, K", w="N, T, K",
        fetch=("M", "K"), w_fetch=("N, T", "K"),
        trf=("Full", "N", "T, K"),
        align=("M, T", "K # 32"), contract="1",
        accumulate=("Interleaved", "M, T", "N"), out="M, T, N",
        result=einsum("mk,ntk->mtn"),
        expect={"collect_flits": 1, "time_broadcast": 5,
                "trf.entries": [[32, 0], [5, 16]]},
        stages={"collect": 32, "contract": 160},
    ),
    # TRF-11: 64-byte reads, one weight packet for all packets.
    "weight_broadcast": Case(
        axes="M = 32, N = 8, K = 32",
        x="M, K", w="N, K",
        fetch=("M, K / 16", "K % 16"), w_fetch=("N, K / 16", "K % 16"),
        trf=("Full", "N", "K"),
        align=("M", "K"), contract="1",
        accumulate=("Interleaved", "M", "N"), out="M, N",
        result=einsum("mk,nk->mn"),
        expect={"reg_read_bytes": 64, "trf.entries": [[32, 0]], "trf.base": 0,
                "trf_address": "full"},
        to_trf={"bytes_per_row": 64, "short_command": True},
        stages={"contract": 32, "accumulate": 32},
        # One miss per column, then the cache serves both.
        counters={"trf_cache_misses": 2, "trf_cache_hits": 62},
    ),
    # TRF-12
    "small_read": Case(
        axes="N = 8, K = 16, L = 2, O = 2, M = 32",
        x="O, M, L, K", w="N, O, K",
        fetch=("O, M, L", "K"), w_fetch=("N, O", "K"),
        trf=("FirstHalf", "N", "O, K"),
        align=("O, M", "L, K"), contract="L",
        accumulate=("Interleaved", "O, M, L", "N"), out="O, M, L, N",
        result=einsum("omlk,nok->omln"),
        # Innermost first: M {32, 0}, O {2, 32 bytes}.
        expect={"reg_read_bytes": 32, "trf.entries": [[2, 32 // 2], [32, 0]],
                "trf_address": "first_half"},
    ),
    # RED-02: a tree of depth 5 over 32 elements.
    "matmul": Case(
        axes="A = 32, B = 32, C = 8",
        x="A, B", w="C, B",
        fetch=("A, B / 16", "B % 16"), w_fetch=("C, B / 16", "B % 16"),
        trf=("Full", "C", "B"),
        align=("A", "B"), contract="1",
        accumulate=("Interleaved", "A", "C"), out="A, C",
        result=einsum("ab,cb->ac"),
        expect={"depth": 5, "columns": 1},
        stages={"contract": 32, "tree": 5},
    ),
    # RED-08: sixteen packets, eight sums.
    "temporal": Case(
        axes="A = 2048, B = 8", grid=("1", "A / 8"),
        x="A, B", x_dm="A % 8, B", w="B",
        fetch=("B / 4, A % 8", "B % 4"), collect=("B / 4, A % 8", "B % 4 # 16"),
        w_fetch=("1", "B"), w_collect=("1", "B # 16"),
        trf=("Full", "1", "B # 16"),
        align=("B / 4, A % 8", "B % 4 # 32"), contract="1",
        accumulate=("Interleaved", "A % 8", "1 # 8"), out="A % 8, 1 # 8",
        out_host="A",
        result=einsum("ab,b->a"),
        expect={"columns": 1,
                "loops": [{"size": 2, "slot_stride": 0, "reduced": True},
                          {"size": 8, "slot_stride": 1, "reduced": False}]},
        stages={"contract": 16, "accumulate": 8},
    ),
    # RED-11, RED-10
    "interleaved": Case(
        axes="M = 4, N = 8, K = 64",
        x="M, K", w="N, K",
        fetch=("K / 16, M", "K % 16"), w_fetch=("N, K / 16", "K % 16"),
        trf=("Full", "N", "K"),
        align=("K / 16, M", "K % 16 # 32"), contract="K % 16 / 4",
        accumulate=("Interleaved", "M, K % 16 / 4", "N"), out="M, K % 16 / 4, N",
        result=lambda x, w: np.einsum("makb,nakb->mkn", x.reshape(4, 4, 4, 4),
                                      w.reshape(8, 4, 4, 4)),
        expect={"depth": 2, "columns": 4, "kind": "interleaved",
                "loops": [{"size": 4, "slot_stride": 0, "reduced": True},
                          {"size": 4, "slot_stride": 1, "reduced": False}]},
        stages={"contract": 16, "accumulate": 16, "tree": 2},
        # 16 of 128 columns, in all eight rows.
        counters={"accumulator_used": 128, "accumulator_taken": 128,
                  "accumulator_slots": 1024},
    ),
    # RED-13, RED-12
    "sequential": Case(
        axes="M = 4, N = 8, K = 64",
        x="M, K", w="N, K",
        fetch=("K / 16, M", "K % 16"), w_fetch=("N, K / 16", "K % 16"),
        trf=("Full", "N", "K"),
        align=("K / 16, M", "K % 16 # 32"), contract="K % 16 / 4",
        accumulate=("Sequential", "M, N", "K % 16 / 4 # 8"),
        out="M, N, K % 16 / 4 # 8", out_host="M, N, K % 16 / 4",
        result=lambda x, w: np.einsum("makb,nakb->mnk", x.reshape(4, 4, 4, 4),
                                      w.reshape(8, 4, 4, 4)),
        expect={"depth": 2, "columns": 4, "kind": "sequential"},
        stages={"contract": 16, "accumulate": 32},
        # The buffer is full, of vectors with 4 of 32 columns in use.
        counters={"accumulator_used": 128, "accumulator_taken": 1024,
                  "accumulator_slots": 1024},
    ),
    # CON-03: K by the tree; V = 32 in the TRF, N / 8 in the computation (ERR-55).
    "k_by_reducer": Case(
        axes="V = 32, M = 32, N = 24, K = 32",
        x="V, M, K", w="V, N, K",
        fetch=("V, M, K / 16", "K % 16"),
        w_fetch=("N % 8, V, N / 8", "K"), w_collect=("N % 8, V, N / 8, K / 16", "K % 16"),
        trf=("Full", "N % 8", "V, N / 8, K"),
        align=("V, M, N / 8", "K"), contract="1",
        accumulate=("Interleaved", "V, M, N / 8", "N % 8"), out="V, M, N",
        result=einsum("vmk,vnk->vmn"),
        expect={"depth": 5, "time_broadcast": 3, "rows": 8, "reg_read_bytes": 64,
                "trf.entries": [[32, 96], [32, 0], [3, 32]]},
        to_trf={"bytes_per_row": 6144},
        stages={"contract": 3072, "accumulate": 3072},
    ),
    # CON-04: V over the packet, K over time.
    "v_vectorised": Case(
        axes="V = 32, M = 5, N = 24, K = 32",
        x="M, K, V", w="N, K, V",
        fetch=("M, N / 8, K", "V"), collect=("M, N / 8, K, V / 16", "V % 16"),
        w_fetch=("N % 8, N / 8, K", "V"), w_collect=("N % 8, N / 8, K, V / 16", "V % 16"),
        trf=("Full", "N % 8", "N / 8, K, V"),
        align=("M, N / 8, K", "V"), contract="V",
        accumulate=("Sequential", "M, N / 8, N % 8, V / 8", "V % 8"), out="M, N, V",
        result=einsum("mkv,nkv->mnv"),
        expect={"depth": 0, "columns": 32, "rows": 8, "reg_read_bytes": 64,
                "loops": [{"size": 5, "slot_stride": 0, "reduced": False},
                          {"size": 3, "slot_stride": 0, "reduced": False},
                          {"size": 32, "slot_stride": 0, "reduced": True}]},
        stages={"contract": 480, "accumulate": 480, "tree": 0},
    ),
    # CON-05: M over the packet; one weight for all its lanes.
    "tiled": Case(
        axes="V = 5, M = 32, N = 24, K = 32",
        x="V, K, M", w="V, N, K",
        fetch=("V, N / 8, K", "M"), collect=("V, N / 8, K, M / 16", "M % 16"),
        w_fetch=("N % 8, V, N / 8", "K"), w_collect=("N % 8, V, N / 8, K / 16", "K % 16"),
        trf=("Full", "N % 8", "V, N / 8, K"),
        align=("V, N / 8, K", "M"), contract="M",
        accumulate=("Sequential", "V, N / 8, N % 8, M / 8", "M % 8"), out="V, N, M",
        result=einsum("vkm,vnk->vnm"),
        expect={"depth": 0, "columns": 32, "rows": 8, "reg_read_bytes": 2},
        stages={"contract": 480, "accumulate": 480},
    ),
    # CON-06: stride 1, two shifts by one element.
    "conv_stride1": conv_case(
        {"H": 30, "W": 30, "Fh": 3, "Fw": 3, "K": 32, "C": 24},
        sliding="$(W:1, Fw:1)", dm_pad="", windows="Fw", packet="W # 32",
        stride=1, dilation=1, rows="$(H:1, Fh:1)",
        collect=("$(W:1, Fw:1) / 16", "$(W:1, Fw:1) % 16"), contract="W # 32",
        steps=30 * 3 * 3 * 32 * 3,
        expect={"collect_flits": 2, "shifts": 2, "shift_stride": 1, "rows": 8, "depth": 0,
                "columns": 32, "reg_read_bytes": 2, "time_broadcast": 1}),
    # CON-07: stride 2, one shift by two elements; Fw % 2 in the tree.
    "conv_stride2": conv_case(
        {"H": 15, "W": 15, "Fh": 4, "Fw": 4, "K": 32, "C": 24},
        sliding="$(W:2, Fw:1)", dm_pad="", windows="Fw / 2", packet="W # 16, Fw % 2",
        stride=2, dilation=1, rows="$(H:2, Fh:1)",
        collect=("$(W:2, Fw:1) / 16", "$(W:2, Fw:1) % 16"), contract="W # 16",
        steps=15 * 3 * 4 * 32 * 2,
        expect={"collect_flits": 2, "shifts": 1, "shift_stride": 2, "rows": 8, "depth": 1,
                "columns": 16, "reg_read_bytes": 4}),
    # CON-08: three flits, so that all lanes have data.
    "conv_feed3": conv_case(
        {"H": 16, "W": 16, "Fh": 4, "Fw": 4, "K": 32, "C": 24},
        sliding="$(W:2, Fw:1)", dm_pad=" # 36", windows="Fw / 2", packet="W, Fw % 2",
        stride=2, dilation=1, rows="$(H:2, Fh:1)",
        collect=("$(W:2, Fw:1) # 48 / 16", "$(W:2, Fw:1) # 48 % 16"), contract="W",
        steps=16 * 3 * 4 * 32 * 2,
        expect={"collect_flits": 3, "shifts": 1, "shift_stride": 2, "rows": 8, "depth": 1,
                "columns": 16, "reg_read_bytes": 4}),
    # CON-09: dilation 2, two shifts by two elements; 31 elements and padding (ERR-57).
    "conv_dilation2": conv_case(
        {"H": 27, "W": 27, "Fh": 3, "Fw": 3, "K": 32, "C": 24},
        sliding="$(W:1, Fw:2)", dm_pad=" # 32", windows="Fw", packet="W # 32",
        stride=1, dilation=2, rows="$(H:1, Fh:2)",
        collect=("$(W:1, Fw:2) # 32 / 16", "$(W:1, Fw:2) # 32 % 16"), contract="W # 32",
        steps=27 * 3 * 3 * 32 * 3,
        expect={"collect_flits": 2, "shifts": 2, "shift_stride": 2, "rows": 8, "depth": 0,
                "columns": 32, "reg_read_bytes": 2}),
    # CON-10: stride 2 and dilation 2; every other lane is padding, times zero.
    "conv_both": conv_case(
        {"H": 14, "W": 14, "Fh": 3, "Fw": 3, "K": 32, "C": 24, "P": 2, "Q": 2},
        # P and Q name the columns and rows in between.
        sliding="$(W:2, Fw:2, P:1)", dm_pad="", windows="Fw", packet="W # 16, 1 #z 2",
        stride=2, dilation=2, rows="$(H:2, Fh:2, Q:1)",
        collect=("$(W:2, Fw:2, P:1) / 16", "$(W:2, Fw:2, P:1) % 16"), contract="W # 16",
        steps=14 * 3 * 3 * 32 * 3,
        expect={"collect_flits": 2, "shifts": 2, "shift_stride": 2, "rows": 8, "depth": 1,
                "columns": 16, "reg_read_bytes": 4}, zero=True),
    # RED-03, inside one slice: the tree over A % 32, the accumulator over A / 32 % 8.
    "full_reduction": Case(
        axes="A = 65536, Z = 16", grid=("1 # 2", "A / 256"), mode="kernel",
        x="A", x_dm="A % 256", w="Z",
        fetch=("A / 32 % 8", "A % 32"), collect=("A / 16 % 16", "A % 16"),
        w_fetch=("1", "Z"), trf=("Full", "1", "Z"),
        align=("A / 32 % 8", "A % 32"), contract="1",
        accumulate=("Interleaved", "1", "1 # 8"), out="1 # 8", out_host="A / 256",
        result=lambda x, w: (x * w[0]).reshape(256, 256).sum(axis=1),
        expect={"depth": 5, "columns": 1,
                "loops": [{"size": 8, "slot_stride": 0, "reduced": True}]},
        stages={"tree": 5, "contract": 8, "accumulate": 1},
        # Two fetches per packet; then the tree.
        cycles=16 + 5,
    ),
    # RED-06: the largest product; one row.
    "max_bf16": Case(
        axes="M = 16, K = 128", max=True,
        x="M, K", w="K",
        fetch=("K / 32, M, K / 16 % 2", "K % 16"), w_fetch=("K / 16", "K % 16"),
        trf=("Full", "1", "K"),
        align=("K / 32, M", "K % 32"), contract="1",
        accumulate=("Interleaved", "M", "1 # 8"), out="M, 1 # 8", out_host="M",
        result=lambda x, w: (x * w).max(axis=1),
        expect={"reduce_op": "max", "rows": 1, "depth": 5},
    ),
    "max_i8": Case(
        axes="M = 16, K = 64", type="i8", max=True,
        x="M, K", w="K",
        fetch=("M, K / 32", "K % 32"), w_fetch=("K / 32", "K % 32"),
        trf=("Full", "1", "K"),
        align=("M", "K"), contract="K / 8",
        accumulate=("Sequential", "M", "K / 8"), out="M, K / 8",
        result=lambda x, w: (x * w).reshape(16, 8, 8).max(axis=2),
        expect={"reduce_op": "max", "rows": 1, "depth": 3, "columns": 8},
    ),
}

# RED-04, CON-12, CON-13: the tree of every operand type, and its latency.
for _type, _depth in {"i4": 7, "i8": 6, "f8E4M3FN": 6, "f8E5M2": 6, "bf16": 5}.items():
    _lanes = 1 << _depth
    CASES["tree_" + _type] = Case(
        axes=f"M = 16, N = 8, K = {_lanes}", type=_type,
        x="M, K", w="N, K",
        fetch=(f"M, K / {_lanes // 2}", f"K % {_lanes // 2}"),
        w_fetch=(f"N, K / {_lanes // 2}", f"K % {_lanes // 2}"),
        trf=("Full", "N", "K"),
        align=("M", "K"), contract="1",
        accumulate=("Interleaved", "M", "N"), out="M, N",
        result=einsum("mk,nk->mn"),
        expect={"depth": _depth, "reg_read_bytes": 64, "columns": 1},
        stages={"tree": _depth, "contract": 16},
    )
# CON-12: every number of rows.
for _rows in (1, 2, 4, 8):
    CASES[f"rows_{_rows}"] = Case(
        axes=f"M = 16, N = {_rows}, K = 32",
        x="M, K", w="N, K",
        fetch=("M, K / 16", "K % 16"), w_fetch=("N, K / 16", "K % 16"),
        trf=("SecondHalf", "N", "K"),
        align=("M", "K"), contract="1",
        accumulate=("Interleaved", "M", "N # 8"), out="M, N # 8", out_host="M, N",
        result=einsum("mk,nk->mn"),
        expect={"rows": _rows, "trf_address": "second_half"},
        counters={"accumulator_used": _rows, "accumulator_taken": 8},
    )
# RED-12: 8, 16, 24 and 32 columns of a row.
for _columns in (8, 16, 24, 32):
    CASES[f"columns_{_columns}"] = Case(
        axes=f"M = 3, N = 4, T = 2, K = {_columns}",
        x="T, M, K", w="N, T, K",
        fetch=("T, M", f"K{' # 32' if _columns == 24 else ''}"),
        collect=("T, M, K # 32 / 16", "K # 32 % 16") if _columns > 16 else
        ("T, M", "K # 16"),
        w_fetch=("N, T", "K"),
        w_collect=("N, T, K # 32 / 16", "K # 32 % 16") if _columns > 16 else
        ("N, T", "K # 16"),
        trf=("Full", "N", f"T, K # {32 if _columns > 16 else 16}"),
        align=("T, M", "K # 32"), contract="K",
        accumulate=("Sequential", f"M, N, K / 8", "K % 8"), out="M, N, K",
        result=einsum("tmk,ntk->mnk"),
        expect={"columns": _columns, "kind": "sequential", "depth": 0, "rows": 4},
        stages={"accumulate": 3 * 4 * _columns // 8},
        counters={"accumulator_taken": 3 * 4 * 32,
                  "accumulator_used": 3 * 4 * _columns},
    )
# RED-14, RED-15: sums that are open at a time, inside, at and past what the buffer holds.
for _kind, _counts in {"interleaved": (127, 128, 129), "sequential": (31, 32, 33)}.items():
    for _open in _counts:
        CASES[f"open_{_kind}_{_open}"] = Case(
            axes=f"T = 2, M = {_open}, K = 16",
            x="T, M, K", w="T, K",
            fetch=("T, M", "K"), w_fetch=("T", "K"),
            trf=("Full", "1", "T, K"),
            align=("T, M", "K # 32"), contract="1",
            accumulate=(_kind.capitalize(), "M", "1 # 8"), out="M, 1 # 8", out_host="M",
            result=einsum("tmk,tk->m"),
            expect={"kind": _kind},
            counters={"accumulator_used": _open},
        )
# RED-16, ERR-62: without a tree, 32 elements leave a packet; what is dropped is padding.
for _lanes in (24, 32, 40):
    CASES[f"no_tree_{_lanes}"] = Case(
        axes=f"M = 4, N = 8, K = {_lanes}", type="i8",
        x="M, K", x_dm="M, K # 64", w="N",
        fetch=("M", "K # 64"), collect=("M, K # 64 / 32", "K # 64 % 32"),
        w_fetch=("1", "N"), w_collect=("1", "N # 32"),
        trf=("Full", "1", "N # 32"),
        align=("M", "K # 64"), contract="K",
        accumulate=("Sequential", "M, K / 8", "K % 8"), out="M, K",
        result=lambda x, w: x * w[0],
        expect={"depth": 0, "columns": _lanes},
    )
# CON-10: nothing sets the other lanes to zero.
CASES["conv_not_zero"] = dataclasses.replace(
    CASES["conv_both"], w_dm="C % 8, K, C / 8, Fh, Fw",
    w_fetch=("C % 8", "K, C / 8, Fh, Fw"),
    w_collect=("C % 8, [K, C / 8, Fh, Fw] / 16", "[K, C / 8, Fh, Fw] % 16"),
    trf=("Full", "C % 8", "K, C / 8, Fh, Fw"))
# CON-11: the TRF holds the packet's axes in another order.
CASES["misaligned"] = dataclasses.replace(
    CASES["weight_broadcast"], axes="M = 32, N = 8, K = 4, L = 8",
    x="M, K, L", w="N, L, K", fetch=("M, K / 2", "K % 2, L"), w_fetch=("N, L / 4", "L % 4, K"),
    trf=("Full", "N", "L, K"), align=("M", "K, L"), result=einsum("mkl,nlk->mn"))
# TRF-03: 64-byte reads in steps of 128 and of 96 bytes.
for _name, _size in {"aligned": 128, "unaligned": 96}.items():
    CASES[_name] = Case(
        axes=f"M = 8, N = 8, T = 2, K = {_size}", type="i8",
        x="M, K", w="N, T, K",
        fetch=("M", "K = 64"), collect=("M, [K = 64] / 32", "[K = 64] % 32"),
        w_fetch=("N, T", "K"), w_collect=("N, T, K / 32", "K % 32"),
        trf=("Full", "N", "T, K"),
        align=("M, T", "K = 64"), contract="1",
        accumulate=("Interleaved", "M, T", "N"), out="M, T, N",
        result=lambda x, w: np.einsum("mk,ntk->mtn", x[:, :64], w[:, :, :64]),
        expect={"reg_read_bytes": 64, "trf.entries": [[8, 0], [2, 128]]},
    )
# RED-06: padding would win against negative products.
CASES["max_padding"] = dataclasses.replace(
    CASES["max_bf16"], axes="M = 16, K = 16", fetch=("M", "K"), w_fetch=("1", "K"),
    align=("M", "K # 32"))


def axis_sizes(case: Case) -> dict[str, int]:
    """The sizes of the axes by name."""
    pairs = (part.split("=") for part in case.axes.split(","))
    return {name.strip(): int(size) for name, size in pairs}


def position_count(mapping: str, sizes: dict[str, int]) -> int:
    """Positions of one term of a host mapping."""
    mapping = mapping.strip()
    if mapping.startswith("$("):
        terms = [part.split(":") for part in mapping[2:-1].split(",")]
        return 1 + sum((sizes[name.strip()] - 1) * int(step) for name, step in terms)
    tokens = mapping.split()
    count = sizes[tokens[0]] if tokens[0] in sizes else int(tokens[0])
    for operator, value in zip(tokens[1::2], tokens[2::2]):
        count = {"/": count // int(value), "%": int(value), "#": int(value)}[operator]
    return count


def host_shape(mapping: str, sizes: dict[str, int]) -> tuple[int, ...]:
    """The shape of a host array: a dimension per term."""
    terms, depth, start = [], 0, 0
    for i, char in enumerate(mapping + ","):
        depth += (char == "(") - (char == ")")
        if char == "," and depth == 0:
            terms.append(mapping[start:i])
            start = i + 1
    return tuple(position_count(term, sizes) for term in terms)


def program(case: Case) -> str:
    """The kernel and its host function."""
    cluster, slices = case.grid
    d, o = case.type, "i32" if case.type in INT_BITS else "f32"
    x_dm, w_dm = case.x_dm or case.x, case.w_dm or case.w
    # A tensor spread over slices keeps its whole mapping in HBM.
    x_hbm = case.x if case.grid[1] != "1" else x_dm
    spread = case.grid[1] != "1"
    out_hbm = (case.out_host or case.out) if spread else case.out
    out_host = case.out_host or case.out
    f, c = case.fetch, case.collect
    c = c if c[1] else f
    wf, wc = case.w_fetch, case.w_collect
    wc = wc if wc[1] else wf
    address, row, element = case.trf
    a = case.align
    kind, at, ap = case.accumulate
    chips = ", chips = 1" + (", mode = unit" if case.mode == "unit" else "")
    return f"""\
#axes = #stream.axes<{case.axes}>
#grid = #tcp.grid<#axes, chip "1", cluster "{cluster}", slice "{slices}">
!HostX = !tcp.host<{d}, #axes, "{case.x}">
!HostW = !tcp.host<{d}, #axes, "{case.w}">
!HostO = !tcp.host<{o}, #axes, "{out_host}">
!HbmX = !tcp.hbm<{d}, #axes, "1", "{x_hbm}">
!HbmW = !tcp.hbm<{d}, #axes, "1", "{w_dm}">
!HbmO = !tcp.hbm<{o}, #axes, "1", "{out_hbm}">
!DmX = !tcp.dm<{d}, #grid, "{x_dm}">
!DmW = !tcp.dm<{d}, #grid, "{w_dm}">
!DmO = !tcp.dm<{o}, #grid, "{case.out}">
!Trf = !tcp.trf<{d}, #grid, "{row}", "{element}">
module attributes {{tcp.target = #tcp.target<"rngd"{chips}>}} {{
  func.func @main(%x: !HostX, %w: !HostW) -> !HostO {{
    %x_hbm = tcp.to_hbm %x at 0 : !HostX -> !HbmX
    %w_hbm = tcp.to_hbm %w at 268435456 : !HostW -> !HbmW
    %o_hbm = tcp.launch @kernel(%x_hbm, %w_hbm) : (!HbmX, !HbmW) -> !HbmO
    %o = tcp.to_host %o_hbm : !HbmO -> !HostO
    return %o : !HostO
  }}
  func.func @kernel(%x: !HbmX, %w: !HbmW) -> !HbmO {{
    %x_dm = tcp.to_dm %x at 0 : !HbmX -> !DmX
    %w_dm = tcp.to_dm %w at 131072 : !HbmW -> !DmW
    %s0 = tcp.begin sub %w_dm : !DmW
    %s1 = tcp.fetch %s0 {d} "{wf[0]}", "{wf[1]}" : <sub begin {d}, #grid, "1", "{w_dm}">
    %s2 = tcp.collect %s1 "{wc[0]}", "{wc[1]}" : <sub fetch {d}, #grid, "{wf[0]}", "{wf[1]}">
    %trf = tcp.to_trf %s2 {address} "{row}", "{element}" : <sub collect {d}, #grid, "{wc[0]}", "{wc[1]}">
    %0 = tcp.begin main %x_dm : !DmX
    %1 = tcp.fetch %0 {d} "{f[0]}", "{f[1]}" : <main begin {d}, #grid, "1", "{x_dm}">
    %2 = tcp.collect %1 "{c[0]}", "{c[1]}" : <main fetch {d}, #grid, "{f[0]}", "{f[1]}">
    %3 = tcp.align %2, %trf "{a[0]}", "{a[1]}" : <main collect {d}, #grid, "{c[0]}", "{c[1]}">, !Trf
    %4 = tcp.contract %3 {"max " if case.max else ""}"{case.contract}" : <main align {d}, #grid, row "{row}", "{a[0]}", "{a[1]}">
    %5 = tcp.accumulate %4 {kind} "{at}", "{ap}" : <main contract {o}, #grid, row "{row}", "{a[0]}", "{case.contract}">
    %o_dm = tcp.commit %5 at 262144 "{case.out}" : <main accumulate {o}, #grid, "{at}", "{ap}">
    %o = tcp.to_hbm %o_dm at 536870912 : !DmO -> !HbmO
    return %o : !HbmO
  }}
}}
"""


def make(case: Case, folder: pathlib.Path) -> int:
    """Writes the program and integer-valued inputs, whose sums are exact."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "prog.mlir").write_text(program(case), encoding="utf-8")
    rng, sizes = np.random.default_rng(11), axis_sizes(case)
    kind = np.int8 if case.type in INT_BITS else np.float32
    for index, mapping in enumerate((case.x, case.w)):
        shape = host_shape(mapping, sizes)
        np.save(folder / f"in{index}.npy", rng.integers(-3, 4, shape).astype(kind))
    return 0


def lookup(config: Any, path: str) -> Any:
    """The value at a dotted path; absent keys are None."""
    for key in path.split("."):
        config = config.get(key) if isinstance(config, dict) else None
    return config


def check(case: Case, folder: pathlib.Path) -> int:
    """Compares results, configuration and cycles."""
    errors: list[str] = []
    x, w = (np.load(folder / f"in{i}.npy").astype(np.float64) for i in range(2))
    found, expected = np.load(folder / "out.npy"), case.result(x, w)
    if not np.array_equal(found.reshape(expected.shape), expected):
        where = np.argwhere(found.reshape(expected.shape) != expected)
        errors.append(f"{len(where)} of {expected.size} results differ from NumPy's, first at "
                      f"{where[0].tolist()}")

    def compare(what: str, wanted: dict[str, Any], config: Any) -> None:
        for path, value in wanted.items():
            if lookup(config, path) != value:
                errors.append(f"{what}.{path} is {lookup(config, path)}, expected {value}")

    commands = json.loads((folder / "config.json").read_text())["commands"]
    passes = [command for command in commands if command["kind"] == "exec"]
    main = next(command for command in passes if "contract" in command)
    load = next(command for command in passes if "to_trf" in command)
    compare("contract", case.expect, main["contract"])
    compare("to_trf", case.to_trf, load["to_trf"])
    report = json.loads((folder / "report.json").read_text())
    timing = next(c for c in report["commands"] if c["name"] == main["name"])
    compare("stages", case.stages, timing["stages"])
    compare("counters", case.counters, timing["counters"])
    if case.cycles >= 0 and timing["end"] - timing["start"] != case.cycles:
        errors.append(f"the pass takes {timing['end'] - timing['start']} cycles, "
                      f"expected {case.cycles}")
    for error in errors:
        print(f"{sys.argv[2]}: {error}")
    if not errors:
        print(f"{sys.argv[2]}: {expected.size} results equal NumPy's")
    return 1 if errors else 0


def tool(*command: str) -> None:
    """Runs one of the project's tools."""
    subprocess.run(command, check=True)


def run(case: Case, folder: pathlib.Path, flags: list[str]) -> int:
    """From the kernel to the comparison."""
    make(case, folder)
    files = {name: str(folder / name) for name in
             ("prog.mlir", "config.mlir", "config.json", "in0.npy", "in1.npy", "out.npy",
              "report.json")}
    tool("sequin-opt", "--tcp-to-config", files["prog.mlir"], "-o", files["config.mlir"])
    tool("sequin-translate", "--tcp-to-json", files["config.mlir"], "-o", files["config.json"])
    tool("sequin-run", files["prog.mlir"], "--input", files["in0.npy"], "--input",
         files["in1.npy"], "--output", files["out.npy"], "--report", files["report.json"],
         *flags)
    return check(case, folder)


def main() -> int:
    """Runs the command in sys.argv; returns the exit code."""
    command, case = sys.argv[1], CASES[sys.argv[2]]
    if command == "print":
        print(program(case), end="")
        return 0
    return run(case, pathlib.Path(sys.argv[3]), sys.argv[4:])


if __name__ == "__main__":
    sys.exit(main())
