# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import argparse
import numpy as np
from cerebras.sdk.runtime.sdkruntimepybind import SdkRuntime, MemcpyDataType, MemcpyOrder
p = argparse.ArgumentParser(); p.add_argument('--name'); p.add_argument('--cmaddr'); a = p.parse_args()
r = SdkRuntime(a.name, cmaddr=a.cmaddr); r.load(); r.run()
def g(s, b):
    o = np.zeros(16, np.uint32); r.memcpy_d2h(o, r.get_id(s), 0, 0, 1, 1, 16, streaming=False, order=MemcpyOrder.ROW_MAJOR, data_type=b, nonblock=False); return o
B16, B32 = MemcpyDataType.MEMCPY_16BIT, MemcpyDataType.MEMCPY_32BIT
r.launch("many", np.int16(-5), np.uint16(65535), np.float16(1.5), np.int32(-70000), np.uint32(4000000000), np.float32(-0.1), np.bool_(True), np.int8(-3), np.uint8(200), nonblock=False)
f = lambda v: int(np.float32(v).view(np.uint32)); m = lambda v: v & 0xffffffff
o = g("log32", B32); assert list(o[:9]) == [m(-5), 65535, f(1.5), m(-70000), 4000000000, f(-0.1), 1, m(-3), 200], o
r.launch("fifteen", *[np.int16(k * k - 50) for k in range(15)], nonblock=False)
o = g("log16", B16); assert list(o[:15]) == [(k * k - 50) & 0xffff for k in range(15)], o
r.launch("by_id", nonblock=False)
o = g("log32", B32); assert o[0] == f(-17.5) and o[1] == 1, o[:3]
assert g("log16", B16)[3] == 0xbeef
r.launch("wide", np.uint64(0x123456789abcdef0), np.int64(-2), nonblock=False)
o = g("log32", B32); assert list(o[:4]) == [0x9abcdef0, 0x12345678, 0xfffffffe, 0xffffffff], [hex(v) for v in o[:4]]
r.stop(); print("SUCCESS!")
