#!/usr/bin/env cs_python
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fourier transforms there and back, against NumPy's."""

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
n, height = 1 << params["log_n"], params["height"]
random = np.random.default_rng(8)
x = (random.standard_normal((height, n)) + 1j * random.standard_normal((height, n))).astype(np.complex64)
runner.load()
runner.run()
symbol = runner.get_id("x")
runner.memcpy_h2d(symbol, x.view(np.float32).ravel(), 0, 0, 1, height, 2 * n, **copy)
runner.launch("transform", np.int16(1), nonblock=False)
y = np.zeros_like(x)
runner.memcpy_d2h(y.view(np.float32), symbol, 0, 0, 1, height, 2 * n, **copy)
np.testing.assert_allclose(y, np.fft.fft(x), rtol=1e-4, atol=1e-4)
runner.launch("transform", np.int16(-1), nonblock=False)
runner.memcpy_d2h(y.view(np.float32), symbol, 0, 0, 1, height, 2 * n, **copy)
np.testing.assert_allclose(y, x, rtol=1e-4, atol=1e-4)
runner.stop()
print("SUCCESS")
