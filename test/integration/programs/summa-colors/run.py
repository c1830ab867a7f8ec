#!/usr/bin/env cs_python
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import argparse, json
import numpy as np
from cerebras.sdk.runtime.sdkruntimepybind import SdkRuntime, MemcpyDataType, MemcpyOrder
ap = argparse.ArgumentParser(); ap.add_argument("--name"); ap.add_argument("--cmaddr")
args = ap.parse_args()
p = {k: int(v) for k, v in json.load(open(f"{args.name}/out.json"))["params"].items()}
Q, Mt, Kt, Nt = p["Q"], p["Mt"], p["Kt"], p["Nt"]
M, K, N = Q * Mt, Q * Kt, Q * Nt
rng = np.random.default_rng(11)
A = rng.integers(-5, 6, (M, K)).astype(np.float32)
B = rng.integers(-5, 6, (K, N)).astype(np.float32)
def tiles(X, r, c):   # (h, w, l), column major in the tile
    return X.reshape(Q, r, Q, c).transpose(0, 2, 3, 1).reshape(Q, Q, r * c)
runner = SdkRuntime(args.name, cmaddr=args.cmaddr)
sa, sb, sc = (runner.get_id(s) for s in "ABC")
runner.load(); runner.run()
o = dict(streaming=False, data_type=MemcpyDataType.MEMCPY_32BIT, order=MemcpyOrder.COL_MAJOR)
runner.memcpy_h2d(sa, tiles(A, Mt, Kt).transpose(2, 1, 0).ravel(), 0, 0, Q, Q, Mt * Kt, nonblock=True, **o)
runner.memcpy_h2d(sb, tiles(B, Kt, Nt).transpose(2, 1, 0).ravel(), 0, 0, Q, Q, Kt * Nt, nonblock=True, **o)
runner.launch("main", nonblock=True)
runner.launch("main", nonblock=True)       # accumulates: 2 A B
c = np.zeros(M * N, np.float32)
runner.memcpy_d2h(c, sc, 0, 0, Q, Q, Mt * Nt, nonblock=False, **o)
runner.stop()
C = c.reshape(Nt, Mt, Q, Q).transpose(3, 1, 2, 0).reshape(M, N)
np.testing.assert_array_equal(C, 2 * (A @ B))
print("SUCCESS!")
