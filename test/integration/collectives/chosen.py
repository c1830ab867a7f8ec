# ===- chosen.py - Collectives that the compiler emits --------------------=== #
#
# Part of the Sequin project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------=== #
"""Two products, one after the other, whose pins need a collective between them.

chosen.py CHIPS DIR

For each collective: runs the program with --verify, compares with NumPy, and prints
which collectives the compiler took, how often the simulated chips sent something to
each other, and the most bytes that one of them got, counted from the configuration.
"""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np

# By the loops m, n, k of both products: how many chips have blocks of them. C is all
# chips, 1 none of them, 0 leaves it to the compiler.
CASES = {
    "all-gather": ("0 C 0", "0 C 0"),
    "all-to-all": ("0 C 0", "C 0 0"),
    "reduce-scatter": ("0 0 C", "C 0 0"),
    "all-reduce": ("0 0 C", "0 C 0"),
    "slice": ("1 1 1", "C 0 0"),
}
M, K, N, J = 64, 128, 32, 96

PROGRAM = """\
#id = affine_map<(m, n) -> (m, n)>
func.func @main(%a: tensor<{M}x{K}xbf16>, %b: tensor<{K}x{N}xbf16>, %c: tensor<{N}x{J}xbf16>) -> tensor<{M}x{J}xf32> {{
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<{M}x{N}xf32>
  %z0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<{M}x{N}xf32>) -> tensor<{M}x{N}xf32>
  %p = linalg.matmul {{sequin.pin = {{chips = array<i64: {first}>}}}}
      ins(%a, %b : tensor<{M}x{K}xbf16>, tensor<{K}x{N}xbf16>) outs(%z0 : tensor<{M}x{N}xf32>) -> tensor<{M}x{N}xf32>
  %e1 = tensor.empty() : tensor<{M}x{N}xbf16>
  %t = linalg.generic {{indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}}
      ins(%p : tensor<{M}x{N}xf32>) outs(%e1 : tensor<{M}x{N}xbf16>) {{
  ^bb0(%x: f32, %y: bf16):
    %r = arith.truncf %x : f32 to bf16
    linalg.yield %r : bf16
  }} -> tensor<{M}x{N}xbf16>
  %e2 = tensor.empty() : tensor<{M}x{J}xf32>
  %z2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<{M}x{J}xf32>) -> tensor<{M}x{J}xf32>
  %q = linalg.matmul {{sequin.pin = {{chips = array<i64: {second}>}}}}
      ins(%t, %c : tensor<{M}x{N}xbf16>, tensor<{N}x{J}xbf16>) outs(%z2 : tensor<{M}x{J}xf32>) -> tensor<{M}x{J}xf32>
  return %q : tensor<{M}x{J}xf32>
}}
"""


def tool(*command: str | Path) -> str:
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{command}: exit {done.returncode}\n{done.stderr}")
    return done.stdout


def pin(text: str, chips: int) -> str:
    return ", ".join(text.replace("C", str(chips)).split())


def traffic(program: Path, folder: Path, chips: int) -> tuple[int, int]:
    """Commands that cross a link, and the most bytes that one chip gets."""
    lowered = folder / "lowered.mlir"
    tool("sequin-opt", f"--linalg-to-tcp=target=rngd chips={chips}", "--tcp-to-config", program, "-o", lowered)
    config = json.loads(tool("sequin-translate", "--tcp-to-json", lowered))
    commands, received = 0, [0] * chips
    for command in config["commands"]:
        if command["kind"] != "dma":
            continue
        crosses = False
        for one in command["descriptors"]:
            if one["source_chip"] != one["destination_chip"]:
                packets = int(np.prod([entry[0] for entry in one["entries"]], dtype=np.int64))
                received[one["destination_chip"]] += packets * one["packet_bytes"]
                crosses = True
        commands += crosses
    return commands, max(received)


def main(chips: int, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(chips)
    # Sums stay below 257, so bf16 has them exactly.
    arrays = [random.integers(-1, 2, shape).astype(np.float32) for shape in ((M, K), (K, N), (N, J))]
    inputs: list[str | Path] = []
    for i, array in enumerate(arrays):
        np.save(folder / f"in{i}.npy", array)
        inputs += ["--input", folder / f"in{i}.npy"]
    for name, (first, second) in CASES.items():
        program = folder / f"{name}.mlir"
        program.write_text(PROGRAM.format(M=M, K=K, N=N, J=J, first=pin(first, chips), second=pin(second, chips)))
        report, out = folder / "report.txt", folder / "out.npy"
        tool("sequin-run", program, "--target", "rngd", "--chips", str(chips), *inputs, "--output", out, "--verify",
             f"--report-mapping={report}")
        taken = [line.split(":")[1].strip() for line in report.read_text().splitlines()
                 if line.strip().startswith("collective:")]
        same = np.array_equal(np.load(out), arrays[0] @ arrays[1] @ arrays[2])
        commands, received = traffic(program, folder, chips)
        print(f"{name}: taken {' '.join(taken)}; equals NumPy: {same}; {commands} commands cross links, "
              f"a chip gets {received} bytes")


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2]))
