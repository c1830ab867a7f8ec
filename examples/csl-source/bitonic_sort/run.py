#!/usr/bin/env cs_python
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A sorting network, up on one PE and down on the other."""

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
n = 1 << params["log_n"]
data = np.random.default_rng(4).permutation(2 * n).astype(np.float32) - n
symbol = runner.get_id("data")
runner.load()
runner.run()
runner.memcpy_h2d(symbol, data, 0, 0, 2, 1, n, **copy)
runner.launch("sort", nonblock=False)
result = np.zeros_like(data)
runner.memcpy_d2h(result, symbol, 0, 0, 2, 1, n, **copy)
runner.stop()
np.testing.assert_array_equal(result[:n], np.sort(data[:n]))
np.testing.assert_array_equal(result[n:], np.sort(data[n:])[::-1])
print("SUCCESS")
