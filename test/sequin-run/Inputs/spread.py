# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes configurations that put 32,768 elements into HBM and get them back: side by side, far
from each other, and nine times a granule apart."""
import json
import sys
from pathlib import Path

import numpy as np

folder = Path(sys.argv[1])
COUNT = 32768
np.save(folder / "a.npy", (np.arange(COUNT) % 251 - 125).astype("i1"))
for name, stride, times in (("near", 1, 1), ("far", 1 << 20, 1), ("again", 1 << 12, 9)):
    moves = [
        {"kind": "transfer", "name": f"{way}{number}", "direction": way, "location": "spread", "type": "i8",
         "argument": 0, "chip": 0, "device_address": 0, "host_base": 0, "zero_address": 0,
         "zero_bytes": 0, "entries": [[COUNT, 1, stride]]}
        for number, way in enumerate(["to_device"] * times + ["to_host"])]
    argument = {"shape": [COUNT], "type": "i8"}
    (folder / f"{name}.json").write_text(json.dumps(
        {"version": 1, "name": "main", "target": "rngd", "chips": 1, "macs": 0,
         "mac_type": "bf16", "inputs": [argument | {"name": "a"}],
         "outputs": [argument | {"name": "o"}], "commands": moves}))
