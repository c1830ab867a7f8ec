#!/usr/bin/env cs_python
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""y = A x + b three ways, with their cycles."""

import argparse
import json

import numpy as np
from cerebras.sdk.runtime.sdkruntimepybind import MemcpyDataType, MemcpyOrder, SdkRuntime
from cerebras.sdk.sdk_utils import calculate_cycles

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
M, N = params["M"], params["N"]
runner.load()
runner.run()
A = np.arange(M * N, dtype=np.float32).reshape(M, N)
x = np.arange(N, dtype=np.float32) - 2
b = np.full(M, 2, np.float32)
for name, data in ("A", A), ("x", x), ("b", b):
    runner.memcpy_h2d(runner.get_id(name), data.ravel(), 0, 0, 1, 1, data.size, **copy)
cycles = {}
for name in ("gemv_loops", "gemv_columns", "gemv_rows"):
    runner.launch(name, nonblock=False)
    y = np.zeros(M, np.float32)
    runner.memcpy_d2h(y, runner.get_id("y"), 0, 0, 1, 1, M, **copy)
    np.testing.assert_array_equal(y, A @ x + b)
    stamps = np.zeros(3, np.float32)
    runner.memcpy_d2h(stamps, runner.get_id("time"), 0, 0, 1, 1, 3, **copy)
    cycles[name] = int(calculate_cycles(stamps))
runner.stop()
print(cycles)
# One operation for each column is quicker than a loop over elements.
assert 0 < cycles["gemv_columns"] < cycles["gemv_loops"]
print("SUCCESS")
