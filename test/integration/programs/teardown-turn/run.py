#!/usr/bin/env cs_python
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import argparse, json
import numpy as np
from cerebras.sdk.runtime.sdkruntimepybind import SdkRuntime, MemcpyDataType, MemcpyOrder
ap = argparse.ArgumentParser()
ap.add_argument("--name"); ap.add_argument("--cmaddr")
args = ap.parse_args()
p = json.load(open(args.name + "/out.json"))["params"]
W, H, N = (int(p[k]) for k in "WHN")
r = SdkRuntime(args.name, cmaddr=args.cmaddr)
r.load(); r.run()
O = dict(streaming=False, data_type=MemcpyDataType.MEMCPY_32BIT, order=MemcpyOrder.ROW_MAJOR, nonblock=False)
rng = np.random.default_rng(8)
for f in (3, -4, 7):
    x = rng.integers(-9999, 9999, (H, N)).astype(np.int32)
    r.memcpy_h2d(r.get_id("a"), x.ravel(), 0, 0, 1, H, N, **O)
    r.launch("go", np.int32(f), nonblock=False)
    for s, k in (("a", 1), ("b", f)):
        g = np.zeros(W * H * N, np.int32)
        r.memcpy_d2h(g, r.get_id(s), 0, 0, W, H, N, **O)
        np.testing.assert_array_equal(g.reshape(H, W, N), np.repeat((x * k)[:, None], W, 1))
r.stop()
print("SUCCESS")
