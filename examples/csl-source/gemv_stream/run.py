#!/usr/bin/env cs_python
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A matrix times a streamed vector."""

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
w, h, Mt, Nt = (params[name] for name in ("width", "height", "Mt", "Nt"))
random = np.random.default_rng(19)
A = random.integers(-5, 6, (h * Mt, w * Nt)).astype(np.float32)
x = random.integers(-5, 6, w * Nt).astype(np.float32)
stream = dict(copy, streaming=True)
runner.load()
runner.run()
blocks = A.reshape(h, Mt, w, Nt).transpose(0, 2, 3, 1).ravel()
runner.memcpy_h2d(runner.get_id("A"), blocks, 0, 0, w, h, Mt * Nt, **copy)
runner.memcpy_h2d(params["MEMCPYH2D_DATA_1_ID"], x, 0, 0, w, 1, Nt, **{**stream, "nonblock": True})
y = np.zeros(h * Mt, np.float32)
runner.memcpy_d2h(y, params["MEMCPYD2H_DATA_1_ID"], w - 1, 0, 1, h, Mt, **stream)
runner.stop()
np.testing.assert_array_equal(y, A @ x)
print("SUCCESS")
