#!/usr/bin/env cs_python
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import argparse, json
import numpy as np
from cerebras.sdk.runtime.sdkruntimepybind import SdkRuntime, MemcpyDataType, MemcpyOrder
ap = argparse.ArgumentParser(); ap.add_argument("--name"); ap.add_argument("--cmaddr"); args = ap.parse_args()
prm = json.load(open(args.name + "/out.json"))["params"]
P, N = int(prm["P"]), 1 << int(prm["logN"])
rng = np.random.default_rng(8)
z = (rng.standard_normal((N, N)) + 1j * rng.standard_normal((N, N))).astype(np.complex64)
r = SdkRuntime(args.name, cmaddr=args.cmaddr)
s = r.get_id("data")
r.load(); r.run()
kw = dict(streaming=False, order=MemcpyOrder.ROW_MAJOR, data_type=MemcpyDataType.MEMCPY_32BIT, nonblock=False)
r.memcpy_h2d(s, z.view(np.float32).ravel(), 0, 0, P, 1, 2 * N * N // P, **kw)
r.launch("fft2", nonblock=False)
out = np.zeros(2 * N * N, np.float32)
r.memcpy_d2h(out, s, 0, 0, P, 1, 2 * N * N // P, **kw)
r.stop()
got = out.view(np.complex64).reshape(N, N).T
ref = np.fft.fft2(z)
err = np.abs(got - ref).max() / np.abs(ref).max()
print("error", err)
assert err < 2e-6
print("SUCCESS")
