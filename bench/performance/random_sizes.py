#!/usr/bin/python3
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matrix products of sizes drawn at random, held against the bound of bound.py.

    random_sizes.py --count 200 --seed 7
    random_sizes.py --count 100 --seed 7 --vectors

Sizes are whole numbers, log-uniform and not rounded to anything: M, K and N from 64 to
16,384, or with --vectors M = 1 and matrices of bf16 and f8 in turn. Prints a line per product
(sizes, cycles, share of the bound that is reached, the bound's term, seconds), then the geometric
mean and the worst share of all, and of the large ones: over 0.5 G MAC, or over 16 MB of weights.
The same seed draws the same sizes.
"""

import argparse
import concurrent.futures
import math
import random
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bound import BITS, Product, bound_of_product
from measure import Failure, Tools
from programs import products

SMALLEST, LARGEST = 64, 16384
LARGE_MACS = 500_000_000
LARGE_WEIGHTS = 16_000_000  # bytes


def draw(source: random.Random) -> int:
    return round(math.exp(source.uniform(math.log(SMALLEST), math.log(LARGEST))))


def drawn(count: int, seed: int, vectors: bool) -> list[Product]:
    source = random.Random(seed)
    if vectors:
        kinds = ("bf16", "f8e4m3")
        return [Product(1, draw(source), draw(source), kinds[i % 2]) for i in range(count)]
    return [Product(draw(source), draw(source), draw(source), "bf16") for _ in range(count)]


def is_large(product: Product, vectors: bool) -> bool:
    if vectors:
        return product.inner * product.outer * BITS[product.type] // 8 > LARGE_WEIGHTS
    return product.macs > LARGE_MACS


def summary(name: str, shares: Sequence[float]) -> str:
    if not shares:
        return f"{name}: none"
    mean = math.exp(math.fsum(map(math.log, shares)) / len(shares))
    return (f"{name}: {len(shares)}, geometric mean {100 * mean:.1f} %, "
            f"worst {100 * min(shares):.1f} %")


def main() -> int:
    parser = argparse.ArgumentParser(
        description="Matrix products of random sizes against the bound.")
    parser.add_argument("--bin", type=Path, default=Path(__file__).parents[2] / "build" / "bin")
    parser.add_argument("--target", default="rngd")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--vectors", action="store_true", help="products with a vector")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    if min(options.count, options.jobs) < 1:
        parser.error("--count and --jobs must be at least 1")
    shares: list[tuple[Product, float]] = []
    failures = 0
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        tools = Tools(options.bin, Path(folder))
        try:
            machine = tools.machine(options.target)
        except Failure as failure:
            parser.error(str(failure))
        every = drawn(options.count, options.seed, options.vectors)
        runs = [pool.submit(tools.measure,
                            products(p.tokens, p.inner, [p.outer], p.type).text(), machine)
                for p in every]
        for product, run in zip(every, runs):
            sizes = f"{product.tokens}x{product.inner}x{product.outer} {product.type}"
            try:
                measured = run.result()
            except Failure as failure:
                print(f"{sizes}: {failure}", flush=True)
                failures += 1
                continue
            bound = bound_of_product(machine, product)
            share = bound.cycles / measured.cycles
            shares.append((product, share))
            print(f"{sizes:28} {measured.cycles:>11,} {100 * share:5.1f} % of {bound.name:6} "
                  f"{measured.seconds:5.1f} s", flush=True)
    print(summary("all", [share for _, share in shares]))
    print(summary("large", [share for product, share in shares
                            if is_large(product, options.vectors)]))
    if failures:
        print(f"failed: {failures}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
