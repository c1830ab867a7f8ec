# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes modules of the csl dialect as CSL source and reads each file with the parser.

    parse_all.py OUT MODULE...

Prints the modules that failed, then how many there were.
"""

import subprocess
import sys
from pathlib import Path


def main():
    """Returns the exit code."""
    out = Path(sys.argv[1])
    failures = files = 0
    for name in sys.argv[2:]:
        module = Path(name)
        directory = out / module.parent.name / module.stem
        made = subprocess.run(["sequin-translate", "--csl-to-source", module,
                               "--output-directory", directory],
                              capture_output=True, text=True, check=False)
        if made.returncode:
            print(f"{module}: {made.stderr}")
            failures += 1
            continue
        for file in sorted(directory.glob("*.csl")):
            files += 1
            read = subprocess.run(["sequin-csl", "--syntax-only", file],
                                  capture_output=True, text=True, check=False)
            if read.returncode:
                print(f"{file}: {read.stderr}")
                failures += 1
    print(f"{len(sys.argv) - 2} modules, {failures} failures, files: {files > 0}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
