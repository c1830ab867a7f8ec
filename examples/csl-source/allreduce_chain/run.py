#!/usr/bin/env cs_python
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The sum of a row's vectors, at all of its PEs."""

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
width, N = params["width"], params["N"]
runner.load()
runner.run()
data = np.arange(width * N, dtype=np.float32).reshape(width, N) ** 2
runner.memcpy_h2d(runner.get_id("data"), data.ravel(), 0, 0, width, 1, N, **copy)
sums = np.zeros((width, N), np.float32)
for _ in range(2):
    runner.launch("reduce", nonblock=False)
    runner.memcpy_d2h(sums, runner.get_id("sum"), 0, 0, width, 1, N, **copy)
    np.testing.assert_array_equal(sums, np.broadcast_to(data.sum(0), sums.shape))
runner.stop()
print("SUCCESS")
