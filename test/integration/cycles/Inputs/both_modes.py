# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs programs with and without data, and holds both reports against recompute.py.

both_modes.py DIR [--input FILE]... PROGRAM...

A PROGRAM is a file (tcp, linalg or a configuration as JSON) or ENGINE/CASE, a kernel that
the tests of that engine generate. Without --input the arguments are small random integers.
Prints a line per program; exit status 1 if one of them disagrees.
"""

import argparse
import importlib.util
import json
import pathlib
import subprocess
import sys

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
# Engine: script under test/integration, and the text of one of its cases.
GENERATED = {
    "commit": ("commit/Inputs/passes.py", lambda m, name: m.kernel(m.CASES[name])),
    "contract": ("contract/Inputs/cases.py", lambda m, name: m.program(m.CASES[name])),
    "fetch": ("fetch/Inputs/fetch.py", lambda m, name: m.kernel(m.CASES[name])),
    "inter-slice": ("inter-slice/Inputs/reductions.py", lambda m, name: m.kernel(m.CASES[name])),
    "reduce": ("reduce/Inputs/reduce.py",
               lambda m, name: m.kernel(next(c for c in m.CASES if c.name == name))),
    "switch": ("switch/Inputs/topologies.py", lambda m, name: m.kernel(m.CASES[name])),
    "vector": ("vector/Inputs/stages.py", lambda m, name: m.program(m.CASES[name])),
}
LIMITS = {"i4": (-8, 8), "i8": (-128, 128), "i16": (-999, 1000), "i32": (-999, 1000)}


def run(*command):
    """Output of one of the tools; ends with its message if it fails."""
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{command[0]} {command[1]}: exit status {done.returncode}\n{done.stderr}")
    return done.stdout


def generate(program, folder):
    """The file of ENGINE/CASE."""
    engine, case = program.split("/")
    script, text = GENERATED[engine]
    spec = importlib.util.spec_from_file_location(f"{engine}_cases", HERE.parents[1] / script)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    path = folder / "prog.mlir"
    path.write_text(text(module, case))
    return path


def arguments(config, folder):
    """Files with random values for the inputs of a program."""
    random = np.random.default_rng(7)
    for index, given in enumerate(config["inputs"]):
        low, high = LIMITS.get(given["type"], (-4, 5))
        values = random.integers(low, high, given["shape"])
        path = folder / f"in{index}.npy"
        host = {"i4": np.int8, "i8": np.int8, "i16": np.int16, "i32": np.int32}
        np.save(path, values.astype(host.get(given["type"], np.float32)))
        yield path


def compare(program, folder, files):
    folder.mkdir(parents=True, exist_ok=True)
    path = pathlib.Path(program)
    if path.suffix not in (".mlir", ".json"):
        path = generate(program, folder)
    config, lowered, machine = (folder / name for name in
                                ("config.json", "config.mlir", "machine.json"))
    if path.suffix == ".json":
        config.write_text(path.read_text())
    else:
        pipelines = ["--tcp-to-config"]
        if "linalg." in path.read_text():
            pipelines.insert(0, "--linalg-to-tcp=target=rngd")
        run("sequin-opt", path, *pipelines, "-o", lowered)
        run("sequin-translate", "--tcp-to-json", lowered, "-o", config)
    described = json.loads(config.read_text())
    target = described["target"]
    run("sequin-translate", f"--dump-machine={target}", "-o", machine)
    inputs = [part for file in files or arguments(described, folder) for part in ("--input", file)]
    reports = []
    for name, flags in (("data", inputs), ("timing", ["--timing-only"])):
        report = folder / f"{name}.json"
        run("sequin-run", path, "--target", target, "--report", report, *flags)
        reports += ["--report", report]
    done = subprocess.run([sys.executable, HERE / "recompute.py", config, machine, *reports],
                          capture_output=True, text=True)
    print(f"{program if '/' in program and path.name == 'prog.mlir' else path.stem}: "
          f"{(done.stdout or done.stderr).strip()}", flush=True)
    return done.returncode == 0


def main():
    parser = argparse.ArgumentParser(description="Runs programs with and without data.")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--input", action="append", default=[])
    parser.add_argument("programs", nargs="+")
    options = parser.parse_args()
    good = [compare(program, options.folder / str(index), options.input)
            for index, program in enumerate(options.programs)]
    return 0 if all(good) else 1


if __name__ == "__main__":
    # No __pycache__ beside the tests that kernels are taken from.
    sys.dont_write_bytecode = True
    sys.exit(main())
