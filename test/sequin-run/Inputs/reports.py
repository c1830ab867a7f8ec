# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks reports of one program: the keys of the contract, and equal but for what
the simulation itself took and for places, which are those of the level that was given."""

import json
import sys

PLACES = ("location", "operation")


def comparable(report):
    commands = [{key: value for key, value in command.items() if key not in PLACES}
                for command in report["commands"]]
    return {**report, "sim": None, "sources": None, "commands": commands}


reports = []
for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as file:
        reports.append(json.load(file))
for report in reports:
    for key in ("target", "chips", "cycles", "seconds", "macs", "peak_macs_per_cycle",
                "mac_utilization", "hbm_bytes_read", "hbm_bytes_written", "hbm_utilization"):
        assert key in report, key
    assert set(report["sim"]) >= {"wall_seconds", "macs_per_second"}, report["sim"]
    assert report["target"] == "rngd" and report["cycles"] > 0
    for command in report["commands"]:
        assert set(command) >= {"id", "name", "context", "start", "end", "stages"}, command
        assert 0 <= command["start"] <= command["end"] <= report["cycles"], command
    assert comparable(report) == comparable(reports[0])
