#!/usr/bin/env cs_python
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Vectors of 16-bit floats, against NumPy."""

import argparse
import json

import numpy as np
from cerebras.sdk.runtime.sdkruntimepybind import MemcpyDataType, MemcpyOrder, SdkRuntime
from cerebras.sdk.sdk_utils import input_array_to_u32, memcpy_view

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
short = dict(copy, data_type=MemcpyDataType.MEMCPY_16BIT)
a = (np.arange(N) * 0.75 - 3).astype(np.float16)
b = (np.arange(N) % 5 + 1).astype(np.float16)
alpha = np.float16(1.5)
for name, data in ("a", a), ("b", b):
    words = input_array_to_u32(data, None, N)
    runner.memcpy_h2d(runner.get_id(name), words, 0, 0, 1, 1, N, **short)
runner.launch("compute", alpha, nonblock=False)


def fetch(name, rows, dtype):
    """Rows of 16-bit elements of the device."""
    words = np.zeros(rows * N, np.uint32)
    runner.memcpy_d2h(words, runner.get_id(name), 0, 0, 1, 1, rows * N, **short)
    return memcpy_view(words, np.dtype(dtype)).reshape(rows, N)


half = fetch("half", 14, np.float16)
ints = fetch("ints", 4, np.int16)
single = np.zeros(8 * N, np.float32)
runner.memcpy_d2h(single, runner.get_id("single"), 0, 0, 1, 1, 8 * N, **copy)
single = single.reshape(8, N)
runner.stop()

whole = np.trunc(a).astype(np.int16)
expected = [
    a + b, alpha + b, a - b, a - alpha, a * b, alpha * a, np.maximum(a, b), abs(a), -b,
    a + b * alpha, a, np.full(N, alpha), a, whole,
]  # fmt: skip
np.testing.assert_array_equal(half, np.float16(expected))
a32, b32 = a.astype(np.float32), b.astype(np.float32)
expected = [a32, np.full(N, alpha), a32 + b32, a32 + 1.5, a32 + b32 * 1.5, whole, np.full(N, 7)]
np.testing.assert_array_equal(single[:7], np.float32(expected))
np.testing.assert_array_equal(single[7, :5], [a.sum(), a.max(), 0.5 + a32.sum(), 0.75, 1.5])
np.testing.assert_array_equal(ints[:3], [whole, whole, np.full(N, 1)])
assert ints[3, 0] == 5
print("SUCCESS")
