# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The examples of the manual's DMA chapter as configurations, from their sequencers.

manual_dma.py MACHINE.json DIR    writes DIR/example1.json ... DIR/example6.json

Sequencers are the manual's, with its errata as ruled (ERR-37, ERR-41). Example 4 walks an
eighth of the outermost loop: 65,536 of its 524,288 requests.
"""

import json
import pathlib
import sys


def examples(machine):
    """Name -> (source, destination, descriptors)."""
    slice_ = machine["dm_slice_stride"]
    network = slice_ * machine["slices_per_dmn"]
    engines = [(i, j) for i in range(machine["clusters_per_chip"])
               for j in range(machine["dma_engines"] // machine["clusters_per_chip"])]
    half = machine["slices_per_cluster"] * slice_

    def one(source, destination, *entries, packet=256, chip=0, engine=0):
        return {"engine": engine, "source_chip": chip, "destination_chip": chip,
                "source_address": source, "destination_address": destination,
                "entries": entries, "packet_bytes": packet}

    def every(read, write, *entries):
        """A descriptor per engine: addresses by cluster and engine of the cluster."""
        return [one(read(i, j), write(i, j), *entries, engine=i * 4 + j) for i, j in engines]

    def to_dm(i, j):
        return i * half + j * 2 * network

    def from_chips():
        row = 15 * 256
        for chip in range(4):
            for i, j in engines:
                to = chip * 2 * 32 * row + i * 32 * row + j * 4 * 256
                place = dict(chip=chip, engine=i * 4 + j)
                if j < 3:
                    yield one(to_dm(i, j), to, (2, 256, 256), (32, slice_, row),
                              (2, network, 512), **place)
                else:
                    # Elements 12 and 13 of A, then 14: two commands, so that nothing is
                    # written beyond.
                    yield one(to_dm(i, j), to, (2, 256, 256), (32, slice_, row), **place)
                    yield one(to_dm(i, j) + network, to + 512, (32, slice_, row), **place)

    return {
        "example1": ("hbm", "hbm", [one(0, 16384, (8, 2048, 256), (8, 256, 2048))]),
        "example2": ("hbm", "dm", [one(0, 0, (256, 65536, 256), (4, 256, 65536),
                                       (32, 1024, slice_), (2, 32768, network))]),
        "example3": ("dm", "dm", [one(0, 262144, (256, 256, 1024), (4, 65536, 256),
                                      (32, slice_, slice_), (2, network, network))]),
        "example4": ("hbm", "dm", every(
            lambda i, j: i << 20 | j << 18, to_dm, (32, 1024, 1024), (4, 256, 256),
            (32, 1 << 21, slice_), (2, 1 << 26, network))),
        "example5": ("hbm", "dm", every(
            lambda i, j: i << 20 | j << 18, to_dm, (8, 512, 256), (32, 4096, slice_),
            (2, 131072, network))),
        "example6": ("dm", "hbm", list(from_chips())),
    }


def main():
    machine = json.loads(pathlib.Path(sys.argv[1]).read_text())
    folder = pathlib.Path(sys.argv[2])
    for name, (source, destination, descriptors) in examples(machine).items():
        chips = 1 + max(d["source_chip"] for d in descriptors)
        command = {"name": name, "kind": "dma", "source": source, "destination": destination,
                   "descriptors": descriptors}
        program = {"version": 1, "target": machine["name"], "chips": chips, "name": "main",
                   "inputs": [], "outputs": [], "macs": 0, "mac_type": "i8",
                   "commands": [command]}
        (folder / f"{name}.json").write_text(json.dumps(program))
    return 0


if __name__ == "__main__":
    sys.exit(main())
