# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""pipe.py PIPE FILE COMMAND...: runs COMMAND, which writes PIPE, and checks that
FILE's bytes come out of it and that it is still a pipe."""

import os
import stat
import subprocess
import sys

pipe, wanted, command = sys.argv[1], sys.argv[2], sys.argv[3:]
# A reader that does not wait for the writer, so that nothing hangs if none comes.
reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
with subprocess.Popen(command) as process:
    found = b""
    while True:
        # Asked before reading: what was written before the end is still there.
        ended = process.poll() is not None
        try:
            chunk = os.read(reader, 1 << 16)
        except BlockingIOError:
            continue
        found += chunk
        if not chunk and ended:
            break
assert process.returncode == 0, process.returncode
assert stat.S_ISFIFO(os.lstat(pipe).st_mode), "the pipe was replaced"
with open(wanted, "rb") as file:
    assert found == file.read()
