#!/usr/bin/env python3
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the programs that GemmBenchmark simulates.

    gemm.py [--linalg] bf16|f8E4M3FN|f8E5M2|i8|i4

With --linalg, a linalg.matmul of 2048 x 2048 matrices; without, a kernel by hand for

C_ij = sum over k of A_ik B_jk, 2048 each, on all 512 slices of a chip, a grid of 32 x 16 tiles.
A's tile stays in data memory. B's comes a few rows at a time, eight side by side in
the register file, and the activations are fetched again for every eight rows.
"""

import argparse

SIZE = 2048
BITS = {"bf16": 16, "f8E4M3FN": 8, "f8E5M2": 8, "i8": 8, "i4": 4}
FLIT_BITS, PACKET_BITS, TRF_ROW_BITS = 32 * 8, 64 * 8, 8192 * 8

TEMPLATE = """
#axes = #stream.axes<I = {n}, J = {n}, K = {n}>
#grid = #tcp.grid<#axes, chip "1", cluster "I / {half}", slice "I / {m} % 16, J / {c}">

!HostA = !tcp.host<{t}, #axes, "I, K">
!HostB = !tcp.host<{t}, #axes, "J, K">
!HostC = !tcp.host<{r}, #axes, "I, J">
!HbmA = !tcp.hbm<{t}, #axes, "1", "I, K">
!HbmB = !tcp.hbm<{t}, #axes, "1", "J, K">
!HbmC = !tcp.hbm<{r}, #axes, "1", "I, J">
!TileB = !tcp.hbm<{t}, #axes, "1", "J / {c}, {round} = 1 # {rounds}, J % {b}, K">
!DmA = !tcp.dm<{t}, #grid, "I % {m}, K">
!DmB = !tcp.dm<{t}, #grid, "{round} = 1, J % {b}, K">
!DmC = !tcp.dm<{r}, #grid, "I % {m}, J % {c}">
!Trf = !tcp.trf<{t}, #grid, "J % 8", "{groups}, K">

module attributes {{tcp.target = #tcp.target<"rngd", chips = 1>}} {{
  func.func @main(%a: !HostA, %b: !HostB) -> !HostC {{
    %a_hbm = tcp.to_hbm %a at 0 : !HostA -> !HbmA
    %b_hbm = tcp.to_hbm %b at 268435456 : !HostB -> !HbmB
    %c_hbm = tcp.launch @kernel(%a_hbm, %b_hbm) : (!HbmA, !HbmB) -> !HbmC
    %c = tcp.to_host %c_hbm : !HbmC -> !HostC
    return %c : !HostC
  }}

  func.func @kernel(%a: !HbmA, %b: !HbmB) -> !HbmC {{
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %end = arith.constant {rounds} : index
    %a_dm = tcp.to_dm %a at 0 : !HbmA -> !DmA
    %out = tcp.from_address 393216 : !DmC
    %all = scf.for %j = %c0 to %end step %c1 iter_args(%acc = %out) -> (!DmC) {{
      %tile = tcp.tile %b "{round}" at %j size 1 "J / {c}, {round} = 1 # {rounds}, J % {b}, K" : !HbmB
      %b_dm = tcp.to_dm %tile at 262144 : !TileB -> !DmB
      %s0 = tcp.begin sub %b_dm : !DmB
      %s1 = tcp.fetch %s0 {t} "J % 8, {groups}", "K" : <sub begin {t}, #grid, "1", "{round} = 1, J % {b}, K">
      %s2 = tcp.collect %s1 "J % 8, {groups}, K / {f}", "K % {f}" : <sub fetch {t}, #grid, "J % 8, {groups}", "K">
      %b_trf = tcp.to_trf %s2 Full "J % 8", "{groups}, K" : <sub collect {t}, #grid, "J % 8, {groups}, K / {f}", "K % {f}">

      %0 = tcp.begin main %a_dm : !DmA
      %1 = tcp.fetch %0 {t} "I % {m}, {groups}", "K" : <main begin {t}, #grid, "1", "I % {m}, K">
      %2 = tcp.collect %1 "I % {m}, {groups}, K / {f}", "K % {f}" : <main fetch {t}, #grid, "I % {m}, {groups}", "K">
      %3 = tcp.align %2, %b_trf "I % {m}, {groups}, K / {p}", "K % {p}" : <main collect {t}, #grid, "I % {m}, {groups}, K / {f}", "K % {f}">, !Trf
      %4 = tcp.contract %3 "1" : <main align {t}, #grid, row "J % 8", "I % {m}, {groups}, K / {p}", "K % {p}">
      %5 = tcp.accumulate %4 Interleaved "I % {m}, {groups}", "J % 8" : <main contract {s}, #grid, row "J % 8", "I % {m}, {groups}, K / {p}", "1">
      {sink}
      scf.yield %c_dm : !DmC
    }}
    %c = tcp.to_hbm %all at 536870912 : !DmC -> !HbmC
    return %c : !HbmC
  }}
}}
"""

LINALG = """
!Operand = tensor<{n}x{n}x{t}>
!Result = tensor<{n}x{n}x{s}>

module attributes {{tcp.target = #tcp.target<"rngd">}} {{
  func.func @main(%a: !Operand, %b: !Operand) -> !Result {{
    %zero = arith.constant {zero} : {s}
    %empty = tensor.empty() : !Result
    %init = linalg.fill ins(%zero : {s}) outs(%empty : !Result) -> !Result
    %c = linalg.matmul ins(%a, %b : !Operand, !Operand) outs(%init : !Result) -> !Result
    return %c : !Result
  }}
}}
"""

CAST = """%6 = tcp.cast %5 {r} "J % 8 # 16" : <main accumulate {s}, #grid, "I % {m}, {groups}", "J % 8">
      %c_dm = tcp.commit_view %6 into %acc "{round}" at %j size 1 "I % {m}, {round} = 1 # {rounds}, J % {b}" : <main cast {r}, #grid, "I % {m}, {groups}", "J % 8 # 16">, !DmC"""
PLAIN = """%c_dm = tcp.commit_view %5 into %acc "{round}" at %j size 1 "I % {m}, {round} = 1 # {rounds}, J % {b}" : <main accumulate {s}, #grid, "I % {m}, {groups}", "J % 8">, !DmC"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("type", choices=BITS)
    parser.add_argument("--linalg", action="store_true", help="the product as linalg")
    args = parser.parse_args()
    n, bits = SIZE, BITS[args.type]
    columns = n // 16
    stationary = min(columns, 8 * (TRF_ROW_BITS // (n * bits)))
    cast = args.type == "bf16"
    values = {
        "n": n, "half": n // 2, "m": n // 32, "c": columns, "b": stationary,
        "t": args.type, "s": "i32" if args.type[0] == "i" else "f32",
        "f": FLIT_BITS // bits, "p": PACKET_BITS // bits, "rounds": columns // stationary,
    }
    if args.linalg:
        print(LINALG.format(**values, zero="0.0" if values["s"] == "f32" else "0").strip())
        return
    values["r"] = "bf16" if cast else values["s"]
    values["round"] = f"J / {stationary} % {columns // stationary}"
    values["groups"] = f"{values['round']} = 1, J / 8 % {stationary // 8}"
    values["sink"] = (CAST if cast else PLAIN).format(**values)
    print(TEMPLATE.format(**values).strip())


if __name__ == "__main__":
    main()
