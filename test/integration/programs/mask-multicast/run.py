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
p = json.load(open(args.name + "/out.json"))["params"]
G, N = int(p["G"]), int(p["N"])
r = SdkRuntime(args.name, cmaddr=args.cmaddr)
r.load(); r.run()
O = dict(streaming=False, data_type=MemcpyDataType.MEMCPY_16BIT, order=MemcpyOrder.ROW_MAJOR, nonblock=False)
def get(s, l):
    b = np.zeros(G * l, np.uint32); r.memcpy_d2h(b, r.get_id(s), 1, 0, G, 1, l, **O)
    return memcpy_view(b, np.dtype(np.uint16)).reshape(G, l).copy()
for mask in (0, 0b1011, 0xffff, 0b0101, 1):
    m = np.random.default_rng(mask).integers(0, 65536, N).astype(np.uint16)
    r.memcpy_h2d(r.get_id("msg"), input_array_to_u32(m.view(np.int16), 1, N), 0, 0, 1, 1, N, **O)
    r.launch("say", np.uint16(mask), nonblock=False)
    n, box = get("got", 1)[:, 0], get("inbox", N)
    for i in range(G):
        member = i == G - 1 or (mask >> i) & 1
        assert n[i] == (N if member else 0), (mask, n)
        if member: np.testing.assert_array_equal(box[i], m)
r.stop()
print("SUCCESS")
