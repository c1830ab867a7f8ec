# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""When make_tables.py --check finds a page out of date; files go into the directory given."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[4] / "bench" / "performance"))

from make_tables import SECONDS, changes, table  # noqa: E402


def page(cycles, seconds):
    header = ["program", "cycles", *SECONDS]
    return f"# Title\n\n{table(header, [['a', cycles, seconds, seconds]])}\n\nText.\n"


def main():
    folder = pathlib.Path(sys.argv[1])
    written = folder / "written.md"
    written.write_text(page("10", "0.52"))
    print("other seconds:", changes(written, page("10", "0.61")) or "no change")
    (line,) = (line for line in changes(written, page("11", "0.52")) if line.startswith("+| a"))
    print("other cycles:", line)
    print("a file that is not there:", changes(folder / "none.md", page("10", "0.5"))[3])


if __name__ == "__main__":
    main()
