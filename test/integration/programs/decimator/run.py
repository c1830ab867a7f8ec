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
q = json.load(open(args.name + "/out.json"))["params"]
P, N = int(q["P"]), int(q["N"])
r = SdkRuntime(args.name, cmaddr=args.cmaddr)
r.load(); r.run()
O = dict(streaming=False, data_type=MemcpyDataType.MEMCPY_16BIT, order=MemcpyOrder.ROW_MAJOR, nonblock=False)
x = (np.arange(N) / 4 - 5).astype(np.float16)
for mult in (1, 2, 3):
    if mult > 1: r.launch("set_period", np.uint16(mult), nonblock=False)
    r.memcpy_h2d(r.get_id("x"), input_array_to_u32(x.view(np.int16), 1, N), 0, 0, 1, 1, N, **O)
    r.launch("send", nonblock=False)
    a = np.zeros(P * N, np.uint32); n = np.zeros(P, np.uint32)
    r.memcpy_d2h(a, r.get_id("x"), 1, 0, P, 1, N, **O)
    r.memcpy_d2h(n, r.get_id("n"), 1, 0, P, 1, 1, **O)
    a = memcpy_view(a, np.dtype(np.float16)).reshape(P, N)
    for k in range(P):
        want = x[::(k + 2) * mult]
        assert n[k] & 0xffff == len(want), (mult, k, n, len(want))
        np.testing.assert_array_equal(a[k, :len(want)], want)
    x = (x * np.float16(-0.5)).astype(np.float16)
r.stop()
print("SUCCESS")
