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
prm = json.load(open(f"{args.name}/out.json"))["params"]
W, n, M = (int(prm[k]) for k in "WnM")
N = W * n
rng = np.random.default_rng(17)
lo, up = -rng.random((M, N)).astype(np.float32), -rng.random((M, N)).astype(np.float32)
di = (2.5 + rng.random((M, N))).astype(np.float32)
rhs = rng.standard_normal((M, N)).astype(np.float32)
lo[:, 0] = 0
up[:, -1] = 0
dist = lambda a: np.ascontiguousarray(a.reshape(M, W, n).transpose(1, 0, 2)).ravel()
r = SdkRuntime(args.name, cmaddr=args.cmaddr)
r.load(); r.run()
o = dict(streaming=False, data_type=MemcpyDataType.MEMCPY_32BIT, order=MemcpyOrder.ROW_MAJOR, nonblock=False)
for rep in range(2):
  for k, a in (("lo", lo), ("di", di), ("up", up), ("rhs", rhs)):
    r.memcpy_h2d(r.get_id(k), dist(a), 0, 0, W, 1, M * n, **o)
  r.launch("solve", nonblock=False)
  out = np.zeros(M * N, np.float32)
  r.memcpy_d2h(out, r.get_id("rhs"), 0, 0, W, 1, M * n, **o)
  x = out.reshape(W, M, n).transpose(1, 0, 2).reshape(M, N)
  for m in range(M):
    A = np.diag(di[m].astype(float)) + np.diag(lo[m, 1:].astype(float), -1) + np.diag(up[m, :-1].astype(float), 1)
    np.testing.assert_allclose(x[m], np.linalg.solve(A, rhs[m]), rtol=1e-4, atol=1e-5)
  rhs = rhs[:, ::-1].copy()
r.stop()
print("SUCCESS")
