# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times programs of every kind once more by the manual, and prints how far the simulator is off.

agreement.py DIR --tools BIN [--commands] [PROGRAM...]

A PROGRAM is a file, ENGINE/CASE (a kernel that the tests of that engine generate), or
MxKxN:TYPE, a product of matrices; without any, those below. Exit status 1 if one of them is off
by more than the limit of retime.py.
"""

import argparse
import json
import pathlib
import subprocess
import sys

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[4]
sys.path[:0] = [str(ROOT / "bench/performance"), str(ROOT / "test/integration/cycles/Inputs")]

import programs  # noqa: E402
import retime  # noqa: E402
from both_modes import generate  # noqa: E402
from manual_dma import examples  # noqa: E402

PROGRAMS = [
    *(f"examples/tcp/{name}.mlir" for name in (
        "all_reduce", "axis_permutation", "batch_norm_split", "cumsum", "gemm", "gemv",
        "segmentation", "weighted_sum")),
    *(f"examples/linalg/{name}.mlir" for name in ("embedding", "softmax")),
    *(f"test/integration/dma/{name}.mlir" for name in ("chips", "pairs")),
    "test/integration/loops/double_buffer.mlir",
    *(f"manual/example{number}" for number in (1, 4, 5, 6)),
    "fetch/dual_channel", "switch/part_of_an_axis", "contract/sequential", "vector/pair_add",
    "reduce/ISR-08", "96x160x72:bf16", "128x512x256:f8e4m3", "256x512x1024:bf16",
]


def run(tools, name, *arguments):
    done = subprocess.run([str(tools / name), *map(str, arguments)], capture_output=True,
                          text=True)
    if done.returncode:
        sys.exit(f"{name} {' '.join(map(str, arguments))}: exit status {done.returncode}\n"
                 f"{done.stderr}")


def configuration(program, folder, tools, machine):
    """The file of a program's configuration."""
    config, lowered, text = (folder / name for name in
                             ("config.json", "config.mlir", "program.mlir"))
    if program.startswith("manual/"):
        source, destination, descriptors = examples(machine)[program.split("/")[1]]
        config.write_text(json.dumps({
            "version": 1, "target": machine["name"], "chips": 4, "name": "main", "inputs": [],
            "outputs": [], "macs": 0, "mac_type": "i8", "commands": [
                {"name": "move", "kind": "dma", "source": source, "destination": destination,
                 "descriptors": descriptors}]}))
        return config
    if ":" in program:
        shape, kind = program.split(":")
        tokens, inner, outer = map(int, shape.split("x"))
        text.write_text(programs.products(tokens, inner, [outer], kind).text())
    elif program.endswith(".mlir"):
        text = ROOT / program
    else:
        text = generate(program, folder)
    pipelines = ["--tcp-to-config"]
    if "tcp." not in text.read_text():
        pipelines.insert(0, f"--linalg-to-tcp=target={machine['name']}")
    run(tools, "sequin-opt", text, *pipelines, "-o", lowered)
    run(tools, "sequin-translate", "--tcp-to-json", lowered, "-o", config)
    return config


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--tools", type=pathlib.Path, required=True)
    parser.add_argument("--commands", action="store_true")
    parser.add_argument("programs", nargs="*", default=PROGRAMS)
    options = parser.parse_intermixed_args()
    path = options.folder / "machine.json"
    run(options.tools, "sequin-translate", "--dump-machine=rngd", "-o", path)
    machine = json.loads(path.read_text())
    wrong = 0
    for program in options.programs or PROGRAMS:
        config = configuration(program, options.folder, options.tools, machine)
        report = options.folder / "report.json"
        run(options.tools, "sequin-run", config, "--timing-only", "--report", report)
        simulated = json.loads(report.read_text())
        found = retime.retime(json.loads(config.read_text()), machine)
        differences = retime.differences(found, simulated)
        wrong += bool(differences)
        print(f"{program:44} {found.cycles:>10,} by the manual, {simulated['cycles']:>10,} "
              f"simulated, {retime.off_by(found.cycles, simulated['cycles']):.2%} apart",
              *differences[:5], sep="\n    ", flush=True)
        if options.commands:
            print(retime.listing(found, simulated))
    print(f"{len(options.programs or PROGRAMS)} programs, {wrong} differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
