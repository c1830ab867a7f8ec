#!/usr/bin/env cs_python
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Explicit steps of the heat equation with a cold border, against NumPy."""

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
w, h, nx, ny = (params[name] for name in ("width", "height", "nx", "ny"))
STEPS, K = 5, np.float32(0.125)
u = np.random.default_rng(1).integers(0, 64, (h * ny, w * nx)).astype(np.float32)
blocks = u.reshape(h, ny, w, nx).transpose(0, 2, 1, 3)
runner.load()
runner.run()
symbol = runner.get_id("u")
runner.memcpy_h2d(symbol, blocks.ravel(), 0, 0, w, h, nx * ny, **copy)
runner.launch("iterate", np.uint16(STEPS), K, nonblock=False)
result = np.zeros(u.size, np.float32)
runner.memcpy_d2h(result, symbol, 0, 0, w, h, nx * ny, **copy)
runner.stop()
for _ in range(STEPS):
    framed = np.pad(u, 1)
    around = framed[:-2, 1:-1] + framed[2:, 1:-1] + framed[1:-1, :-2] + framed[1:-1, 2:]
    u = u + K * (around - 4 * u)
result = result.reshape(h, w, ny, nx).transpose(0, 2, 1, 3).reshape(u.shape)
np.testing.assert_allclose(result, u, rtol=1e-5)
print("SUCCESS")
