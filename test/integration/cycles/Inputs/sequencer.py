# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Types and loop nests of a configuration, as docs/Spec/Config.md describes them."""

import copy

import numpy as np

BITS = {"i4": 4, "i5": 5, "i8": 8, "i9": 9, "f8e4m3": 8, "f8e5m2": 8, "i16": 16, "bf16": 16,
        "f16": 16, "i32": 32, "f32": 32}


def walk(entries, unit=1):
    """Addresses of a nest of (size, stride), outermost first, in order."""
    result = np.zeros(1, np.int64)
    for size, stride in entries:
        steps = np.arange(size, dtype=np.int64) * (stride * unit)
        result = (result[:, None] + steps[None, :]).ravel()
    return result


def flatten(commands, loops=()):
    """Commands in execution order, loops unrolled: (name, command) with its addresses."""
    for command in commands:
        if command["kind"] == "loop":
            for index in range(command["count"]):
                yield from flatten(command["commands"], (*loops, index))
            continue
        name = command["name"] + "".join(f"[{i}]" for i in loops)
        if command.get("steps"):
            command = copy.deepcopy(command)
            for step in command["steps"]:
                advance(command, step["address"], step["bytes"] * loops[step["loop"]])
        yield name, command


def advance(command, path, amount):
    """Adds to the address that `path` ("descriptors[2].source_address") names."""
    place, keys = command, path.replace("[", ".").replace("]", "").split(".")
    for key in keys[:-1]:
        place = place[int(key) if isinstance(place, list) else key]
    key = int(keys[-1]) if isinstance(place, list) else keys[-1]
    if isinstance(place[key], dict):
        place[key]["base"] += amount
    else:
        place[key] += amount
