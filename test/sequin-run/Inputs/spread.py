# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a configuration that puts 32,768 elements into HBM and gets them back, side by side
and far from each other."""
import json
import sys
from pathlib import Path

import numpy as np

folder = Path(sys.argv[1])
COUNT = 32768
np.save(folder / "a.npy", (np.arange(COUNT) % 251 - 125).astype("i1"))
for name, stride in {"near": 1, "far": 1 << 20}.items():
    moves = [
        {"kind": "transfer", "name": way, "direction": way, "location": "spread", "type": "i8",
         "argument": 0, "chip": 0, "device_address": 0, "host_base": 0, "zero_address": 0,
         "zero_bytes": 0, "entries": [[COUNT, 1, stride]]}
        for way in ("to_device", "to_host")]
    argument = {"shape": [COUNT], "type": "i8"}
    (folder / f"{name}.json").write_text(json.dumps(
        {"version": 1, "name": "main", "target": "rngd", "chips": 1, "macs": 0,
         "mac_type": "bf16", "inputs": [argument | {"name": "a"}],
         "outputs": [argument | {"name": "o"}], "commands": moves}))
