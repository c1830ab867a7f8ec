#!/usr/bin/env cs_python
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Mandelbrot's set, one point on each PE."""

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
w, h, limit = params["width"], params["height"], params["limit"]
runner.load()
runner.run()
runner.launch("run", nonblock=False)
counts = np.zeros((h, w), np.uint32)
last = np.zeros((h, w, 2), np.float32)
runner.memcpy_d2h(counts, runner.get_id("counts"), 0, 0, w, h, 1, **copy)
runner.memcpy_d2h(last, runner.get_id("last"), 0, 0, w, h, 2, **copy)
runner.stop()
expected = np.zeros((h, w), np.uint32)
for y in range(h):
    for x in range(w):
        c = complex(-2 + 0.75 * x, -1 + 0.5 * y)
        z = 0j
        while expected[y, x] < limit and abs(z) <= 2:
            z = z * z + c
            expected[y, x] += 1
        if abs(z) <= 2:
            np.testing.assert_allclose(complex(*last[y, x]), z, atol=1e-2)
np.testing.assert_array_equal(counts, expected)
print("SUCCESS")
