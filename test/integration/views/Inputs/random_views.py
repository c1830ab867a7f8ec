# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random copies of blocks of a matrix into blocks of another one, through data memory
or straight: NumPy's result, which the reference interpreter has too.

random_views.py SEQUIN_RUN DIR FIRST_SEED COUNT
"""
import os
import random
import subprocess
import sys

import numpy as np

BITS = {"i4": 4, "i8": 8, "bf16": 16, "f32": 32}


class Generator:
    def __init__(self, seed):
        pick = self.pick = random.Random(seed)
        self.type = pick.choice(sorted(BITS))
        self.word = 64 // BITS[self.type]
        self.rows, self.columns = pick.randint(4, 20), pick.randint(4, 70)
        self.pitch = self.align(self.columns + pick.choice([0, 0, 5]))
        self.axes = ["#matrix = #stream.axes<A = %d, B = %d>" % (self.rows, self.columns)]
        self.grids = []
        self.body = []
        self.steps = []
        self.count = 0

    def align(self, n):
        return -(-n // self.word) * self.word

    def even(self, n):
        return n // 2 * 2 if self.type == "i4" else n

    def name(self):
        self.count += 1
        return "%%v%d" % self.count

    def block(self):
        """A block of the source and a place for it: sizes, offsets, steps per round."""
        pick = self.pick
        through = pick.choice(["dm", "dm", "hbm"])
        height = pick.randint(1, min(4, self.rows))
        width = pick.randint(1, min(20, self.columns))
        unit = self.word if through == "dm" else 1
        if self.type == "i4":  # HBM is written in whole bytes
            width = max(2, self.even(width))
        column = pick.randint(0, (self.columns - width) // unit) * unit
        to_column = self.even(pick.randint(0, self.columns - width))
        column = self.even(column)
        rounds = pick.randint(1, max(1, min(3, self.rows // height)))
        row = pick.randint(0, self.rows - height * rounds)
        to_row = pick.randint(0, self.rows - height * rounds)
        return through, height, width, rounds, row, column, to_row, to_column

    def move(self, number, acc):
        through, height, width, rounds, row, column, to_row, to_column = self.block()
        self.steps.append((height * rounds, width, row, column, to_row, to_column))
        self.axes.append("#part%d = #stream.axes<M = %d, N = %d>" % (number, height, width))
        part = '!tcp.hbm<%s, #part%d, "1", "M, N # %d">' % (self.type, number, self.pitch)
        step = height * self.pitch
        view, data, new, all_rounds = (self.name() for _ in range(4))
        lines = [
            "%s = tcp.view %%in at %%i * %d + %d : !Hbm -> %s"
            % (view, step, row * self.pitch + column, part)
        ]
        source = (view, part)
        if through == "dm":
            padded = self.align(width)
            slices = self.pick.choice(["M", "1"])
            buffer = "N # %d" % padded if slices == "M" else "M, N # %d" % padded
            self.grids.append(
                '#grid%d = #tcp.grid<#part%d, chip "1", cluster "1 # 2", slice "%s # 256">'
                % (number, number, slices)
            )
            dm = '!tcp.dm<%s, #grid%d, "%s">' % (self.type, number, buffer)
            lines.append(
                "%s = tcp.to_dm %s at %d : %s -> %s" % (data, view, number * 256, part, dm)
            )
            source = (data, dm)
        lines.append(
            "%s = tcp.to_hbm_view %s into %%acc at %%i * %d + %d as %s : %s, !Hbm"
            % (new, source[0], step, to_row * self.pitch + to_column, part, source[1])
        )
        self.body += [
            "    %%n%d = arith.constant %d : index" % (number, rounds),
            "    %s = scf.for %%i = %%c0 to %%n%d step %%c1 iter_args(%%acc = %s) -> (!Hbm) {"
            % (all_rounds, number, acc),
            *("      " + line for line in lines),
            "      scf.yield %s : !Hbm" % new,
            "    }",
        ]
        return all_rounds

    def program(self):
        acc = "%into"
        for number in range(self.pick.randint(1, 4)):
            acc = self.move(number, acc)
        lines = [
            *self.axes,
            *self.grids,
            '!Host = !tcp.host<%s, #matrix, "A, B">' % self.type,
            '!Hbm = !tcp.hbm<%s, #matrix, "1", "A, B # %d">' % (self.type, self.pitch),
            'module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {',
            "  func.func @main(%a: !Host, %b: !Host) -> !Host {",
            "    %h = tcp.to_hbm %a at 0 : !Host -> !Hbm",
            "    %g = tcp.to_hbm %b at 65536 : !Host -> !Hbm",
            "    %r = tcp.launch @kernel(%h, %g) : (!Hbm, !Hbm) -> !Hbm",
            "    %o = tcp.to_host %r : !Hbm -> !Host",
            "    return %o : !Host",
            "  }",
            "  func.func @kernel(%in: !Hbm, %into: !Hbm) -> !Hbm {",
            "    %c0 = arith.constant 0 : index",
            "    %c1 = arith.constant 1 : index",
            *self.body,
            "    return %s : !Hbm" % acc,
            "  }",
            "}",
            "",
        ]
        return "\n".join(lines)

    def data(self, seed):
        low, high = (-8, 8) if self.type == "i4" else (-100, 100)
        values = np.random.default_rng(seed).integers(low, high, (2, self.rows, self.columns))
        return values.astype(np.int8 if self.type[0] == "i" else np.float32)

    def expected(self, data):
        source, result = data[0], data[1].copy()
        for height, width, row, column, to_row, to_column in self.steps:
            result[to_row : to_row + height, to_column : to_column + width] = source[
                row : row + height, column : column + width
            ]
        return result


def main():
    run, directory, first, count = sys.argv[1:]
    os.makedirs(directory, exist_ok=True)
    paths = [os.path.join(directory, name) for name in ("a.npy", "b.npy", "out.npy")]
    for seed in range(int(first), int(first) + int(count)):
        generator = Generator(seed)
        program = os.path.join(directory, "seed%d.mlir" % seed)
        with open(program, "w") as file:
            file.write(generator.program())
        data = generator.data(seed)
        np.save(paths[0], data[0])
        np.save(paths[1], data[1])
        done = subprocess.run(
            [run, program, "--input", paths[0], "--input", paths[1], "--output", paths[2],
             "--verify"],
            capture_output=True,
            text=True,
        )
        if done.returncode != 0:
            sys.exit("seed %d: %s" % (seed, done.stderr))
        if not np.array_equal(np.load(paths[2]), generator.expected(data)):
            sys.exit("seed %d: blocks are elsewhere, see %s" % (seed, program))
    print("%s matrices from seed %s on have their blocks" % (count, first))


main()
