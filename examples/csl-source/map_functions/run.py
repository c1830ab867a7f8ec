#!/usr/bin/env cs_python
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions over vectors, against NumPy."""

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
N = params["N"]
x = np.linspace(0.1, 6.2, N, dtype=np.float32)
runner.load()
runner.run()
runner.memcpy_h2d(runner.get_id("x"), x, 0, 0, 1, 1, N, **copy)
runner.launch("main", nonblock=False)
y = np.zeros((4, N), np.float32)
runner.memcpy_d2h(y, runner.get_id("y"), 0, 0, 1, 1, 4 * N, **copy)
words = np.zeros(4, np.uint32)
short = dict(copy, data_type=MemcpyDataType.MEMCPY_16BIT)
runner.memcpy_d2h(words, runner.get_id("counts"), 0, 0, 1, 1, 4, **short)
runner.stop()
np.testing.assert_allclose(y[0], np.sqrt(x), rtol=1e-5)
np.testing.assert_allclose(y[1], np.sin(x), atol=1e-4)
np.testing.assert_array_equal(y[2], np.clip(x, 1, 3))
np.testing.assert_array_equal(y[3], np.clip(x, 1, 3) * np.float32(0.5) + x)
np.testing.assert_array_equal(
    memcpy_view(words, np.dtype(np.uint16)), np.bincount((x * 2 / np.pi).astype(int), minlength=4)
)
print("SUCCESS")
