#!/usr/bin/env cs_python
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Two streams into data tasks and two back, in both orders of a host array."""

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
width, size = params["width"], 5
h2d = [params[f"MEMCPYH2D_DATA_{i}_ID"] for i in (1, 2)]
d2h = [params[f"MEMCPYD2H_DATA_{i}_ID"] for i in (1, 2)]
box = (0, 0, width, 2, size)
stream = dict(copy, streaming=True, nonblock=True)
random = np.random.default_rng(13)
x = random.choice([1, -1, 2, 0.5], (2, width, size)).astype(np.float32)
low, high = random.integers(0, 1 << 16, (2, 2, width, size), dtype=np.uint16)
words = low.astype(np.uint32) | high.astype(np.uint32) << 16
limit = np.full(2 * width, 60000, np.uint32)

runner.load()
runner.run()
runner.memcpy_h2d(runner.get_id("limit"), limit, 0, 0, width, 2, 1, **copy)
runner.memcpy_h2d(h2d[0], x.ravel(), *box, **stream)
products = np.zeros_like(x)
runner.memcpy_d2h(products, d2h[0], *box, **stream)
columns = dict(stream, order=MemcpyOrder.COL_MAJOR)
runner.memcpy_h2d(h2d[1], words.ravel("F"), *box, **columns)
sums = np.zeros(words.size, np.uint32)
task = runner.memcpy_d2h(sums, d2h[1], *box, **columns)
runner.task_wait(task)
assert runner.is_task_done(task)
runner.stop()
np.testing.assert_array_equal(products, np.cumprod(x, axis=2))
expected = np.minimum(low.astype(np.uint32) + high, 60000)
np.testing.assert_array_equal(sums.reshape(words.shape, order="F"), expected)
print("SUCCESS")
