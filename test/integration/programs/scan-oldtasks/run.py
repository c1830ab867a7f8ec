# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import argparse, json
import numpy as np
from cerebras.sdk.runtime.sdkruntimepybind import SdkRuntime, MemcpyDataType, MemcpyOrder
ap = argparse.ArgumentParser(); ap.add_argument("--name"); ap.add_argument("--cmaddr")
args = ap.parse_args()
p = {k: int(v) for k, v in json.load(open(f"{args.name}/out.json"))["params"].items()}
W, H, n = p["W"], p["H"], p["n"]
r = SdkRuntime(args.name, cmaddr=args.cmaddr)
A, T = r.get_id("a"), r.get_id("total")
r.load(); r.run()
K = dict(streaming=False, data_type=MemcpyDataType.MEMCPY_32BIT, order=MemcpyOrder.ROW_MAJOR, nonblock=False)
snake = np.arange(W * H).reshape(H, W); snake[1::2] = snake[1::2, ::-1]
x = np.random.default_rng(0).integers(0, 1 << 32, (W * H, n), dtype=np.uint32)
for rep in range(2):
    r.memcpy_h2d(A, x[snake].ravel(), 0, 0, W, H, n, **K)
    r.launch("scan", nonblock=False)
    y = np.zeros(W * H * n, np.uint32); t = np.zeros(W * H, np.uint32)
    r.memcpy_d2h(y, A, 0, 0, W, H, n, **K)
    r.memcpy_d2h(t, T, 0, 0, W, H, 1, **K)
    ref = np.cumsum(x.ravel(), dtype=np.uint32).reshape(W * H, n)
    np.testing.assert_array_equal(y.reshape(H, W, n), ref[snake])
    np.testing.assert_array_equal(t.reshape(H, W), ref[snake][..., -1])
    x = ref
r.stop()
print("SUCCESS!")
