#!/usr/bin/python3
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The fewest cycles that any mapping of matrix products can take on one chip.

    sequin-translate --dump-machine=rngd -o machine.json
    bound.py machine.json --tokens 2048 --inner 8192 --outer 8192 --type bf16

A second opinion on the compiler: it reads the machine's row and the shapes, knows no
mapping, and shares no code with the search. Every term holds for every mapping:

work    A cycle does `macs_per_cycle` multiply-accumulates, fewer if neither operand has as
        many rows as the MAC array.
feed    A computation packet (64 bytes) comes through collect in flits of 32, one per cycle,
        two in dual-channel mode, in which the sub context rests. It meets 8 rows at once,
        one element of each at most as often as a row of the register file has elements.
        And every operand comes into a slice at least once, as packet or as resident row.
refill  Every element of the resident operand is loaded into a register file, and stays
        there for as many products as the other operand has rows. A slice's main context
        loads 64 bytes per cycle at most, during which it multiplies nothing; the sub
        context 8 bytes per cycle beside it.
hbm     DMA commands of a chip run one after the other, and one command moves in one
        direction: at least one that loads and one that stores, each with its start-up, and
        in them all operands and results once, at the peak.
data    At time t no more bytes have come than the start-up leaves time for. An element of
        an [M, K] operand and one of a [K, N] operand make at most M N / (M + N) products
        each, so the work cannot run ahead of the data. The last store starts up behind the
        last product, and moves at least one request.

Cutting sums along K is not in it: partial sums can be added in the inter-slice block or
by operands that the sub context brings beside the products, and no mapping must pay for it.

The bound of several products that share the tokens ([M, K] with [K, N1], [K, N2], ...) is
that of one product with N1 + N2 + ... columns. A bound that one mapping reaches in one term
and another mapping in another one is still a bound; it need not be reached.
"""

import argparse
import dataclasses
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

Machine = Mapping[str, Any]  # a row as JSON

#: DM to HBM reads and then writes: cycles per request (DMA Engine, Examples 1, 3 and 6).
STORE_CYCLES_PER_REQUEST = 2
#: Bits of an element in memory.
BITS = {"i4": 4, "i8": 8, "f8e4m3": 8, "f8e5m2": 8, "bf16": 16, "f32": 32, "i32": 32}


@dataclasses.dataclass(frozen=True)
class Product:
    """[tokens, inner] times [inner, outer], in the operands' type."""

    tokens: int
    inner: int
    outer: int
    type: str

    @property
    def macs(self) -> int:
        return self.tokens * self.inner * self.outer

    @property
    def operand_bytes(self) -> int:
        return (self.tokens + self.outer) * self.inner * BITS[self.type] // 8


@dataclasses.dataclass(frozen=True)
class Bound:
    """Terms by name, in cycles; the largest one is the bound."""

    terms: dict[str, int]

    @property
    def cycles(self) -> int:
        return max(self.terms.values())

    @property
    def name(self) -> str:
        return max(self.terms, key=lambda name: self.terms[name])


def slices_of(machine: Machine) -> int:
    return machine["clusters_per_chip"] * machine["slices_per_cluster"]


def ceil_div(a: int, b: int) -> int:
    return -(-a // b)


def scaled(machine: Machine, cycles: int) -> int:
    """Of the tensor unit, on a machine whose passes take longer than the formulas say."""
    return ceil_div(cycles * machine["pass_scale_percent"], 100)


def work(machine: Machine, product: Product) -> int:
    rate, rows = machine["macs_per_cycle"][product.type], machine["rows_per_slice"]
    used = min(rows, max(product.tokens, product.outer))
    return ceil_div(product.macs * rows, rate * used)


def widest_fetch(machine: Machine) -> int:
    """Bytes per cycle into one slice, in dual-channel mode."""
    return max(machine["main_fetch"]["access_bytes"]) * machine["dual_channel_accesses"]


def feed(machine: Machine, product: Product) -> int:
    rows, slices = machine["rows_per_slice"], slices_of(machine)
    lanes = machine["macs_per_cycle"][product.type] // (slices * rows)
    resident = rows * machine["trf_bytes_per_row"] * 8 // BITS[product.type]
    uses = min(max(product.tokens, product.outer), resident)
    packets = ceil_div(product.macs, slices * lanes * uses)
    flits = packets * machine["mac_width_bytes"] // machine["flit_bytes"]
    return max(ceil_div(flits, machine["dual_channel_accesses"]),
               ceil_div(product.operand_bytes, slices * widest_fetch(machine)))


def refill(machine: Machine, product: Product) -> int:
    resident = min(product.tokens, product.outer) * product.inner * BITS[product.type] // 8
    loaded = ceil_div(resident, slices_of(machine))
    busy = work(machine, product)
    beside = busy * max(machine["sub_fetch"]["access_bytes"])
    return busy + ceil_div(max(0, loaded - beside), widest_fetch(machine))


def hbm_rate(machine: Machine) -> int:
    """Bytes per cycle of HBM, between refreshes."""
    return machine["hbm_bytes_per_cycle"] * (100 - machine["hbm"]["refresh_percent"]) // 100


def load_rate(machine: Machine) -> int:
    """Bytes per cycle from HBM into data memory, of all slices."""
    rates = [hbm_rate(machine),
             machine["dma_engines"] * machine["dma_request_bytes"],
             slices_of(machine) // machine["slices_per_dmn"] * machine["dmn_bytes_per_cycle"],
             machine["hbm_to_dm_chip_bytes_per_cycle"],
             machine["hbm_to_dm_cluster_bytes_per_cycle"] * machine["clusters_per_chip"],
             machine["dm_cluster_bytes_per_cycle"] * machine["clusters_per_chip"]]
    return min(rate for rate in rates if rate)


def store_rate(machine: Machine) -> int:
    rates = [hbm_rate(machine),
             machine["dma_engines"] * machine["dma_request_bytes"] // STORE_CYCLES_PER_REQUEST,
             machine["dm_cluster_bytes_per_cycle"] * machine["clusters_per_chip"]]
    return min(rate for rate in rates if rate)


def store_startup(machine: Machine) -> int:
    return machine["dma_startup_cycles"] + machine["dma_store_descriptor_cycles"]


def bound_of(machine: Machine, products: Sequence[Product], read: int, written: int) -> Bound:
    """Of a program of products one after the other or not, which reads and writes at least
    as many bytes of HBM."""
    busy = scaled(machine, sum(work(machine, p) for p in products))
    fed = scaled(machine, sum(feed(machine, p) for p in products))
    filled = scaled(machine, sum(refill(machine, p) for p in products))
    start, stop = machine["dma_startup_cycles"], store_startup(machine)
    loads = ceil_div(read, load_rate(machine))
    stores = max(STORE_CYCLES_PER_REQUEST, ceil_div(written, store_rate(machine)))
    return Bound({
        "work": busy,
        "feed": fed,
        "refill": filled,
        "hbm": start + loads + stop + stores,
        "data": start + max(busy, loads) + stop + STORE_CYCLES_PER_REQUEST,
    })


def bound_of_product(machine: Machine, product: Product, result: str = "bf16") -> Bound:
    written = product.tokens * product.outer * BITS[result] // 8
    return bound_of(machine, [product], product.operand_bytes, written)


def describe(machine: Machine, product: Product, bound: Bound) -> str:
    """The terms, one per line, with the numbers they are made of."""
    kind = product.type
    because = {
        "work": f"{product.macs:,} MACs, {machine['macs_per_cycle'][kind]:,} per cycle",
        "feed": f"{widest_fetch(machine)} bytes per cycle into each of {slices_of(machine)} "
                f"slices, packets of {machine['mac_width_bytes']}",
        "refill": f"work, and {min(product.tokens, product.outer):,} x {product.inner:,} elements "
                  f"into {slices_of(machine)} register files of {machine['rows_per_slice']} x "
                  f"{machine['trf_bytes_per_row']:,} bytes",
        "hbm": f"{product.operand_bytes:,} bytes in at {load_rate(machine):,} per cycle, results "
               f"out at {store_rate(machine):,}, two start-ups",
        "data": f"start-up of {machine['dma_startup_cycles']}, then work or data, then a last "
                "store",
    }
    lines = [f"{name:7} {cycles:>12,}  {because[name]}" for name, cycles in bound.terms.items()]
    return "\n".join([*lines, f"bound   {bound.cycles:>12,}  by {bound.name}"])


def main() -> int:
    parser = argparse.ArgumentParser(description="The fewest cycles of a matrix product.")
    parser.add_argument("machine", type=Path, help="what sequin-translate --dump-machine prints")
    parser.add_argument("--tokens", type=int, required=True, metavar="M")
    parser.add_argument("--inner", type=int, required=True, metavar="K")
    parser.add_argument("--outer", type=int, required=True, action="append", metavar="N",
                        help="several: products that share the tokens")
    parser.add_argument("--type", default="bf16", choices=["i4", "i8", "f8e4m3", "f8e5m2", "bf16"])
    parser.add_argument("--result", default="bf16", choices=["bf16", "f32", "i32"])
    options = parser.parse_args()
    sizes = [options.tokens, options.inner, *options.outer]
    if min(sizes) < 1:
        parser.error(f"a size is {min(sizes)}, must be at least 1")
    try:
        machine = json.loads(options.machine.read_text())
    except (OSError, ValueError) as error:
        parser.error(f"{options.machine}: {error}")
    product = Product(options.tokens, options.inner, sum(options.outer), options.type)
    print(describe(machine, product, bound_of_product(machine, product, options.result)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
