# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds reports against configurations by bench/performance/utilisation.py.

both_ways.py DIR --tools BIN
"""

import argparse
import json
import pathlib
import subprocess
import sys

import numpy as np

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[4]
PERFORMANCE = ROOT / "bench" / "performance"
sys.path.insert(0, str(PERFORMANCE))

from programs import products  # noqa: E402

#: Host arrays by element type; everything else is a float.
HOST = {"i4": np.int8, "i8": np.int8, "i16": np.int16, "i32": np.int32}


def call(*command):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True)


def must(*command):
    done = call(*command)
    if done.returncode:
        sys.exit(f"{command[0]} {command[1]}: exit status {done.returncode}\n{done.stderr}")
    return done.stdout


def programs():
    """Name -> text."""
    for name in ("dot_product", "gemv", "gemm"):
        yield name, (ROOT / "examples/tcp" / f"{name}.mlir").read_text()
    yield "tiles", (ROOT / "test/integration/cycles/Inputs/tiles.mlir").read_text()
    yield "all_reduce", (ROOT / "examples/tcp/all_reduce.mlir").read_text()
    # One row of tokens and long sums: they are shared by slices.
    yield "folded", products(1, 8192, [1024], "bf16").text()
    yield "padded", products(100, 77, [40], "bf16").text()
    yield "layer", must(sys.executable, "-B", ROOT / "examples/models/llama/make_layer.py",
                        "--reduced")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--tools", type=pathlib.Path, required=True)
    options = parser.parse_args()
    folder, tools, agreeing = options.folder, options.tools, 0
    machine = folder / "machine.json"
    must(tools / "sequin-translate", "--dump-machine=rngd", "-o", machine)

    def check(config, report):
        return call(sys.executable, "-B", PERFORMANCE / "utilisation.py", config, machine,
                    "--report", report)

    for name, text in programs():
        program, lowered, config = (folder / f"{name}{end}" for end in
                                    (".mlir", ".config.mlir", ".json"))
        program.write_text(text)
        pipelines = [] if "tcp." in text else ["--linalg-to-tcp=target=rngd"]
        must(tools / "sequin-opt", program, *pipelines, "--tcp-to-config", "-o", lowered)
        must(tools / "sequin-translate", "--tcp-to-json", lowered, "-o", config)
        flags, random = [], np.random.default_rng(3)
        for index, given in enumerate(json.loads(config.read_text())["inputs"]):
            path = folder / f"{name}.{index}.npy"
            np.save(path, random.integers(0, 2, given["shape"]).astype(
                HOST.get(given["type"], np.float32)))
            flags += ["--input", path]
        said = []
        for mode in (flags, ["--timing-only"]):
            report = folder / f"{name}.report.json"
            must(tools / "sequin-run", program, "--target", "rngd", "--report", report, *mode)
            done = check(config, report)
            if done.returncode:
                sys.exit(f"{name}: {done.stderr}")
            said.append(done.stdout.strip())
        if said[0] != said[1]:
            sys.exit(f"{name}: {said[0]}\nwithout data: {said[1]}")
        print(f"{name}: {said[0]}")
        numbers = said[0].replace(",", "").split()
        useful, performed = int(numbers[2]), int(numbers[6])
        if not (useful < performed if name == "padded" else useful <= performed):
            sys.exit(f"{name}: {useful} useful MACs, {performed} performed")
        agreeing += 1
    print(f"{agreeing} programs agree, with data and without")

    # The last report of gemv, changed.
    found = json.loads((folder / "gemv.report.json").read_text())
    changes = {f"{key} + 1": {key: found[key] + 1} for key in (
        "macs", "hbm_bytes_read", "hbm_bytes_written", "peak_macs_per_cycle", "cycles")}
    changes["commands - 1"] = {"commands": found["commands"][1:]}
    changed = folder / "changed.json"
    for name, change in changes.items():
        changed.write_text(json.dumps({**found, **change}))
        done = check(folder / "gemv.json", changed)
        if done.returncode != 1:
            sys.exit(f"{name}: exit status {done.returncode}")
        print(f"{name}: {done.stderr.strip()}")


if __name__ == "__main__":
    main()
