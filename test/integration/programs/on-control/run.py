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
L, CAP = int(p["LISTS"]), int(p["CAP"])
s = SdkRuntime(args.name, cmaddr=args.cmaddr)
s.load(); s.run()
O = dict(streaming=False, data_type=MemcpyDataType.MEMCPY_32BIT, order=MemcpyOrder.ROW_MAJOR, nonblock=False)
rng = np.random.default_rng(5)
for t in range(3):
    lens = rng.integers(0, CAP, L).astype(np.uint32)      # an empty list is legal
    lens[0] = 0; lens[1] = CAP - 1
    data = rng.integers(-50, 50, lens.sum()).astype(np.float32)
    pool = np.zeros(L * CAP, np.float32); pool[:data.size] = data
    s.memcpy_h2d(s.get_id("pool"), pool, 0, 0, 1, 1, L * CAP, **O)
    s.memcpy_h2d(s.get_id("lens"), lens, 0, 0, 1, 1, L, **O)
    s.launch("main", nonblock=False)
    got = np.zeros((3, L), np.float32)
    s.memcpy_d2h(got, s.get_id("result"), 1, 0, 3, 1, L, **O)
    parts = np.split(data, np.cumsum(lens)[:-1].astype(int))
    exp = np.array([[q.sum() for q in parts],
                    [q.max() if q.size else -np.inf for q in parts],
                    [q[-1] if q.size else 0 for q in parts]], np.float32)
    np.testing.assert_array_equal(got, exp)
s.stop()
print("SUCCESS")
