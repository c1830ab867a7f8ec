# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import json
import sys

report, trace = (json.load(open(path)) for path in sys.argv[1:])
commands = [c for c in report["commands"] if c["end"] > 0]
for command in commands:
    before = [c["name"] for c in commands if c["end"] == command["start"]]
    if before:
        print(
            "%s %s after %s: %s"
            % (command["context"], command["name"], repr(before[0]), command["wait"])
        )
events = trace["traceEvents"]
print("tracks", [e["args"]["name"] for e in events if e["name"] == "thread_name"])
slices = [e for e in events if e["ph"] == "X"]
outer = [e for e in slices if e["cat"] in ("main", "sub", "dma")]
print(
    "nested",
    all(
        any(
            o["tid"] == e["tid"]
            and o["ts"] <= e["ts"]
            and e["ts"] + e["dur"] <= o["ts"] + o["dur"]
            for o in outer
        )
        for e in slices
        if e["cat"] == "stage"
    ),
)
for event in slices:
    if event["cat"] == "wait":
        print(event["name"])
