# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints a configuration with one key of its switch stage changed: FILE KEY JSON."""

import json
import sys

path, key, value = sys.argv[1:]
with open(path) as file:
    program = json.load(file)
for command in program["commands"]:
    if "switch" in command:
        command["switch"][key] = json.loads(value)
        if key == "ring_size":
            command["switch"]["group_slices"] = 1
print(json.dumps(program))
