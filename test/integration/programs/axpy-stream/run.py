#!/usr/bin/env cs_python
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import argparse
import json
import numpy as np
from cerebras.sdk.runtime.sdkruntimepybind import SdkRuntime, MemcpyDataType, MemcpyOrder  # pylint: disable=no-name-in-module

parser = argparse.ArgumentParser()
parser.add_argument("--name", help="the directory that cslc wrote")
parser.add_argument("--cmaddr", help="IP:port for CS system")
args = parser.parse_args()

with open(f"{args.name}/out.json", encoding="utf-8") as f:
    params = json.load(f)["params"]
w, h, L = int(params["width"]), int(params["height"]), int(params["L"])
H2D_1 = int(params["MEMCPYH2D_DATA_1_ID"])
H2D_2 = int(params["MEMCPYH2D_DATA_2_ID"])
D2H_1 = int(params["MEMCPYD2H_DATA_1_ID"])

runner = SdkRuntime(args.name, cmaddr=args.cmaddr)
sym_calls = runner.get_id("calls")
runner.load()
runner.run()

rng = np.random.default_rng(7)
opts = dict(streaming=True, data_type=MemcpyDataType.MEMCPY_32BIT, order=MemcpyOrder.ROW_MAJOR)
for rep, alpha in enumerate([2.0, -0.5, 3.0]):
    x = rng.integers(-40, 40, size=(h, w, L)).astype(np.float32)
    y = rng.integers(-40, 40, size=(h, w, L)).astype(np.float32)
    runner.launch("set_alpha", np.float32(alpha), nonblock=False)
    runner.memcpy_h2d(H2D_1, x.ravel(), 0, 0, w, h, L, nonblock=True, **opts)
    runner.memcpy_h2d(H2D_2, y.ravel(), 0, 0, w, h, L, nonblock=True, **opts)
    z = np.zeros(w * h * L, dtype=np.float32)
    runner.memcpy_d2h(z, D2H_1, 0, 0, w, h, L, nonblock=False, **opts)
    np.testing.assert_array_equal(z.reshape(h, w, L), np.float32(alpha) * x + y)

calls = np.zeros(w * h * 2, dtype=np.uint32)
runner.memcpy_d2h(calls, sym_calls, 0, 0, w, h, 2, streaming=False,
                  data_type=MemcpyDataType.MEMCPY_32BIT, order=MemcpyOrder.ROW_MAJOR, nonblock=False)
runner.stop()
assert (calls == 3).all(), calls
print("SUCCESS!")
