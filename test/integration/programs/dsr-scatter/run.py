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
NB, N = int(p["NB"]), int(p["N"])
r = SdkRuntime(args.name, cmaddr=args.cmaddr)
r.load(); r.run()
O = dict(streaming=False, data_type=MemcpyDataType.MEMCPY_16BIT, order=MemcpyOrder.ROW_MAJOR, nonblock=False)
rng = np.random.default_rng(2); ref = np.zeros((3, NB), np.int16)
for t in range(2):
    k = rng.integers(0, NB, (3, N)).astype(np.uint16); w = rng.integers(-300, 300, (3, N)).astype(np.int16)
    for s, a in (("keys", k), ("w", w)):
        r.memcpy_h2d(r.get_id(s), input_array_to_u32(a.ravel().view(np.int16), 1, N), 0, 0, 1, 3, N, **O)
    r.launch("run", nonblock=False)
    b = np.zeros(3 * NB, np.uint32); r.memcpy_d2h(b, r.get_id("bins"), 0, 0, 1, 3, NB, **O)
    for y in range(3): np.add.at(ref[y], k[y], w[y])
    np.testing.assert_array_equal(memcpy_view(b, np.dtype(np.int16)).reshape(3, NB), ref)
r.stop()
print("SUCCESS")
