#!/usr/bin/env cs_python
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import argparse, json
import numpy as np
from cerebras.sdk.sdk_utils import memcpy_view, input_array_to_u32
from cerebras.sdk.runtime.sdkruntimepybind import SdkRuntime, MemcpyDataType, MemcpyOrder
ap = argparse.ArgumentParser()
ap.add_argument("--name"); ap.add_argument("--cmaddr")
args = ap.parse_args()
N = int(json.load(open(args.name + "/out.json"))["params"]["N"])
s = SdkRuntime(args.name, cmaddr=args.cmaddr)
s.load(); s.run()
O = dict(streaming=False, data_type=MemcpyDataType.MEMCPY_16BIT, order=MemcpyOrder.ROW_MAJOR, nonblock=False)
for g in (1.0, -0.5, 3.0):
    a, b = np.random.default_rng(1).normal(size=(2, N)).astype(np.float16)
    for x, v in ((0, a), (2, b)):
        s.memcpy_h2d(s.get_id("s"), input_array_to_u32(v.view(np.int16), 1, N), x, 0, 1, 1, N, **O)
    s.launch("go", np.float16(g), nonblock=False)
    h = np.zeros(N, np.uint32); s.memcpy_d2h(h, s.get_id("h"), 0, 0, 1, 1, N, **O)
    ref = (a * np.float16(g)).astype(np.float16) - (b * np.float16(g)).astype(np.float16)
    np.testing.assert_array_equal(memcpy_view(h, np.dtype(np.float16)), ref)
s.stop()
print("SUCCESS")
