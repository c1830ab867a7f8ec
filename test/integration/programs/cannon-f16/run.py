#!/usr/bin/env cs_python
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Small integers: every f16 sum is exact.
import argparse, json
import numpy as np
from cerebras.sdk.runtime.sdkruntimepybind import SdkRuntime, MemcpyDataType, MemcpyOrder
from cerebras.sdk import sdk_utils

p = argparse.ArgumentParser()
p.add_argument("--name"); p.add_argument("--cmaddr")
args = p.parse_args()
d = json.load(open(f"{args.name}/out.json"))["params"]
P, T = int(d["P"]), int(d["T"])
N = P * T
rng = np.random.default_rng(8)
A = rng.integers(-3, 4, (N, N)).astype(np.float16)
B = rng.integers(-3, 4, (N, N)).astype(np.float16)

def tiles(M):   # [y][x] of column-major tiles
  return M.reshape(P, T, P, T).transpose(0, 2, 3, 1).copy()
tA, tB = tiles(A), tiles(B)
sA = np.empty_like(tA); sB = np.empty_like(tB)
for y in range(P):
  for x in range(P):
    sA[y, x] = tA[y, (x + y) % P]
    sB[y, x] = tB[(x + y) % P, x]

r = SdkRuntime(args.name, cmaddr=args.cmaddr)
a, b, c = map(r.get_id, "ABC")
r.load(); r.run()
o = dict(streaming=False, data_type=MemcpyDataType.MEMCPY_16BIT, order=MemcpyOrder.ROW_MAJOR)
r.memcpy_h2d(a, sdk_utils.input_array_to_u32(sA.ravel(), 1, 1), 0, 0, P, P, T * T, nonblock=True, **o)
r.memcpy_h2d(b, sdk_utils.input_array_to_u32(sB.ravel(), 1, 1), 0, 0, P, P, T * T, nonblock=True, **o)
r.launch("gemm", nonblock=False)
out = np.zeros(N * N, np.uint32)
r.memcpy_d2h(out, c, 0, 0, P, P, T * T, nonblock=False, **o)
r.stop()
C = sdk_utils.memcpy_view(out, np.dtype(np.float16)).reshape(P, P, T, T).transpose(0, 3, 1, 2).reshape(N, N)
np.testing.assert_array_equal(C.astype(np.float32), A.astype(np.float32) @ B.astype(np.float32))
print("SUCCESS")
