# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds the rule for mappings of the extension's MLIR grammar to the kernels of examples/tcp."""

import json
import re
import sys
from pathlib import Path

root = Path(sys.argv[1])
grammar = json.loads((root / "tools/editors/vscode/syntaxes/mlir.tmLanguage.json").read_text())
mapping = re.compile(grammar["repository"]["mapping"]["match"])
failures = []
count = 0
for path in sorted((root / "examples/tcp").glob("*.mlir")):
    for line in path.read_text().splitlines():
        for text in re.findall(r'"[^"]*"', line.split("//")[0]):
            count += 1
            # Names of commands and machines are plain strings.
            if bool(mapping.fullmatch(text)) == bool(re.fullmatch(r'"[a-z_]+"', text)):
                failures.append(f"{path.name}: {text}")
for text in ('"[M / 4, N / 32] # 256"', '"$(W:2, F:1)"', '"A #z, B"', "\"B' @ 2 = 2\"", '"1"'):
    if not mapping.fullmatch(text):
        failures.append(f"{text} is a mapping")
for text in ('"rngd"', '"a text of words"', '""'):
    if mapping.fullmatch(text):
        failures.append(f"{text} is no mapping")
if failures or not count:
    sys.exit("\n".join(failures) or "no string in examples/tcp")
print(f"{count} strings")
