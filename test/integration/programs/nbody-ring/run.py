# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import argparse
import json
import numpy as np
from cerebras.sdk.runtime.sdkruntimepybind import SdkRuntime, MemcpyDataType, MemcpyOrder # pylint: disable=no-name-in-module

parser = argparse.ArgumentParser()
parser.add_argument("--name", help="the directory that cslc wrote")
parser.add_argument("--cmaddr", help="IP:port for CS system")
args = parser.parse_args()
with open(f"{args.name}/out.json") as f:
    params = json.load(f)["params"]
width, nb = int(params["width"]), int(params["nb"])
N = width * nb
rng = np.random.default_rng(17)
x = rng.uniform(-4, 4, N).astype(np.float32)
m = rng.uniform(0.5, 2, N).astype(np.float32)
simulator = SdkRuntime(args.name, cmaddr=args.cmaddr)
symbol_x = simulator.get_id("pos")
symbol_m = simulator.get_id("mass")
symbol_f = simulator.get_id("force")
simulator.load()
simulator.run()
for s, a in ((symbol_x, x), (symbol_m, m)):
    simulator.memcpy_h2d(s, a, 0, 0, width, 1, nb, streaming=False,
        data_type=MemcpyDataType.MEMCPY_32BIT, order=MemcpyOrder.ROW_MAJOR, nonblock=True)
simulator.call("f_forces", [], nonblock=True)
f = np.zeros(N, np.float32)
simulator.memcpy_d2h(f, symbol_f, 0, 0, width, 1, nb, streaming=False,
    data_type=MemcpyDataType.MEMCPY_32BIT, order=MemcpyOrder.ROW_MAJOR, nonblock=False)
simulator.stop()
d = x[None, :].astype(np.float64) - x[:, None]
ref = (m[None, :] * d / (d * d + 0.0625) ** 1.5).sum(axis=1)
np.testing.assert_allclose(f, ref, rtol=2e-5, atol=2e-4)
print("SUCCESS!")
