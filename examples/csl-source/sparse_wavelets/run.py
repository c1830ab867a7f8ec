#!/usr/bin/env cs_python
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A sparse matrix times a vector, against NumPy."""

import argparse
import json

import numpy as np
from cerebras.sdk.runtime.sdkruntimepybind import MemcpyDataType, MemcpyOrder, SdkRuntime
from cerebras.sdk.sdk_utils import input_array_to_u32

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
width, per_pe, rows = params["width"], params["per_pe"], params["rows"]
pes = width - 1
random = np.random.default_rng(9)
x = random.integers(-3, 4, pes).astype(np.float16)
row_of = np.array([random.choice(rows, per_pe, replace=False) for _ in range(pes)], np.uint16)
values = random.integers(1, 9, (pes, per_pe)).astype(np.float16)
runner.load()
runner.run()
short = dict(copy, data_type=MemcpyDataType.MEMCPY_16BIT)
for name, data in ("x", x[:, None]), ("row_of", row_of), ("values", values):
    words = input_array_to_u32(data.ravel(), None, data.size)
    runner.memcpy_h2d(runner.get_id(name), words, 0, 0, pes, 1, data.shape[1], **short)
runner.launch("multiply", nonblock=False)
y = np.zeros(rows, np.float32)
runner.memcpy_d2h(y, runner.get_id("y"), width - 1, 0, 1, 1, rows, **copy)
runner.stop()
matrix = np.zeros((rows, pes), np.float32)
for column in range(pes):
    matrix[row_of[column], column] = values[column]
np.testing.assert_array_equal(y, matrix @ x.astype(np.float32))
print("SUCCESS")
