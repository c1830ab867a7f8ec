# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import argparse, json, re
import numpy as np
from cerebras.sdk.runtime.sdkruntimepybind import SdkRuntime, MemcpyDataType, MemcpyOrder
p = argparse.ArgumentParser(); p.add_argument('--name'); p.add_argument('--cmaddr'); a = p.parse_args()
L = int(json.load(open(f"{a.name}/out.json"))["params"]["LEN"])
words = "0 -0 12 -12.5 01 1. .5 1e5 1E+05 -3.25e-17 1e -- abc 1.2.3 0.0e0 9 + 7x".split()
exprs = ["1+2*3", "(1+2)*3", "-4*-(2-5)", "100/7%5", "2*(3+(4-1)*(-2))-7", "-(1+2)-(3)", "7"]
t0, t1 = " ".join(words) + " ", ";".join(exprs) + ";"
n = max(len(t0), len(t1)); assert n < L
buf = np.zeros((2, L), np.uint32)
for k, t in enumerate((t0, t1)): buf[k, :len(t)] = list(t.encode())
r = SdkRuntime(a.name, cmaddr=a.cmaddr); r.load(); r.run()
kw = dict(streaming=False, order=MemcpyOrder.ROW_MAJOR, data_type=MemcpyDataType.MEMCPY_32BIT, nonblock=False)
r.memcpy_h2d(r.get_id("text"), buf.ravel(), 0, 0, 2, 1, L, **kw)
r.launch("scan", np.uint16(len(t0) if len(t0) > len(t1) else len(t1)), nonblock=False)
o = np.zeros(2 * L, np.int32); r.memcpy_d2h(o, r.get_id("verdict"), 0, 0, 2, 1, L, **kw); r.stop()
o = o.reshape(2, L)
pat = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?")
want = [int(bool(pat.fullmatch(w))) for w in words]
print(o[0, :len(words)], want)
assert list(o[0, :len(words)]) == want and o[0, L - 1] == len(words)
print(o[1, :len(exprs)])
vals = [7, 9, -12, (100 // 7) % 5, 2 * (3 + 3 * -2) - 7, -6, 7]
assert list(o[1, :len(exprs)]) == vals
print("SUCCESS!")
