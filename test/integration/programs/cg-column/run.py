#!/usr/bin/env cs_python
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import argparse, json, sys
import numpy as np
from cerebras.sdk.runtime.sdkruntimepybind import SdkRuntime, MemcpyDataType, MemcpyOrder  # pylint: disable=no-name-in-module

parser = argparse.ArgumentParser()
parser.add_argument("--name")
parser.add_argument("--cmaddr")
parser.add_argument("--max-iter", default=60, type=int)
args = parser.parse_args()
with open(f"{args.name}/out.json", encoding="utf-8") as fd:
  prm = json.load(fd)["params"]
H, n = int(prm["H"]), int(prm["n"])
N = H * n
rng = np.random.default_rng(1)
diag = (2.2 + rng.random(N)).astype(np.float32)
b = rng.standard_normal(N).astype(np.float32)

runner = SdkRuntime(args.name, cmaddr=args.cmaddr)
sym = {k: runner.get_id(k) for k in ("diag", "b", "x", "rho")}
runner.load()
runner.run()
opts = dict(streaming=False, data_type=MemcpyDataType.MEMCPY_32BIT, order=MemcpyOrder.ROW_MAJOR)

def put(name, a):
  runner.memcpy_h2d(sym[name], a, 0, 0, 1, H, n, nonblock=True, **opts)

def get(name, l):
  a = np.zeros(H * l, np.float32)
  runner.memcpy_d2h(a, sym[name], 0, 0, 1, H, l, nonblock=False, **opts)
  return a

put("diag", diag)
put("b", b)
runner.launch("start", nonblock=False)
rho = get("rho", 1)
rho0 = rho[0]
assert (rho == rho0).all()
np.testing.assert_allclose(rho0, (b.astype(np.float64) ** 2).sum(), rtol=1e-5)
it = 0
while rho[0] > 1e-10 * rho0 and it < args.max_iter:
  runner.launch("iterate", np.uint16(5), np.float32(1e-10 * rho0), nonblock=False)
  it += 5
  rho = get("rho", 1)
  assert (rho == rho[0]).all(), rho
  print(f"after {it:3d} iterations: |r|^2 = {rho[0]:.3e}")
x = get("x", n)
runner.stop()
A = np.diag(diag.astype(np.float64)) - np.eye(N, k=1) - np.eye(N, k=-1)
np.testing.assert_allclose(x, np.linalg.solve(A, b), rtol=2e-4, atol=2e-5)
print("SUCCESS")
