#!/usr/bin/env cs_python
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Copies, launches and streams, checked against NumPy."""

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
    params = json.load(file)["params"]
width, height, size = (int(params[name]) for name in ("width", "height", "size"))
h2d_color = int(params["MEMCPYH2D_DATA_1_ID"])
d2h_color = int(params["MEMCPYD2H_DATA_1_ID"])

random = np.random.default_rng(7)
x = random.integers(-8, 8, (height, width, size)).astype(np.float32)
row = random.integers(-8, 8, (height, size)).astype(np.float32)

runner = SdkRuntime(args.name, cmaddr=args.cmaddr)
x_id, y_id, counts_id = (runner.get_id(name) for name in ("x", "y", "counts"))
runner.load()
runner.run()

everywhere = (0, 0, width, height, size)
words = dict(
    streaming=False,
    data_type=MemcpyDataType.MEMCPY_32BIT,
    order=MemcpyOrder.COL_MAJOR,
    nonblock=True,
)
runner.memcpy_h2d(x_id, x.ravel("F"), *everywhere, **words)
# Every PE of a row begins with the same y.
runner.memcpy_h2d_rowbcast(y_id, row.ravel("F"), *everywhere, **words)
runner.launch("axpy", np.float32(2.0), nonblock=True)
y = np.zeros(x.size, np.float32)
runner.memcpy_d2h(y, y_id, *everywhere, **{**words, "nonblock": False})
expected = 2 * x + row[:, None, :]
np.testing.assert_array_equal(y.reshape(x.shape, order="F"), expected)

halves = dict(words, data_type=MemcpyDataType.MEMCPY_16BIT, order=MemcpyOrder.ROW_MAJOR)
runner.launch("count_from", np.uint16(100), nonblock=True)
counts = np.zeros((height, width, size), np.uint32)
task = runner.memcpy_d2h(counts, counts_id, *everywhere, **halves)
runner.task_wait(task)
assert (memcpy_view(counts, np.uint16) == 100 + np.arange(size)).all()

runner.launch("triple", nonblock=False)
streamed = dict(words, streaming=True, order=MemcpyOrder.ROW_MAJOR)
runner.memcpy_h2d(h2d_color, x.ravel(), *everywhere, **streamed)
back = np.zeros_like(x)
runner.memcpy_d2h(back, d2h_color, *everywhere, **{**streamed, "nonblock": False})
np.testing.assert_array_equal(back, 3 * x)

runner.stop()
print("SUCCESS")
