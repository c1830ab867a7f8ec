#!/usr/bin/env cs_python
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What descriptors reach, against slices of NumPy."""

import argparse
import json

import numpy as np
from cerebras.sdk.runtime.sdkruntimepybind import MemcpyDataType, MemcpyOrder, SdkRuntime
from cerebras.sdk.sdk_utils import memcpy_view

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
rows, columns = params["rows"], params["columns"]
A = np.arange(rows * columns, dtype=np.int16).reshape(rows, columns) + 100
short = dict(copy, data_type=MemcpyDataType.MEMCPY_16BIT)
runner.load()
runner.run()
runner.memcpy_h2d(runner.get_id("A"), A.astype(np.uint32).ravel(), 0, 0, 1, 1, A.size, **short)
row, count, step = 2, 4, 3
runner.launch("main", np.uint16(row), np.uint16(count), np.int16(step), nonblock=False)
words = np.zeros(64, np.uint32)
runner.memcpy_d2h(words, runner.get_id("out"), 0, 0, 1, 1, 64, **short)
runner.stop()
out = memcpy_view(words, np.dtype(np.int16))
flat = A.ravel()
expected = [
    *A.diagonal()[:rows], *A[row, :count], *A[row, count - 1 :: -1], *flat[step : 4 * step : step],
    *A[1, :2], *flat[:4:2], *A[1:3, 1:3].ravel(), *A[0:2, 1:3].ravel(), *A[row, :2], A[1, 1],
]  # fmt: skip
np.testing.assert_array_equal(out[: len(expected)], expected)
assert out[63] == A.diagonal()[:rows].sum()
print("SUCCESS")
