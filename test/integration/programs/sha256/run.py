# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import argparse, hashlib, json
import numpy as np
from cerebras.sdk.runtime.sdkruntimepybind import SdkRuntime, MemcpyDataType, MemcpyOrder
p = argparse.ArgumentParser(); p.add_argument('--name'); p.add_argument('--cmaddr'); a = p.parse_args()
prm = json.load(open(f"{a.name}/out.json"))["params"]
W, R = int(prm["W"]), int(prm["R"])
rng = np.random.default_rng(256)
msgs = [[rng.integers(0, 256, int(rng.integers(0, 56)), dtype=np.uint8).tobytes() for _ in range(R)] for _ in range(W)]
msgs[0][0] = b"abc"
def pad(m):
    b = m + b"\x80"; b = b.ljust(56, b"\0") + (8 * len(m)).to_bytes(8, "big")
    return np.frombuffer(b, dtype=">u4").astype(np.uint32)
src = np.concatenate([pad(m) for pe in msgs for m in pe])
r = SdkRuntime(a.name, cmaddr=a.cmaddr)
r.load(); r.run()
k = dict(streaming=False, order=MemcpyOrder.ROW_MAJOR, data_type=MemcpyDataType.MEMCPY_32BIT, nonblock=True)
r.memcpy_h2d(r.get_id("blocks"), src, 0, 0, W, 1, 16 * R, **k)
r.launch("hash_all", nonblock=True)
out = np.zeros(W * R * 8, np.uint32)
k["nonblock"] = False
r.memcpy_d2h(out, r.get_id("digests"), 0, 0, W, 1, 8 * R, **k)
r.stop()
got = [d.astype(">u4").tobytes().hex() for d in out.reshape(-1, 8)]
want = [hashlib.sha256(m).hexdigest() for pe in msgs for m in pe]
print(got[0])
assert got == want
print("SUCCESS!")
