# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values of every type that <debug> records, and a buffer that gets full."""

import argparse

from cerebras.sdk.debug.debug_util import debug_util
from cerebras.sdk.runtime.sdkruntimepybind import SdkRuntime

parser = argparse.ArgumentParser()
parser.add_argument("--name")
name = parser.parse_args().name

runner = SdkRuntime(name, cmaddr=None)
runner.load()
runner.run()
runner.launch("main", nonblock=False)
runner.stop()
every = debug_util(name).read_trace(4, 1, "all")
assert 0 < every[12] < every[13] < 10000
every[8] = float(f"{every[8]:.6g}")
print("every type:", every[:12])
trace = debug_util(name).read_trace(4, 1, "k")
stamp = trace[6]
assert isinstance(stamp, int) and 0 <= stamp < 1000
print(trace[:6], trace[7:])
