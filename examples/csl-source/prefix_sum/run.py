#!/usr/bin/env cs_python
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Running sums along a row."""

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
data = np.random.default_rng(6).integers(-100000, 100000, width * N, dtype=np.int32)
symbol = runner.get_id("data")
runner.load()
runner.run()
result = data
for _ in range(2):
    runner.memcpy_h2d(symbol, result, 0, 0, width, 1, N, **copy)
    runner.launch("scan", nonblock=False)
    expected = np.cumsum(result, dtype=np.int32)
    result = np.zeros_like(data)
    runner.memcpy_d2h(result, symbol, 0, 0, width, 1, N, **copy)
    np.testing.assert_array_equal(result, expected)
runner.stop()
print("SUCCESS")
