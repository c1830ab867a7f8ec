# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of the performance tables at reduced size: results, cycles and bounds.

reduced.py DIR --tools BIN
"""

import argparse
import json
import pathlib
import subprocess
import sys

import numpy as np

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[4] / "bench" / "performance"))

import bound  # noqa: E402
import programs  # noqa: E402

CASES = [
    ("prefill", 256, 512, [1024], "bf16"),
    ("prefill", 128, 512, [256], "f8e4m3"),
    ("prefill", 96, 160, [72], "bf16"),
    ("decode", 1, 1024, [1024, 128, 128], "bf16"),
    ("decode", 1, 1024, [3584, 3584], "bf16"),
    ("decode", 1, 3584, [1024], "bf16"),
    ("decode", 1, 480, [512, 256, 256], "f8e4m3"),
    ("decode", 1, 480, [1024], "f8e4m3"),
    ("decode", 1, 512, [480], "f8e4m3"),
    ("decode", 3, 7, [5], "bf16"),
]


def rounded(values):
    """To bf16, ties to even."""
    bits = values.astype(np.float32).view(np.uint32)
    half = np.uint32(0x7FFF) + (bits >> np.uint32(16) & np.uint32(1))
    return ((bits + half) & np.uint32(0xFFFF0000)).view(np.float32)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--tools", type=pathlib.Path, required=True)
    options = parser.parse_args()
    folder, random = options.folder, np.random.default_rng(11)

    def run(*arguments):
        command = [options.tools / "sequin-run", folder / "program.mlir", "--target", "rngd",
                   "--report", folder / "report.json", *arguments]
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"sequin-run: exit status {done.returncode}\n{done.stderr}")
        return json.loads((folder / "report.json").read_text())

    dump = [str(options.tools / "sequin-translate"), "--dump-machine=rngd"]
    machine = json.loads(subprocess.run(dump, capture_output=True, text=True, check=True).stdout)
    for name, tokens, inner, outers, kind in CASES:
        text = programs.products(tokens, inner, outers, kind).text()
        (folder / "program.mlir").write_text(text)
        # Small integers: every sum is exact.
        shapes = [(tokens, inner), *((inner, outer) for outer in outers)]
        arrays = [random.integers(-4, 5, shape).astype(np.float32) for shape in shapes]
        flags = []
        for index, array in enumerate(arrays):
            np.save(folder / f"in{index}.npy", array)
            flags += ["--input", folder / f"in{index}.npy"]
        for index in range(len(outers)):
            flags += ["--output", folder / f"out{index}.npy"]
        report, timing = run(*flags), run("--timing-only")
        for index, weights in enumerate(arrays[1:]):
            if not (np.load(folder / f"out{index}.npy") == rounded(arrays[0] @ weights)).all():
                sys.exit(f"{text}\nresult {index} is wrong")
        assert report["cycles"] == timing["cycles"], (report["cycles"], timing["cycles"])
        assert report["macs"] == tokens * inner * sum(outers)
        whole = bound.Product(tokens, inner, sum(outers), kind)
        least = bound.bound_of_product(machine, whole).cycles
        assert least <= report["cycles"], (least, report["cycles"])
        print(f"{name} {kind} {tokens} x {inner} x {', '.join(map(str, outers))}: right, "
              f"{report['cycles']:,} cycles with data and without, "
              f"{report['cycles'] / least:.1f} times the bound")
    print(f"{len(CASES)} programs right, none faster than its bound")


if __name__ == "__main__":
    main()
