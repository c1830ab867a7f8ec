# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions of examples/tcp and of kernels.py: run, compared with NumPy, measured.

reductions.py write KERNEL [NUMBER|WORD ...]   writes a kernel of kernels.py to stdout
reductions.py check NAME PROGRAM DIR           runs PROGRAM with --verify, compares with NumPy
reductions.py order PROGRAM DIR                prints what interleaved passes read in which order
reductions.py NAME DIR                         measure: layer_norm_sizes, layer_norm_cycles,
                                               formulas, levels
"""

import itertools
import json
import pathlib
import subprocess
import sys
from collections.abc import Callable

import numpy as np

# No compiled files beside the sources.
sys.dont_write_bytecode = True

import kernels
from builder import Kernel

F32 = np.float32
Arrays = list[np.ndarray]


def tool(*command: str | pathlib.Path) -> str:
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{command}: exit {done.returncode}\n{done.stderr}")
    return done.stdout


def configuration(program: pathlib.Path, folder: pathlib.Path) -> dict:
    lowered = folder / "lowered.mlir"
    tool("sequin-opt", "--tcp-to-config", program, "-o", lowered)
    return json.loads(tool("sequin-translate", "--tcp-to-json", lowered))


def run(program: pathlib.Path, folder: pathlib.Path, inputs: Arrays | None = None) -> tuple[dict, Arrays]:
    """Report and results; without inputs it runs for its time alone."""
    config = configuration(program, folder)
    command: list[str | pathlib.Path] = ["sequin-run", program, "--target", "rngd", "--report", folder / "report.json"]
    outputs = [folder / f"out{i}.npy" for i in range(len(config["outputs"]))]
    if inputs is None:
        command.append("--timing-only")
    else:
        command.append("--verify")
        for i, array in enumerate(inputs):
            np.save(folder / f"in{i}.npy", array)
            command += ["--input", folder / f"in{i}.npy"]
        for path in outputs:
            command += ["--output", path]
    tool(*command)
    report = json.loads((folder / "report.json").read_text())
    return report, [np.load(path) for path in outputs] if inputs is not None else []


def generated(kernel: Kernel, folder: pathlib.Path) -> pathlib.Path:
    path = folder / "kernel.mlir"
    path.write_text(kernel.text())
    return path


def bf16(values: np.ndarray) -> np.ndarray:
    """Rounded to nearest even."""
    bits = np.asarray(values, F32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) & np.uint32(0xFFFF0000)).astype(np.uint32).view(F32)


rng = np.random.default_rng(23)


def data(*shape: int, scale: float = 1, offset: float = 0) -> np.ndarray:
    return bf16(rng.normal(size=shape) * scale + offset)


def worst(found: np.ndarray, expected: np.ndarray) -> float:
    """Largest error, relative to the largest value."""
    return float(np.abs(found - expected).max() / np.abs(expected).max())


def within(name: str, error: float, tolerance: float) -> None:
    print(name, f"within {tolerance}" if error <= tolerance else f"off by {error}, allowed {tolerance}")


def exactly(name: str, found: np.ndarray, expected: np.ndarray) -> None:
    print(name, "equals NumPy" if np.array_equal(found, expected) else f"differs from NumPy: {found} {expected}")


def check_split_reduce(program: pathlib.Path, folder: pathlib.Path) -> dict:
    x = [data(16, 2048), data(16, 2048)]
    report, (total,) = run(program, folder, x)
    exactly("sum", total, bf16(x[0] + x[1]))
    return report


def check_layer_norm(program: pathlib.Path, folder: pathlib.Path) -> dict:
    x = [data(8, 64, 256, scale=3, offset=1), data(8, 64, 256, scale=2, offset=-2)]
    report, (mean, std, *normalized) = run(program, folder, [*x, np.ones(256, F32)])
    whole = np.concatenate(x, axis=-1).astype(np.float64)
    mu, sigma = whole.mean(-1), np.sqrt(whole.var(-1) + 1e-5)
    within("mean", worst(mean, mu), 1e-6)
    within("std", worst(std, sigma), 1e-6)
    # What the ruling excludes: the square root of the sum itself.
    print("std is not sqrt(sum):", bool((np.abs(std - np.sqrt(whole.var(-1) * 512)) > 1).all()))
    for i, found in enumerate(normalized):
        # Half a unit in the last place of bf16.
        error = np.abs(found - (x[i] - mu[..., None]) / sigma[..., None]) / np.maximum(np.abs(found), 2**-6)
        within(f"normalized_{i}", float(error.max()), 2**-8)
    return report


def check_batch_norm(program: pathlib.Path, folder: pathlib.Path) -> dict:
    x = [data(256, 4, 32, scale=2, offset=3), data(256, 4, 32, offset=-1)]
    report, (both, mean, variance) = run(program, folder, [*x, np.ones(32, F32)])
    whole = np.concatenate(x).astype(np.float64)
    assert whole.shape[0] == 512
    print("of both batches:", both.shape, "of all images:", mean.shape)
    within("mean of means", worst(both, np.stack(x).astype(np.float64).mean((0, 3))), 1e-6)
    within("mean over 512", worst(mean, whole.mean((0, 2))), 1e-6)
    within("variance over 512", worst(variance, whole.var((0, 2))), 2e-6)
    return report


def check_mixture(program: pathlib.Path, folder: pathlib.Path) -> dict:
    x = [data(256, 64), data(256, 64)]
    report, (combined,) = run(program, folder, x)
    exactly("0.7 e0 + 0.3 e1", combined, F32(0.7) * x[0] + F32(0.3) * x[1])
    return report


def check_temporal_max(program: pathlib.Path, folder: pathlib.Path) -> dict:
    x = [data(128, 2048) for _ in range(4)]
    report, (best,) = run(program, folder, x)
    exactly("maximum over 512 steps", best, np.concatenate(x).max(0))
    print("chunks that hold some maximum:", len(set(np.stack(x).max(1).argmax(0).tolist())))
    return report


def check(name: str, program: pathlib.Path, folder: pathlib.Path) -> None:
    checks: dict[str, Callable[[pathlib.Path, pathlib.Path], dict]] = {
        "split_reduce": check_split_reduce, "layer_norm": check_layer_norm, "batch_norm": check_batch_norm,
        "mixture": check_mixture, "temporal_max": check_temporal_max,
    }
    report = checks[name](program, folder)
    alone, _ = run(program, folder)
    steps = [[(c["name"], c["start"], c["end"], c["stages"]) for c in r["commands"]] for r in (report, alone)]
    print("cycles", report["cycles"], "the same without data:", steps[0] == steps[1])


def interleaved(config: dict) -> list[dict]:
    return [c for c in config["commands"] if c["kind"] == "exec" and c.get("vector", {}).get("unzip")]


def order(program: pathlib.Path, folder: pathlib.Path) -> None:
    """By address, which of two tensors the packets come from, and where the two groups meet."""
    for command in interleaved(configuration(program, folder)):
        sequencer = command["fetch"]["sequencer"]
        entries = sequencer["entries"][: len(sequencer["entries"]) - sequencer["packet_entries"]]
        packets = [sum(i * stride for i, (_, stride) in zip(index, entries))
                   for index in itertools.product(*(range(size) for size, _ in entries))]
        jump = packets[1] - packets[0]
        tensors = [i % 2 for i in range(len(packets))]
        assert all(b - a == jump for a, b in zip(packets[::2], packets[1::2])), packets
        print("entries", sequencer["entries"], "at", sequencer["base"])
        print("order", *(f"t{t}" for t in tensors[:4]), "of", len(packets), "packets, each of the first followed by",
              "the one of the second:", jump > 0 and max(packets[::2]) < jump)
        print("zip", *(op["opcode"] for op in command["vector"]["ops"] if op.get("zip")))


def sizes_of_layer_norm(folder: pathlib.Path) -> None:
    """What the manual states of B = 32, S = 128, H = 8192 in bf16, by the calculator and the machine."""
    del folder

    def elements(mapping: str) -> int:
        return json.loads(tool("sequin-map", "eval", "--axes", "B=32,S=128,H=8192", mapping, "--json"))["size"]

    machine = json.loads(tool("sequin-translate", "--dump-machine=rngd"))
    vrf = machine["vrf_bytes_per_slice"]
    tokens, token, chunk = elements("B, S"), 2 * elements("H"), 2 * elements("H % 4096")
    print("tokens", tokens, "tensor", tokens * token >> 20, "MB")
    print("token", token >> 10, "KB, fits the VRF:", token <= vrf)
    print("chunks", elements("H / 4096"), "of", elements("H % 4096"), "=", chunk >> 10, "KB, fits the VRF:",
          chunk <= vrf)
    print("more would not:", chunk == vrf)


def stages(report: dict, context: str = "main") -> list[dict]:
    return [c for c in report["commands"] if c["context"] == context]


def cycles_of_layer_norm(folder: pathlib.Path) -> None:
    """At B = 32, S = 128, H = 8192: the passes over the chunks, and the pass over their sums."""
    report, _ = run(generated(kernels.layer_norm(32, 128, 4096, normalize=False), folder), folder)
    flits = [c["stages"]["fetch"] for c in stages(report) if "contract" in c["stages"]]
    print("flits of a chunk in a slice", *flits, "= 16 tokens x 256")
    total = 256 * sum(flits)
    print("of both chunks in 256 slices", total, "= B S ceil(H / 16); the manual's formula takes all of H twice:",
          2 * total)
    x = [data(32, 128) for _ in range(2)]
    report, (found,) = run(generated(kernels.partial_sums(), folder), folder, x)
    exactly("sum of partial sums", found, x[0] + x[1])
    (one,) = stages(report)
    cycles = one["end"] - one["start"]
    print("fetch", one["stages"]["fetch"], "results", one["stages"]["commit"], "vector packets and ALU",
          one["stages"]["vector"], "pass", cycles, "dominated by the fetch:", cycles - one["stages"]["fetch"] <= 1)


def formulas(folder: pathlib.Path) -> None:
    """N fetches plus what of the vector engine they do not cover."""
    for work in ("clip", "floats"):
        base = 0
        for count in (1, 2):
            program = generated(kernels.splits(count, work), folder)
            (one,) = stages(run(program, folder)[0])
            (command,) = [c for c in configuration(program, folder)["commands"] if c["kind"] == "exec"]
            fetch, vector = one["stages"]["fetch"], one["stages"]["vector"]
            base = base or fetch
            read = 4 * np.prod([size for size, _ in command["fetch"]["sequencer"]["entries"]])
            # The engines stream, so that all of the fetch overlaps.
            formula = count * base + max(0, vector - fetch)
            print(work, f"N={count} fetch {fetch} vector {vector} pass {one['end'] - one['start']} formula {formula}",
                  f"bytes {read} = {count} x {read // count}")
    report, _ = run(generated(kernels.splits(4, "clip"), folder), folder)
    fetches = [c["stages"]["fetch"] for c in stages(report)]
    # Two passes over the four tensors; the third reads what those wrote.
    print("N=4 fetches", *fetches, "of the four tensors", fetches[0] + fetches[1])


def levels(folder: pathlib.Path) -> None:
    """One kernel per level of the machine: by what it is reduced."""
    x, w = rng.integers(-4, 5, (4, 128)), rng.integers(-4, 5, (8, 128))
    program = generated(kernels.level_packet_time(), folder)
    _, (found,) = run(program, folder, [x.astype(F32), w.astype(F32)])
    exactly("packet, time:", found, (x @ w.T).astype(F32))
    (command,) = [c for c in configuration(program, folder)["commands"] if c["kind"] == "exec" and "contract" in c]
    contract = command["contract"]
    print("  contraction: packet of", 2 ** contract["depth"], "time of",
          *(loop["size"] for loop in contract["loops"] if loop["reduced"]), "rows", contract["rows"],
          "vector", "vector" in command)

    x = rng.integers(-1000, 1000, (4, 512)).astype(np.int32)
    program = generated(kernels.level_slice(), folder)
    _, (found,) = run(program, folder, [x])
    exactly("slice:", found, x.sum(0, dtype=np.int32))
    (command,) = [c for c in configuration(program, folder)["commands"] if c["kind"] == "exec"]
    inter = command["vector"]["inter_slice"]
    print("  vector engine:", inter["opcode"], "over", bin(int(inter["routers"][0]["sources"], 16)).count("1"),
          "slices, contraction", "contract" in command)

    x = rng.integers(-1000, 1000, (2, 2048)).astype(np.int32)
    program = generated(kernels.level_cluster(), folder)
    _, (found,) = run(program, folder, [x])
    exactly("cluster:", found, np.tile(x.sum(0, dtype=np.int32), (2, 1)))
    config = configuration(program, folder)
    (command,) = interleaved(config)
    moves = [c for c in config["commands"] if c["kind"] == "dma" and c["destination"] == "dm"][-2:]
    stride = json.loads(tool("sequin-translate", "--dump-machine=rngd"))["dm_slice_stride"]
    reached = [{destination // (256 * stride) for d in move["descriptors"]
                for destination in (d["destination_address"] + sum((e[0] - 1) * e[2] for e in d["entries"]),
                                    d["destination_address"])} for move in moves]
    print("  dma to clusters", *(sorted(one) for one in reached), "then", command["vector"]["ops"][-1]["opcode"],
          "in", sum(int(mask, 16) != 0 for mask in command["slices"]), "clusters")

    x = rng.integers(-128, 128, (4, 4)).astype(np.int8)
    program = pathlib.Path(__file__).parents[4] / "examples" / "tcp" / "all_reduce.mlir"
    _, (found,) = run(program, folder, [x])
    exactly("chip:", found, np.tile(x.sum(0, dtype=np.int32), (4, 1)))
    config = configuration(program, folder)
    between = sum(d["source_chip"] != d["destination_chip"] for c in config["commands"] if c["kind"] == "dma"
                  for d in c["descriptors"])
    adds = interleaved(config)
    print("  dma between chips", between, "moves, then", adds[-1]["vector"]["ops"][-1]["opcode"], "in",
          len({c["chip"] for c in adds}), "chips")


def main(command: str, *rest: str) -> None:
    if command == "write":
        words = [int(word) if word.isdigit() else word for word in rest[1:]]
        print(getattr(kernels, rest[0])(*words).text(), end="")
    elif command == "check":
        check(rest[0], pathlib.Path(rest[1]), pathlib.Path(rest[2]))
    elif command == "order":
        order(pathlib.Path(rest[0]), pathlib.Path(rest[1]))
    else:
        {"layer_norm_sizes": sizes_of_layer_norm, "layer_norm_cycles": cycles_of_layer_norm, "formulas": formulas,
         "levels": levels}[command](pathlib.Path(rest[0]))


if __name__ == "__main__":
    main(*sys.argv[1:])
