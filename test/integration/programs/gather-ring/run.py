# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import argparse, json
import numpy as np
from cerebras.sdk.runtime.sdkruntimepybind import SdkRuntime, MemcpyDataType, MemcpyOrder
ap = argparse.ArgumentParser()
ap.add_argument("--name", required=True); ap.add_argument("--cmaddr")
args = ap.parse_args()
p = json.load(open(f"{args.name}/out.json"))["params"]
N, b = int(p["num_pe"]), int(p["blk"])
r = SdkRuntime(args.name, cmaddr=args.cmaddr)
MINE, ALL = r.get_id("mine"), r.get_id("all")
r.load(); r.run()
K = dict(streaming=False, data_type=MemcpyDataType.MEMCPY_32BIT, order=MemcpyOrder.ROW_MAJOR, nonblock=False)
x = np.random.default_rng(5).integers(-10**6, 10**6, (N - 1, b)).astype(np.int32)
r.memcpy_h2d(MINE, x.ravel(), 1, 0, N - 1, 1, b, **K)
for add, mul in ((17, 3), (-5, -1), (0, 2), (1000000, 1)):
    r.launch("compute", np.int32(add), np.int16(mul), nonblock=False)
    x = (x * mul + add).astype(np.int32)
    y = np.zeros((N - 1) * b, np.int32)
    r.memcpy_d2h(y, ALL, 0, 0, 1, 1, (N - 1) * b, **K)
    np.testing.assert_array_equal(y.reshape(N - 1, b), x[::-1])
r.stop()
print("SUCCESS!")
