# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import json
import sys

import numpy as np

what, base = sys.argv[1:]
rng = np.random.default_rng(3)
table = rng.integers(-8, 8, (100, 128)).astype(np.float32)
tokens = rng.integers(0, 100, 16).astype(np.int32)
tokens[:3] = [99, 0, 99]
places = rng.permutation(16).astype(np.int32)


def load(name):
    return np.load("%s.%s.npy" % (base, name))


if what == "make":
    for name, array in ("table", table), ("tokens", tokens), ("places", places):
        np.save("%s.%s.npy" % (base, name), array)
elif what == "spoil":
    tokens[5] = 100
    places[2] = places[7]
    np.save(base + ".high.npy", tokens)
    np.save(base + ".twice.npy", places)
else:
    print("lookup", np.array_equal(load("x"), table[tokens]))
    print("dispatch", np.array_equal(load("y")[places], table[tokens]))
    print("restored", np.array_equal(load("z"), table[tokens]))
    cycles = [json.load(open(base + end))["cycles"] for end in (".json", ".only.json")]
    print("same cycles", cycles[0] == cycles[1])
