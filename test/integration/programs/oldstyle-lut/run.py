#!/usr/bin/env cs_python
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import argparse, json
import numpy as np
from cerebras.sdk.runtime.sdkruntimepybind import SdkRuntime, MemcpyDataType, MemcpyOrder
from cerebras.sdk.debug.debug_util import debug_util

parser = argparse.ArgumentParser()
parser.add_argument("--name", help="the directory that cslc wrote")
parser.add_argument("--cmaddr", help="IP:port for CS system")
args = parser.parse_args()

name = args.name
with open(f"{name}/bin/out_rpc.json", encoding="utf-8") as f:
  rpc = json.load(f)["rpc_symbols"]
kinds = {s["name"]: s["kind"] for s in rpc}
assert kinds["words"] == "Var" and kinds["apply"] == "Func", kinds
assert [i["type"] for s in rpc if s["name"] == "apply" for i in s["inputs"]] == ["u16", "i16"]
assert {s["name"] for s in rpc if s.get("immutable")} == {"lut", "build"}

with open(f"{name}/out.json") as f:
  params = json.load(f)["params"]
n, W = int(params["size"]), int(params["W"])

runner = SdkRuntime(name, cmaddr=args.cmaddr)
runner.load()
runner.run()
common = dict(streaming=False, data_type=MemcpyDataType.MEMCPY_16BIT, order=MemcpyOrder.ROW_MAJOR, nonblock=False)

def get(sym, k):
  t = np.zeros(W * k, np.uint32)
  runner.memcpy_d2h(t, runner.get_symbol(sym), 0, 0, W, 1, k, **common)
  return t.reshape(W, k)

x = np.random.default_rng(9).integers(0, 256, (W, n, 2)).astype(np.uint8)
words = x[..., 0].astype(np.uint32) | (x[..., 1].astype(np.uint32) << 8)
runner.memcpy_h2d(runner.get_symbol("words"), words.ravel(), 0, 0, W, 1, n, **common)

lut = (np.arange(256) ** 2 + 127) // 255
np.testing.assert_array_equal(get("lut", 256), np.tile(lut, (W, 1)))
np.testing.assert_array_equal(get("build", 2), np.tile([2024, 7], (W, 1)))

y = x.astype(np.int64)
for mode, bias in ((0, 10), (1, -40), (2, 200)):
  runner.call("apply", [np.uint16(mode), np.int16(bias)], nonblock=False)
  y = lut[y]
  if mode != 2:
    y[..., 0] = np.clip(y[..., 0] + bias, 0, 255)
  if mode != 1:
    y[..., 1] = np.clip(y[..., 1] + bias, 0, 255)
  np.testing.assert_array_equal(get("words", n), y[..., 0] | (y[..., 1] << 8))
runner.call("minmax", [], nonblock=False)
mm = get("mm", 2)
for w in range(W):
  flat = y[w].ravel()
  lo, hi = 255, 0
  for b in flat:
    lo, hi = min(lo, b), max(hi, b)
    if lo == 0 and hi == 255:
      break
  assert list(mm[w]) == [lo, hi * 3 + w], (mm[w], lo, hi)
runner.stop()
dbg = debug_util(name)
for w in range(W):
  np.testing.assert_array_equal(dbg.get_symbol(4 + w, 1, "lut", np.uint16), lut)
  assert dbg.get_symbol(4 + w, 1, "gain", np.uint16) == [3]
print("SUCCESS!")
