# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""all_examples.py EXAMPLES TESTS: every folder of EXAMPLES is named by a test."""

import sys
from pathlib import Path

examples, tests = map(Path, sys.argv[1:])
named = " ".join(file.read_text(encoding="utf-8") for file in tests.glob("*.test")).split()
folders = sorted(path.name for path in examples.iterdir() if path.is_dir())
missing = [name for name in folders if name not in named]
assert len(folders) >= 40, f"{len(folders)} examples"
sys.exit(f"examples without a test: {', '.join(missing)}" if missing else 0)
