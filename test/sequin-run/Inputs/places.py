# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a report and a timeline say about the places of commands."""

import json
import os
import sys

report, timeline = (json.load(open(path)) for path in sys.argv[1:3])
for source in report["sources"]:
    place = os.path.basename(source["location"]).rsplit(":", 1)[0]
    print(f"{place} {source['operation']}: {' '.join(source['contexts'])}")
    assert max(source["contexts"].values()) <= source["cycles"] <= sum(source["contexts"].values())
timed = [c for c in report["commands"] if c["context"] != "host"]
print("every command has a place:", all(c["location"] and c["operation"] for c in timed))
named = {e["args"]["id"]: e["args"].get("location") for e in timeline["traceEvents"]
         if "id" in e.get("args", {})}
print("the timeline names the same:", named == {c["id"]: c["location"] for c in timed})
print("no line takes longer than the run:",
      all(s["cycles"] <= report["cycles"] for s in report["sources"])
      and sum(s["commands"] for s in report["sources"]) == len(timed))
