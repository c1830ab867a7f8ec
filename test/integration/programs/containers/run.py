# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import argparse, json, collections
import numpy as np
from cerebras.sdk.runtime.sdkruntimepybind import SdkRuntime, MemcpyDataType, MemcpyOrder
p = argparse.ArgumentParser(); p.add_argument('--name'); p.add_argument('--cmaddr'); a = p.parse_args()
n = int(json.load(open(f"{a.name}/out.json"))["params"]["CAP"])
v = np.random.default_rng(17).integers(-500, 500, n).astype(np.int16)
r = SdkRuntime(a.name, cmaddr=a.cmaddr); r.load(); r.run()
kw = dict(streaming=False, order=MemcpyOrder.ROW_MAJOR, nonblock=False); B16, B32 = MemcpyDataType.MEMCPY_16BIT, MemcpyDataType.MEMCPY_32BIT
r.memcpy_h2d(r.get_id("input"), v.view(np.uint16).astype(np.uint32), 0, 0, 1, 1, n, data_type=B16, **kw)
r.launch("exercise", np.int16(3), True, nonblock=False)
def g(s, k, b):
    o = np.zeros(k, np.uint32); r.memcpy_d2h(o, r.get_id(s), 0, 0, 1, 1, k, data_type=b, **kw)
    return o.astype(np.uint16).view(np.int16) if b == B16 else o
h, ro, d, m, meta = g("heap_out", 2 * n, B16), g("ring_out", n, B32), g("dict_out", n, B16), g("mat_out", 16, B32).view(np.int32), g("meta", 6, B32)
r.stop()
np.testing.assert_array_equal(h[:n], np.sort(v))
np.testing.assert_array_equal(h[n:], sorted(v.tolist(), key=lambda x: (abs(x - 100), x)))
q, out = collections.deque(), []
for x in v.view(np.uint16).astype(int):
    if len(q) < 8: q.append(x * 3)
    else: out.append(q.popleft()); q.append(7)
out += q
np.testing.assert_array_equal(ro, out)
cnt = collections.Counter((v & 15).tolist())
np.testing.assert_array_equal(d, [-3 * cnt[i] for i in range(n)])
M = np.arange(1, 13).reshape(4, 3) @ np.array([300, -2, 5, 0, 1, 1, 1, 1, -9, 8, 1000, 6]).reshape(3, 4)
np.testing.assert_array_equal(m.reshape(4, 4), M)
assert list(meta) == [np.trace(M), 2 * n, 2, 4, 32, 2], meta
print("SUCCESS!")
