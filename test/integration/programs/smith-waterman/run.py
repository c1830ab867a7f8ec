#!/usr/bin/env cs_python
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import argparse, json
import numpy as np
from cerebras.sdk.runtime.sdkruntimepybind import SdkRuntime, MemcpyDataType, MemcpyOrder
p = argparse.ArgumentParser(); p.add_argument("--name"); p.add_argument("--cmaddr"); args = p.parse_args()
prm = json.load(open(args.name + "/out.json"))["params"]
W, C, M = int(prm["W"]), int(prm["C"]), int(prm["M"])
N = W * C
rng = np.random.default_rng(77)
r = SdkRuntime(args.name, cmaddr=args.cmaddr)
sq, sb, sr = r.get_id("query"), r.get_id("block"), r.get_id("result")
r.load(); r.run()
kw = dict(streaming=False, data_type=MemcpyDataType.MEMCPY_16BIT, order=MemcpyOrder.ROW_MAJOR, nonblock=False)
for trial in range(3):
  db = rng.integers(0, 4, N)
  qu = rng.integers(0, 4, M)
  if trial:
    qu[3:13] = db[trial * 9:trial * 9 + 10]
  r.memcpy_h2d(sq, np.tile(qu.astype(np.uint32), W), 0, 0, W, 1, M, **kw)
  r.memcpy_h2d(sb, db.astype(np.uint32), 0, 0, W, 1, C, **kw)
  r.launch("align", nonblock=False)
  out = np.zeros(W * 3, np.uint32)
  r.memcpy_d2h(out, sr, 0, 0, W, 1, 3, **kw)
  out = out.astype(np.uint16).view(np.int16).reshape(W, 3)
  H = np.zeros((M + 1, N + 1), int)
  for i in range(1, M + 1):
    for j in range(1, N + 1):
      s = 3 if qu[i - 1] == db[j - 1] else -2
      H[i, j] = max(0, H[i - 1, j - 1] + s, H[i - 1, j] - 2, H[i, j - 1] - 2)
  own = H[:, 1:].reshape(M + 1, W, C).max(axis=(0, 2))
  np.testing.assert_array_equal(out[:, 2], own)
  np.testing.assert_array_equal(out[:, 0], np.maximum.accumulate(own))
  print("best", out[-1, 0], "row", out[-1, 1])
  assert H[out[-1, 1] + 1].max() == H.max()
r.stop()
print("SUCCESS")
