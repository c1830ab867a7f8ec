# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A matrix product whose operands both are padded along K and masked.

masks.py K DIR    runs it as it is, then without each of its two masks, and says how
                  many results are NumPy's
"""

import json
import pathlib
import subprocess
import sys

import numpy as np

M, N = 5, 8

KERNEL = """
#axes = #stream.axes<M = {m}, N = {n}, K = {k}>
#g = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
!HostA = !tcp.host<bf16, #axes, "M, K">
!HostB = !tcp.host<bf16, #axes, "N, K">
!HostC = !tcp.host<f32, #axes, "M, N">
!HbmA = !tcp.hbm<bf16, #axes, "1", "M, {p}">
!HbmB = !tcp.hbm<bf16, #axes, "1", "N, {p}">
!HbmC = !tcp.hbm<f32, #axes, "1", "M, N">
!DmA = !tcp.dm<bf16, #g, "M, {p}">
!DmB = !tcp.dm<bf16, #g, "N, {p}">
!DmC = !tcp.dm<f32, #g, "M, N">
module attributes {{tcp.target = #tcp.target<"rngd", chips = 1>}} {{
  func.func @main(%a: !HostA, %b: !HostB) -> !HostC {{
    %ha = tcp.to_hbm %a at 0 : !HostA -> !HbmA
    %hb = tcp.to_hbm %b at 65536 : !HostB -> !HbmB
    %hc = tcp.launch @kernel(%ha, %hb) : (!HbmA, !HbmB) -> !HbmC
    %c = tcp.to_host %hc : !HbmC -> !HostC
    return %c : !HostC
  }}
  func.func @kernel(%a: !HbmA, %b: !HbmB) -> !HbmC {{
    %da = tcp.to_dm %a at 0 : !HbmA -> !DmA
    %db = tcp.to_dm %b at 65536 : !HbmB -> !DmB
    %w0 = tcp.begin main %db : !DmB
    %w1 = tcp.fetch %w0 bf16 "N, {p} / 32", "{p} % 32" : <main begin bf16, #g, "1", "N, {p}">
    %w2 = tcp.collect %w1 "N, {p} / 16", "{p} % 16" : <main fetch bf16, #g, "N, {p} / 32", "{p} % 32">
    %w = tcp.to_trf %w2 Full "N", "{p}" : <main collect bf16, #g, "N, {p} / 16", "{p} % 16">
    %0 = tcp.begin main %da : !DmA
    %1 = tcp.fetch %0 bf16 "M, {p} / 32", "{p} % 32" : <main begin bf16, #g, "1", "M, {p}">
    %2 = tcp.collect %1 "M, {p} / 16", "{p} % 16" : <main fetch bf16, #g, "M, {p} / 32", "{p} % 32">
    %3 = tcp.align %2, %w "M, {p} / 32", "{p} % 32" : <main collect bf16, #g, "M, {p} / 16", "{p} % 16">, !tcp.trf<bf16, #g, "N", "{p}">
    %4 = tcp.contract %3 "1" : <main align bf16, #g, row "N", "M, {p} / 32", "{p} % 32">
    %5 = tcp.accumulate %4 Interleaved "M", "N" : <main contract f32, #g, row "N", "M, {p} / 32", "1">
    %6 = tcp.commit %5 at 196608 "M, N" : <main accumulate f32, #g, "M", "N">
    %r = tcp.to_hbm %6 at 131072 : !DmC -> !HbmC
    return %r : !HbmC
  }}
}}
"""


def make(k: int, folder: pathlib.Path) -> None:
    folder.mkdir(parents=True)
    padded = f"K # {-(-k // 32) * 32}"
    (folder / "kernel.mlir").write_text(KERNEL.format(m=M, n=N, k=k, p=padded))
    random = np.random.default_rng(k)
    for name, rows in (("a", M), ("b", N)):
        values = random.integers(-9, 9, (rows, k)).astype(np.float32)
        np.save(folder / f"{name}.npy", values)


def masked_fetches(node: object) -> list[dict]:
    """Every object in a configuration that has a mask, in order."""
    if isinstance(node, list):
        return [found for item in node for found in masked_fetches(item)]
    if not isinstance(node, dict):
        return []
    own = [node] if node.get("mask") else []
    return own + [found for item in node.values() for found in masked_fetches(item)]


def run(program: pathlib.Path, folder: pathlib.Path, *flags: str) -> str:
    """Runs a program on the arrays; says how many results are right."""
    arrays = ["--input", str(folder / "a.npy"), "--input", str(folder / "b.npy"), "--output", str(folder / "c.npy")]
    subprocess.run(["sequin-run", str(program), *arrays, *flags], check=True)
    a, b, c = (np.load(folder / f"{name}.npy") for name in "abc")
    return f"{np.count_nonzero(c == a @ b.T)} of {c.size} results equal NumPy's"


def main() -> int:
    k, folder = int(sys.argv[1]), pathlib.Path(sys.argv[2])
    make(k, folder)
    kernel, config, text = (folder / name for name in ("kernel.mlir", "config.mlir", "config.json"))
    print(f"K {k}: {run(kernel, folder, '--verify')}")
    subprocess.run(["sequin-opt", "--tcp-to-config", str(kernel), "-o", str(config)], check=True)
    subprocess.run(["sequin-translate", "--tcp-to-json", str(config), "-o", str(text)], check=True)
    count = len(masked_fetches(json.loads(text.read_text())))
    print(f"masks: {count}")
    for index in range(count):
        program = json.loads(text.read_text())
        del masked_fetches(program)[index]["mask"]
        dropped = folder / f"without{index}.json"
        dropped.write_text(json.dumps(program))
        print(f"without mask {index}: {run(dropped, folder)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
