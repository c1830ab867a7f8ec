# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import argparse, json
import numpy as np
from cerebras.sdk.sdk_utils import input_array_to_u32
from cerebras.sdk.runtime.sdkruntimepybind import SdkRuntime, MemcpyDataType, MemcpyOrder
ap = argparse.ArgumentParser(); ap.add_argument("--name"); ap.add_argument("--cmaddr")
args = ap.parse_args()
p = {k: int(v) for k, v in json.load(open(f"{args.name}/out.json"))["params"].items()}
ns, tot = p["nseg"], p["total"]
r = SdkRuntime(args.name, cmaddr=args.cmaddr)
X, L, R = (r.get_id(k) for k in ("x", "len", "res")); r.load(); r.run()
K = dict(streaming=False, order=MemcpyOrder.ROW_MAJOR, nonblock=False)
rng = np.random.default_rng(21)
for rep in range(2):
    cuts = np.sort(rng.choice(np.arange(1, tot), ns - 1, replace=False))
    b = np.concatenate([[0], cuts, [tot]]); ln = np.diff(b).astype(np.uint16)
    x = rng.integers(-100, 100, tot).astype(np.float32)
    r.memcpy_h2d(X, x, 0, 0, 1, 1, tot, data_type=MemcpyDataType.MEMCPY_32BIT, **K)
    r.memcpy_h2d(L, input_array_to_u32(ln, 1, ns), 0, 0, 1, 1, ns, data_type=MemcpyDataType.MEMCPY_16BIT, **K)
    r.launch("go", nonblock=False)
    y = np.zeros(ns, np.float32)
    r.memcpy_d2h(y, R, 1, 0, 1, 1, ns, data_type=MemcpyDataType.MEMCPY_32BIT, **K)
    ref = [x[b[i]:b[i + 1]].sum() if i % 2 == 0 else x[b[i]:b[i + 1]].max() for i in range(ns)]
    np.testing.assert_array_equal(y, np.array(ref, np.float32))
r.stop()
print("SUCCESS!")
