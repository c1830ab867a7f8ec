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
N = int(json.load(open(args.name + "/out.json"))["params"]["N"])
r = SdkRuntime(args.name, cmaddr=args.cmaddr)
r.load(); r.run()
O = dict(streaming=False, data_type=MemcpyDataType.MEMCPY_32BIT, order=MemcpyOrder.ROW_MAJOR, nonblock=False)
for t in range(3):
    x = np.random.default_rng(t).integers(0, 1 << 32, 4 * N, dtype=np.uint32)
    r.memcpy_h2d(r.get_id("buf"), x, 1, 1, 1, 1, 4 * N, **O)
    r.launch("serve", nonblock=False)
    for k, (px, py) in enumerate(((1, 0), (2, 1), (1, 2), (0, 1))):
        g = np.zeros(N, np.uint32)
        r.memcpy_d2h(g, r.get_id("buf"), px, py, 1, 1, N, **O)
        np.testing.assert_array_equal(g, x[k * N:(k + 1) * N])
r.stop()
print("SUCCESS")
