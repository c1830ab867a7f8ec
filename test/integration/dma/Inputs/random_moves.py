# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random chains of moves between HBM and DM layouts on one to four chips: the tensor
comes back as it was, and as the reference interpreter says.

random_moves.py SEQUIN_RUN DIR FIRST_SEED COUNT
"""
import os
import random
import subprocess
import sys

import numpy as np

HBM_STEP, DM_STEP = 8 << 20, 128 << 10
CHIPS = {1: ["1"], 2: ["2", "H / 2", "H % 2"], 4: ["4", "H"]}
# What of H is left for a chip's buffer.
REST = {"1": ["H"], "2": ["H"], "4": ["H"], "H": [], "H / 2": ["H % 2"], "H % 2": ["H / 2"]}


class Generator:
    def __init__(self, seed):
        self.pick = random.Random(seed)
        self.chips = self.pick.choice([1, 1, 2, 4])
        choose = self.pick.choice
        self.sizes = {
            "H": 4,
            "A": choose([4, 8, 12, 15, 16, 31]),
            "B": choose([8, 16, 32]),
            "C": choose([2, 3, 4]),
            "X": choose([8, 16]),
        }
        self.type = choose(["i8", "i32", "bf16"])
        self.grids = []

    def hbm(self):
        chip = self.pick.choice(CHIPS[self.chips])
        axes = ["A", "B", "C"] + REST[chip]
        self.pick.shuffle(axes)
        if self.pick.random() < 0.2:
            axes[axes.index("A")] = "A # %d" % (self.sizes["A"] + 3)
        return '!tcp.hbm<%s, #axes, "%s", "%s">' % (
            self.type,
            chip,
            ", ".join(axes + ["X"]),
        )

    def dm(self):
        chip = self.pick.choice(CHIPS[self.chips])
        element = ["A", "C"] + REST[chip]
        kind = self.pick.randrange(3)
        if kind == 0:
            slices = "B"
        elif kind == 1:
            slices = "B / 4"
            element.append("B % 4")
        else:
            padded = "A # %d" % (-(-self.sizes["A"] // 4) * 4)
            slices = padded + " / 4"
            element.remove("A")
            element += [padded + " % 4", "B"]
        self.pick.shuffle(element)
        cluster, half = "1 # 2", self.sizes["C"] // 2
        if self.pick.random() < 0.3 and self.sizes["C"] % 2 == 0:
            cluster = "C / %d" % half
            element[element.index("C")] = "C %% %d" % half
        grid = '#tcp.grid<#axes, chip "%s", cluster "%s", slice "%s # 256">' % (
            chip,
            cluster,
            slices,
        )
        if grid not in self.grids:
            self.grids.append(grid)
        return '!tcp.dm<%s, #g%d, "%s">' % (
            self.type,
            self.grids.index(grid),
            ", ".join(element + ["X"]),
        )

    def program(self):
        host = '!tcp.host<%s, #axes, "H, A, B, C, X">' % self.type
        first = self.hbm()
        moves, here = [], first
        addresses = {"hbm": HBM_STEP, "dm": 0}
        steps = self.pick.randint(1, 4)
        for step in range(steps + 1):
            kind = self.pick.choice(["hbm", "dm"]) if step < steps else "hbm"
            there = self.dm() if kind == "dm" else self.hbm()
            moves.append(
                "    %%%d = tcp.to_%s %%%d at %d : %s -> %s"
                % (step + 1, kind, step, addresses[kind], here, there)
            )
            addresses[kind] += DM_STEP if kind == "dm" else HBM_STEP
            here = there
        axes = ", ".join("%s = %d" % item for item in self.sizes.items())
        lines = ["#axes = #stream.axes<%s>" % axes]
        lines += ["#g%d = %s" % item for item in enumerate(self.grids)]
        lines += [
            'module attributes {tcp.target = #tcp.target<"rngd", chips = %d>} {' % self.chips,
            "  func.func @main(%%0: %s) -> %s {" % (host, host),
            "    %%1 = tcp.to_hbm %%0 at 0 : %s -> %s" % (host, first),
            "    %%2 = tcp.launch @kernel(%%1) : (%s) -> %s" % (first, here),
            "    %%3 = tcp.to_host %%2 : %s -> %s" % (here, host),
            "    return %%3 : %s" % host,
            "  }",
            "  func.func @kernel(%%0: %s) -> %s {" % (first, here),
            *moves,
            "    return %%%d : %s" % (steps + 1, here),
            "  }",
            "}",
            "",
        ]
        return "\n".join(lines)

    def data(self, seed):
        values = np.random.default_rng(seed).integers(-100, 100, list(self.sizes.values()))
        types = {"i8": np.int8, "i32": np.int32, "bf16": np.float32}
        return values.astype(types[self.type])


def main():
    run, directory, first, count = sys.argv[1:]
    os.makedirs(directory, exist_ok=True)
    paths = [os.path.join(directory, name) for name in ("in.npy", "out.npy")]
    for seed in range(int(first), int(first) + int(count)):
        generator = Generator(seed)
        program = os.path.join(directory, "seed%d.mlir" % seed)
        with open(program, "w") as file:
            file.write(generator.program())
        data = generator.data(seed)
        np.save(paths[0], data)
        done = subprocess.run(
            [run, program, "--input", paths[0], "--output", paths[1], "--verify"],
            capture_output=True,
            text=True,
        )
        if done.returncode != 0:
            sys.exit("seed %d: %s" % (seed, done.stderr))
        if not np.array_equal(np.load(paths[1]), data):
            sys.exit("seed %d: the tensor changed, see %s" % (seed, program))
    print("%s chains from seed %s on keep their tensors" % (count, first))


main()
