# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random chains of moves between HBM and DM layouts on one to four chips: the tensor
comes back as it was, and as the reference interpreter says.

Two programs of three lay their axes out as views of views: padded and split, split and
padded, at an offset and split. What a DMA cannot walk has to be refused.

random_moves.py SEQUIN_RUN DIR FIRST_SEED COUNT
"""
import math
import os
import random
import re
import subprocess
import sys

import numpy as np

BITS = {"i4": 4, "i8": 8, "i16": 16, "i32": 32, "bf16": 16, "f32": 32, "f8E4M3FN": 8}
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
        self.type = choose(["i4", "i8", "i16", "i32", "f32", "f8E4M3FN", "bf16"])
        if self.type == "i4":
            self.sizes["X"] = 16  # a word of DM
        self.grids = []
        # A few ways per axis, so that layouts often agree.
        self.ways, self.windows = {}, {}
        if self.pick.random() < 0.67:
            self.ways = {axis: self.draw_ways(axis) for axis in "ABC"}

    def draw_ways(self, axis):
        """A few ways to lay out an axis, so that layouts often agree: parts of one view."""
        kind = self.pick.choice(["", "", "", "pad", "pad", "shift", "view", "window"])
        size = self.sizes[axis]
        if kind == "window":
            # A part of the axis, which is all that comes back.
            first = self.pick.randint(0, size - 1)
            length = self.pick.randint(1, size - first)
            self.windows[axis] = (first, length)
            view = "%s @ %d = %d" % (axis, first, length), length
        else:
            view = self.view(axis, size, kind) if kind else (axis, size)
        ways = [self.parts(*view, 3) for _ in range(self.pick.choice([1, 2, 2, 3]))]
        return ways + [[view]]

    def view(self, term, size, kind):
        """The term with padding behind it, also before it, or what is left of both."""
        pick = self.pick
        low = 0 if kind == "pad" else pick.randint(1, 4)
        rest = -(size + low) % 4 if pick.random() < 0.6 else pick.randint(0, 3)
        padded = size + low + rest
        view = "%s # %d" % (term, padded) + (" @ %d" % low if low else "")
        if kind != "view":
            return view, padded
        first = pick.randint(0, low)
        length = pick.randint(low + size, padded) - first
        return "%s @ %d = %d" % (view, first, length), length

    def parts(self, term, size, depth):
        """Terms that hold every position of `term` once, and their sizes."""
        kind = self.pick.choices(["keep", "pad", "shift", "view", "split"], [6, 4, 1, 1, 12])[0]
        if kind == "keep" or size == 1 or depth == 0:
            return [(term, size)]
        if kind != "split":
            return self.parts(*self.view(term, size, kind), depth - 1)
        inner = self.pick.choice([n for n in range(1, size + 1) if size % n == 0])
        return self.parts("%s / %d" % (term, inner), size // inner, depth - 1) + self.parts(
            "%s %% %d" % (term, inner), inner, depth - 1
        )

    def nested(self, bytes_limit, slices, whole=False):
        """Terms of the buffer and, where there are slices, of them, as views of views."""
        bits = BITS[self.type]
        while True:
            ways = [self.ways[a][-1] if whole else self.pick.choice(self.ways[a]) for a in "ABC"]
            terms = [part for way in ways for part in way]
            self.pick.shuffle(terms)
            count = self.pick.randint(1, 2) if slices else 0
            outer, inner = terms[:count], terms[count:]
            volume = math.prod(size for _, size in inner) * self.sizes["X"] * self.sizes["H"]
            if (
                volume * bits // 8 <= bytes_limit
                and math.prod(size for _, size in outer) <= 256
            ):
                return [term for term, _ in inner], [term for term, _ in outer]

    def hbm(self, whole=False, complete=False):
        """`whole`: no axis is split; `complete`: with all of every axis."""
        chip = self.pick.choice(CHIPS[self.chips])
        axes = ["A", "B", "C"] + REST[chip]
        if self.ways and not complete:
            axes = self.nested(HBM_STEP, False, whole)[0] + REST[chip]
        self.pick.shuffle(axes)
        if not self.ways and self.pick.random() < 0.2:
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
        if self.ways:
            element, outer = self.nested(DM_STEP, True)
            slices = "[%s]" % ", ".join(outer)
            element += REST[chip]
        self.pick.shuffle(element)
        cluster, half = "1 # 2", self.sizes["C"] // 2
        if not self.ways and self.pick.random() < 0.3 and self.sizes["C"] % 2 == 0:
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
        kept = ["%s @ %d = %d" % (a, *self.windows[a]) if a in self.windows else a for a in "ABC"]
        result = '!tcp.host<%s, #axes, "H, %s, X">' % (self.type, ", ".join(kept))
        first = self.hbm(self.pick.random() < 0.8, bool(self.windows))
        moves, here = [], first
        addresses = {"hbm": HBM_STEP, "dm": 0}
        steps = self.pick.randint(1, 4)
        for step in range(steps + 1):
            kind = self.pick.choice(["hbm", "dm"]) if step < steps else "hbm"
            last = step == steps and self.pick.random() < 0.8
            there = self.dm() if kind == "dm" else self.hbm(last)
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
            "  func.func @main(%%0: %s) -> %s {" % (host, result),
            "    %%1 = tcp.to_hbm %%0 at 0 : %s -> %s" % (host, first),
            "    %%2 = tcp.launch @kernel(%%1) : (%s) -> %s" % (first, here),
            "    %%3 = tcp.to_host %%2 : %s -> %s" % (here, result),
            "    return %%3 : %s" % result,
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
        most = {"i4": 8, "f8E4M3FN": 16}.get(self.type, 100)
        values = np.random.default_rng(seed).integers(-most, most, list(self.sizes.values()))
        types = {"i4": np.int8, "i8": np.int8, "i16": np.int16, "i32": np.int32}
        return values.astype(types.get(self.type, np.float32))


    def expected(self, data):
        kept = [slice(None)]
        for axis in "ABC":
            first, length = self.windows.get(axis, (0, self.sizes[axis]))
            kept.append(slice(first, first + length))
        return data[tuple(kept)]


#: Why a layout is refused that the machine cannot walk, or that is not read as the same one.
REFUSALS = re.compile(
    "have no common refinement|is only partly valid|write leaves the tensor|"
    "loops for one DMA engine|is walked twice"
)


def main():
    run, directory, first, count = sys.argv[1:]
    os.makedirs(directory, exist_ok=True)
    paths = [os.path.join(directory, name) for name in ("in.npy", "out.npy")]
    views = refused = 0
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
        views += bool(generator.ways)
        if done.returncode == 1 and generator.ways and REFUSALS.search(done.stderr):
            refused += 1
            continue
        if done.returncode != 0:
            sys.exit("seed %d: %s" % (seed, done.stderr))
        if not np.array_equal(np.load(paths[1]), generator.expected(data)):
            sys.exit("seed %d: the tensor changed, see %s" % (seed, program))
        os.remove(paths[1])
    if refused * 4 > views * 3:
        sys.exit("%d of %d chains of views are refused" % (refused, views))
    print("%s chains from seed %s on keep their tensors" % (count, first))
    print("%d of them are views of views, %d of which are refused" % (views, refused))


main()
