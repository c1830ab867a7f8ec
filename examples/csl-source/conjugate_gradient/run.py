#!/usr/bin/env cs_python
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A symmetric system of equations, solved by conjugate gradients."""

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
P, rows = params["P"], params["rows"]
n = P * rows
A = (2 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1) + 0.5 * np.eye(n)).astype(np.float32)
b = np.arange(1, n + 1, dtype=np.float32)
runner.load()
runner.run()
runner.memcpy_h2d(runner.get_id("A"), A.ravel(), 0, 0, 1, P, rows * n, **copy)
runner.memcpy_h2d(runner.get_id("b"), b, 0, 0, 1, P, rows, **copy)
runner.launch("solve", np.float32(1e-4), nonblock=False)
x = np.zeros(n, np.float32)
runner.memcpy_d2h(x, runner.get_id("x"), 0, 0, 1, P, rows, **copy)
steps = np.zeros(P, np.uint32)
short = dict(copy, data_type=MemcpyDataType.MEMCPY_16BIT)
runner.memcpy_d2h(steps, runner.get_id("steps"), 0, 0, 1, P, 1, **short)
runner.stop()
np.testing.assert_allclose(x, np.linalg.solve(A, b), rtol=1e-3)
steps = memcpy_view(steps, np.dtype(np.uint16))
assert 0 < steps[0] <= n + 2 and (steps == steps[0]).all(), steps
print(f"{steps[0]} steps SUCCESS")
