# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Says what a report of mappings has: `mappings.py REPORT.json TEXT` compares it with
the text, `mappings.py REPORT.json --evaluated` prints how many mappings there were."""

import json
import sys

#: A shorter program may cost that much more than the fastest mapping.
SLACK = 0.003

with open(sys.argv[1]) as file:
    records = json.load(file)
if sys.argv[2] == "--evaluated":
    print(max(record["evaluated"] for record in records))
    sys.exit()
with open(sys.argv[2]) as file:
    text = file.read()
for record in records:
    words = [record["group"], record["kind"], record["operation"]]
    print(*words, "complete" if record["kind"] == "rings" and record["complete"] else "")
    agrees = record["mapping"] in text and record["location"] in text
    if "runner_up" in record:
        after = record["runner_up"]
        slack = record["cycles"] * (1 - SLACK) - 1
        print("runner-up is not faster beyond the slack:", after["cycles"] >= slack)
        agrees &= f"{record['cycles']} cycles by the cost model" in text
        agrees &= f"{after['cycles']} cycles: {after['lost_because']}" in text
        agrees &= f"{record['evaluated']} mappings evaluated, {record['feasible']}" in text
    print("as the text says:", agrees)
