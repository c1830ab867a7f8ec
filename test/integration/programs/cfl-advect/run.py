#!/usr/bin/env cs_python
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import argparse, json
import numpy as np
from cerebras.sdk.runtime.sdkruntimepybind import SdkRuntime, MemcpyDataType, MemcpyOrder
ap = argparse.ArgumentParser(); ap.add_argument("--name"); ap.add_argument("--cmaddr"); args = ap.parse_args()
prm = json.load(open(args.name + "/out.json"))["params"]
W, n = int(prm["W"]), int(prm["n"])
N = W * n
x = (np.arange(N) + 0.5) / N
u0 = (0.5 + np.sin(2 * np.pi * x)).astype(np.float32)
r = SdkRuntime(args.name, cmaddr=args.cmaddr)
r.load(); r.run()
kw = dict(streaming=False, order=MemcpyOrder.ROW_MAJOR, nonblock=False)
loc = np.zeros((W, n + 2), np.float32); loc[:, 1:-1] = u0.reshape(W, n)
r.memcpy_h2d(r.get_id("u"), loc.ravel(), 0, 0, W, 1, n + 2, data_type=MemcpyDataType.MEMCPY_32BIT, **kw)
T, dx = np.float32(0.15), np.float32(1 / N)
r.launch("advance", T, dx, nonblock=False)
o = np.zeros(W * (n + 2), np.float32)
r.memcpy_d2h(o, r.get_id("u"), 0, 0, W, 1, n + 2, data_type=MemcpyDataType.MEMCPY_32BIT, **kw)
s = np.zeros(W, np.uint32)
r.memcpy_d2h(s, r.get_id("steps_done"), 0, 0, W, 1, 1, data_type=MemcpyDataType.MEMCPY_16BIT, **kw)
k = np.zeros(3 * W, np.uint32)
r.memcpy_d2h(k, r.get_id("ticks"), 0, 0, W, 1, 3, data_type=MemcpyDataType.MEMCPY_16BIT, **kw)
r.stop()
u = u0.astype(np.float64); t = 0.0; m = 0
while t < T - 1e-9:
  dt = min(0.4 * dx / max(1e-6, np.abs(u).max()), T - t)
  g = np.concatenate([u[:1], u, u[-1:]])
  a, b = g[:-1], g[1:]
  F = 0.25 * (a * a + b * b) - 0.5 * np.maximum(abs(a), abs(b)) * (b - a)
  u = u - dt / dx * (F[1:] - F[:-1])
  t += dt; m += 1
cyc = k.reshape(W, 3) @ np.array([1, 1 << 16, 1 << 32])
print("steps", s[0], m, "cycles", cyc.min(), cyc.max())
assert (s == s[0]).all() and abs(int(s[0]) - m) <= 1 and cyc.min() > 0
np.testing.assert_allclose(o.reshape(W, n + 2)[:, 1:-1].ravel(), u, atol=2e-4)
print("SUCCESS")
