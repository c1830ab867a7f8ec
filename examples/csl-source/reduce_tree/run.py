#!/usr/bin/env cs_python
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The sum over a rectangle, on all of its PEs."""

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
w, h, N = params["width"], params["height"], params["N"]
data = np.random.default_rng(0).integers(-50, 50, (h, w, N)).astype(np.float32)
runner.load()
runner.run()
runner.memcpy_h2d(runner.get_id("data"), data.ravel(), 0, 0, w, h, N, **copy)
for _ in range(2):
    runner.launch("allreduce", nonblock=False)
total = np.zeros_like(data)
runner.memcpy_d2h(total, runner.get_id("total"), 0, 0, w, h, N, **copy)
runner.stop()
np.testing.assert_array_equal(total, np.broadcast_to(data.sum((0, 1)), data.shape))
print("SUCCESS")
