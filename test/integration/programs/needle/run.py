# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import argparse, json, re
import numpy as np
from cerebras.sdk.runtime.sdkruntimepybind import SdkRuntime, MemcpyDataType, MemcpyOrder
p = argparse.ArgumentParser(); p.add_argument('--name'); p.add_argument('--cmaddr'); a = p.parse_args()
n = int(json.load(open(f"{a.name}/out.json"))["params"]["TEXT_LEN"])
rng = np.random.default_rng(0)
text = "".join(rng.choice(list("ans"), n))
text = "ananas" + text[6:n // 2] + "anananasanan" + text[n // 2 + 12:n - 6] + "ananas"
assert len(text) == n
want = [m.start() for m in re.finditer("(?=ananas)", text)]
w = np.frombuffer(text.encode(), np.uint8).astype(np.uint32)
r = SdkRuntime(a.name, cmaddr=a.cmaddr)
r.load(); r.run()
kw = dict(streaming=False, order=MemcpyOrder.ROW_MAJOR, data_type=MemcpyDataType.MEMCPY_16BIT, nonblock=False)
r.memcpy_h2d(r.get_id("text"), np.tile(w, 3), 0, 0, 3, 1, n, **kw)
r.launch("search", nonblock=False)
h = np.zeros(3 * 18, np.uint32)
r.memcpy_d2h(h, r.get_id("hits"), 0, 0, 3, 1, 18, **kw)
r.stop()
for row in h.reshape(3, 18):
    print(row)
    assert row[0] == len(want) <= 16
    assert list(row[2:2 + len(want)]) == want
assert h[1] == n
print("SUCCESS!", want)
