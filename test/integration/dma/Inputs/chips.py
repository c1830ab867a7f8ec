# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import json
import sys

import numpy as np

given, moved, shuffled, in_dm = (np.load(path) for path in sys.argv[1:5])
print("moved", np.array_equal(given, moved))
print("shuffled", np.array_equal(given[[1, 2, 3, 0]], shuffled))
print("shuffled in DM", np.array_equal(given[[3, 0, 1, 2]], in_dm))
for command in json.load(open(sys.argv[5]))["commands"]:
    if command["name"] == "chip_shuffle":
        print(
            command["name"],
            "pcie",
            command["stages"]["pcie"],
            "chips",
            command["chips"],
        )
