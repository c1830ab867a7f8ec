# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# The DMA commands of a configuration, a line per descriptor:
#   name: hbm -> dm engine 0: [size:source/destination, ...]:packet @ source -> destination
import json
import sys

for command in json.load(sys.stdin)["commands"]:
    if command["kind"] != "dma":
        continue
    for d in command["descriptors"]:
        entries = ", ".join("%d:%d/%d" % tuple(e) for e in d["entries"])
        text = "%s: %s %d -> %s %d engine %d: [%s]:%d @ %d -> %d" % (
            command["name"],
            command["source"],
            d["source_chip"],
            command["destination"],
            d["destination_chip"],
            d["engine"],
            entries,
            d["packet_bytes"],
            d["source_address"],
            d["destination_address"],
        )
        if "indirection" in d:
            i = d["indirection"]
            text += " %s by %s @ %d step %d of %d" % (
                i["side"],
                i["strides"],
                i["address"],
                i["step"],
                i["count"],
            )
        print(text)
