# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs every command line of an advice and compares cycles."""

import re
import shlex
import subprocess
import sys

text = open(sys.argv[1], encoding="utf-8").read()
entries = re.findall(r"^  (\d+) cycles, [\d.]+ % less: .*\n    (sequin-run .*)$", text, re.M)
assert entries, text
promised = [int(cycles) for cycles, _ in entries]
assert promised == sorted(promised), promised
base = int(re.search(r"the run takes (\d+) cycles", text)[1])
for cycles, command in entries:
    done = subprocess.run(shlex.split(command), capture_output=True, text=True, check=True)
    assert f"cycles {cycles}," in done.stderr, (command, done.stderr)
    assert int(cycles) < base
