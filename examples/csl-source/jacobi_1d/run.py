#!/usr/bin/env cs_python
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Jacobi's iteration on a line, against NumPy."""

import argparse
import json

import numpy as np
from cerebras.sdk.runtime.sdkruntimepybind import MemcpyDataType, MemcpyOrder, SdkRuntime

parser = argparse.ArgumentParser()
parser.add_argument("--name", required=True, help="the directory that cslc wrote")
parser.add_argument("--cmaddr", help="IP:port of a system; none is the simulator")
args = parser.parse_args()

with open(f"{args.name}/out.json", encoding="utf-8") as file:
    params = {name: int(value) for name, value in json.load(file)["params"].items()}

runner = SdkRuntime(args.name, cmaddr=args.cmaddr)
copy = dict(
    streaming=False,
    data_type=MemcpyDataType.MEMCPY_32BIT,
    order=MemcpyOrder.ROW_MAJOR,
    nonblock=False,
)
width, N, STEPS = params["width"], params["N"], 12
f = np.random.default_rng(12).integers(-8, 9, width * N).astype(np.float32)
u = np.zeros_like(f)
runner.load()
runner.run()
runner.memcpy_h2d(runner.get_id("f"), f, 0, 0, width, 1, N, **copy)
# A launch that does nothing lets the PEs start.
runner.launch("iterate", np.int16(0), nonblock=False)
runner.memcpy_h2d(runner.get_id("u"), u, 0, 0, width, 1, N, **copy)
runner.launch("iterate", np.int16(STEPS), nonblock=False)
result = np.zeros_like(u)
runner.memcpy_d2h(result, runner.get_id("u"), 0, 0, width, 1, N, **copy)
runner.stop()
for _ in range(STEPS):
    framed = np.pad(u, 1)
    u = (framed[:-2] + framed[2:] + f) * np.float32(0.5)
np.testing.assert_array_equal(result, u)
print("SUCCESS")
