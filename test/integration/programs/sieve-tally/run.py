#!/usr/bin/env cs_python
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import argparse, json
import numpy as np
from cerebras.sdk.runtime.sdkruntimepybind import SdkRuntime, MemcpyDataType, MemcpyOrder
ap = argparse.ArgumentParser()
ap.add_argument("--name"); ap.add_argument("--cmaddr")
args = ap.parse_args()
p = json.load(open(args.name + "/out.json"))["params"]
W, H, L, D2H = (int(p[k]) for k in ("WIDTH", "HEIGHT", "LIMIT", "MEMCPYD2H_DATA_1_ID"))
r = SdkRuntime(args.name, cmaddr=args.cmaddr)
r.load(); r.run()
O = dict(data_type=MemcpyDataType.MEMCPY_32BIT, order=MemcpyOrder.ROW_MAJOR, nonblock=False)
r.launch("f_sieve", nonblock=False)
t = np.zeros(1, np.uint32)
r.memcpy_d2h(t, D2H, W - 1, 0, 1, 1, 1, streaming=True, **O)     # waits until all numbers are dead
print("tally", t)
pr = np.zeros((H, W), np.uint32); ki = np.zeros((H, W), np.uint32)
r.memcpy_d2h(pr, r.get_id("prime"), 0, 0, W, H, 1, streaming=False, **O)
r.memcpy_d2h(ki, r.get_id("killed"), 0, 0, W, H, 1, streaming=False, **O)
r.stop()
nums = list(range(2, L + 2)); primes, kills = [], []
for _ in range(W):
    if not nums: primes.append(0); kills.append(0); continue
    q = nums[0]; primes.append(q); kills.append(sum(n % q == 0 for n in nums[1:])); nums = [n for n in nums[1:] if n % q]
for y in range(H):
    np.testing.assert_array_equal(pr[y], primes); np.testing.assert_array_equal(ki[y], kills)
print(primes); print("SUCCESS")
