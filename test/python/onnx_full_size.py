# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks at the size that people use: what import, compilation and a simulation of their
cycles take.

    PYTHONPATH=build/python /usr/bin/python3 test/python/onnx_full_size.py [NAME...]

prints a table. Weights are external data in a file with nothing but holes: their numbers
say nothing about cycles.
"""

from __future__ import annotations

import json
import math
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from onnx import TensorProto

import sequin
from onnx_exported import (
    Exporter,
    bert,
    efficientnet,
    gpt2,
    llama,
    lstm,
    mobilenet,
    resnet,
    unet,
    vit,
)

#: What each may take, in bytes; a minute is what all steps together may take.
MOST_BYTES = 8_000_000_000


class OnDisk(Exporter):
    """Its weights are external data."""

    FILE = "weights.bin"

    def __init__(self, opset: int, folder: Path) -> None:
        super().__init__(opset)
        self.folder = folder
        self.offset = 0

    def weight(self, name: str, *shape: int, scale: float = 1.0) -> str:
        tensor = TensorProto(name=name, dims=shape, data_type=TensorProto.FLOAT,
                             data_location=TensorProto.EXTERNAL)
        length = 4 * math.prod(shape)
        for key, value in (("location", self.FILE), ("offset", self.offset), ("length", length)):
            tensor.external_data.add(key=key, value=str(value))
        self.offset += length
        self.external.append(tensor)
        return name

    def write(self) -> Path:
        with open(self.folder / self.FILE, "wb") as file:
            file.truncate(self.offset)
        path = self.folder / "model.onnx"
        path.write_bytes(self.bytes())
        return path


@dataclass(frozen=True)
class Network:
    """A builder with the sizes of a network that has a name, and those of its input."""

    build: Callable[..., Any]
    sizes: dict[str, int]
    options: dict[str, Any]


STAGES = ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1),
          (6, 160, 3, 2), (6, 320, 1, 1))
WIDTHS = (64, 128, 256, 512)
TRANSFORMER = {"layers": 12, "width": 768, "heads": 12}
BLOCK = {"width": 4096, "heads": 32, "shared": 8, "hidden": 14336, "vocabulary": 0}
NETWORKS = {
    "gpt2-small": Network(gpt2, {"batch": 1, "seq": 1024},
                          {**TRANSFORMER, "vocabulary": 50257, "context": 1024}),
    "bert-base": Network(bert, {"batch": 1, "seq": 384},
                         {**TRANSFORMER, "vocabulary": 30522, "context": 512}),
    "vit-b16": Network(vit, {"batch": 1},
                       {**TRANSFORMER, "image": 224, "patch": 16, "classes": 1000}),
    "resnet18": Network(resnet, {"batch": 1}, {"widths": WIDTHS, "image": 224, "classes": 1000,
                                               "blocks": (2, 2, 2, 2)}),
    "resnet50": Network(resnet, {"batch": 1}, {"widths": WIDTHS, "image": 224, "classes": 1000,
                                               "blocks": (3, 4, 6, 3), "bottleneck": True}),
    "mobilenet-v2": Network(mobilenet, {"batch": 1}, {"image": 224, "classes": 1000, "stem": 32,
                                                      "last": 1280, "stages": STAGES}),
    "efficientnet-block": Network(efficientnet, {"batch": 1}, {"image": 28, "channels": 40,
                                                               "wide": 240, "squeezed": 10}),
    "unet": Network(unet, {"batch": 1}, {"image": 256, "channels": 3, "convolutions": 2,
                                         "widths": (*WIDTHS, 1024)}),
    "llama-block": Network(llama, {"batch": 1, "seq": 1024}, BLOCK),
    "mixtral-block": Network(llama, {"batch": 1, "seq": 128}, {**BLOCK, "experts": 8}),
    "lstm": Network(lstm, {"batch": 8, "seq": 64}, {"width": 512, "hidden": 512, "classes": 10}),
}


def measure(name: str, target: str = "rngd") -> dict[str, Any]:
    """Seconds of each step, the peak of memory in bytes, cycles and speed."""
    network = NETWORKS[name]
    with tempfile.TemporaryDirectory() as folder:
        graph = OnDisk(17, Path(folder))
        network.build(graph, **network.options)
        path = graph.write()
        times, cpu = [time.perf_counter()], time.process_time()

        def lap() -> float:
            times.append(time.perf_counter())
            return round(times[-1] - times[-2], 2)

        model = sequin.import_onnx(path, network.sizes)
        found: dict[str, Any] = {"import": lap()}
        compiled = model.compile(target, allow_bf16=True)
        found["compile"] = lap()
        costs = compiled.run(timing_only=True).costs
        found["simulate"] = lap()
        assert costs is not None
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        speed = costs.throughput
        return {**found, "cpu": time.process_time() - cpu, "bytes": peak, "cycles": costs.total.cycles,
                "of_bound": costs.total.share_of_bound,
                "speed": f"{speed.per_second:,.0f} {speed.unit}s/s"}


def measure_alone(name: str) -> dict[str, Any]:
    """The same in a process of its own, whose memory is that of this network."""
    done = subprocess.run([sys.executable, __file__, "--json", name], capture_output=True,
                          text=True, timeout=600)
    if done.returncode:
        raise RuntimeError(done.stderr)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def main(names: list[str]) -> None:
    if names[:1] == ["--json"]:
        print(json.dumps(measure(names[1])))
        return
    print(f"{'network':<20}{'import':>8}{'compile':>9}{'simulate':>10}{'memory':>10}"
          f"{'cycles':>14}{'of bound':>10}  speed")
    for name in names or NETWORKS:
        try:
            row = measure_alone(name)
        except RuntimeError as error:
            print(f"{name:<20}{str(error).strip().splitlines()[-1]}")
            continue
        print(f"{name:<20}{row['import']:>7}s{row['compile']:>8}s{row['simulate']:>9}s"
              f"{row['bytes'] / 1e6:>7,.0f} MB{row['cycles']:>14,}{row['of_bound']:>10.1%}"
              f"  {row['speed']}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
