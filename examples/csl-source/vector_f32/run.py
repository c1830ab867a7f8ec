#!/usr/bin/env cs_python
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every operation on vectors of f32, against NumPy."""

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
N = params["N"]
runner.load()
runner.run()
a = np.arange(N, dtype=np.float32) - 3
b = np.float32(2) ** np.arange(N).astype(np.float32)
alpha = np.float32(1.5)
runner.memcpy_h2d(runner.get_id("a"), a, 0, 0, 1, 1, N, **copy)
runner.memcpy_h2d(runner.get_id("b"), b, 0, 0, 1, 1, N, **copy)
runner.launch("compute", alpha, nonblock=False)
out = np.zeros((15, N), np.float32)
scalars = np.zeros(6, np.float32)
runner.memcpy_d2h(out.reshape(-1), runner.get_id("out"), 0, 0, 1, 1, 15 * N, **copy)
runner.memcpy_d2h(scalars, runner.get_id("scalars"), 0, 0, 1, 1, 6, **copy)
runner.stop()

every_second = np.full(N, -1, np.float32)
every_second[: N // 2 * 2 : 2] = alpha
expected = [
    a + b,
    alpha + b,
    a - b,
    alpha - b,
    b - alpha,
    a * b,
    a * alpha,
    np.maximum(a, b),
    np.maximum(a, 0),
    abs(a),
    -a,
    a + b * alpha,
    a[::-1],
    every_second,
    np.full(N, -1),
]
np.testing.assert_array_equal(out, np.float32(expected))
np.testing.assert_array_equal(
    scalars, [a.sum(), a.max(), b[:3].prod(), -b.sum(), alpha * 8, 10 / 8]
)
print("SUCCESS")
