#!/usr/bin/python3
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs host scripts, each as a fork of a process that has loaded the package.

It speaks the protocol of ForkServer.c. A script comes by stdin and works in a copy of the
request's directory. The statements of a script are run one by one. What
is raised inside of the package has to be a sequin.Error, whatever the arguments are; what is
raised by the script alone is the script's own mistake and ends nothing.
"""

from __future__ import annotations

import ast
import os
import resource
import select
import shutil
import signal
import socket
import struct
import sys
import tempfile
import traceback
import types
import warnings

import cerebras.sdk.client as client
import cerebras.sdk.runtime.sdkruntimepybind as runtime
import cerebras.sdk.sdk_utils as sdk_utils
import numpy as np
from cerebras.geometry.geometry import IntRectangle, IntVector
from cerebras.sdk.debug.debug_util import debug_util

import sequin

PACKAGE = os.path.dirname(os.path.abspath(sequin.__file__))
#: A script has ended as none should.
BAD = 99
#: Other processes may be at work: the wait is so many times the time.
WAITS = 6

NAMES = {
    **{name: getattr(runtime, name) for name in dir(runtime) if name[0] != "_"},
    "np": np, "sequin": sequin, "client": client, "debug_util": debug_util,
    "sdk_utils": sdk_utils, "IntVector": IntVector, "IntRectangle": IntRectangle, "os": os,
}


def is_ours(trace: types.TracebackType | None) -> bool:
    """Whether an exception came through code of the package."""
    while trace is not None:
        if trace.tb_frame.f_code.co_filename.startswith(PACKAGE):
            return True
        trace = trace.tb_next
    return False


def run_script(text: str) -> int:
    """The exit code of a script."""
    names = dict(NAMES)
    refused = False
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return 1
    for statement in body:
        module = ast.Module([statement], [])
        try:
            exec(compile(module, "script", "exec"), names)
        except sequin.Error:
            refused = True
        except BaseException as error:
            if isinstance(error, MemoryError):
                print("error: out of memory", file=sys.stderr)
                return 1
            if is_ours(error.__traceback__):
                place = traceback.extract_tb(error.__traceback__)[-1]
                name = os.path.basename(place.filename)
                traceback.print_exc()
                print(f"error: {type(error).__name__} in {place.name} of {name} comes through",
                      file=sys.stderr)
                return BAD
    if refused:
        print("error: refused", file=sys.stderr)
    return 1 if refused else 0


def run_child(request: list[str], seconds: int, memory: int, origin: str) -> int:
    """One script, with its own copy of what `origin` holds."""
    os.setpgid(0, 0)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
    if memory:
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    directory, stdin, stdout, stderr = request[:4]
    for path, flags, number in ((stdin, os.O_RDONLY, 0), (stdout, os.O_WRONLY | os.O_TRUNC, 1),
                                (stderr, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 2)):
        file = os.open(path, flags, 0o600)
        os.dup2(file, number)
        os.close(file)
    shutil.copytree(directory, origin, dirs_exist_ok=True)
    os.chdir(origin)
    tempfile.tempdir = origin
    warnings.simplefilter("ignore")
    with open(0, encoding="utf-8", errors="replace", closefd=False) as file:
        text = file.read()
    return run_script(text)


def serve(channel: socket.socket) -> None:
    """Answers requests until there are no more."""
    folder = tempfile.mkdtemp(prefix="scripts-")
    while True:
        head = channel.recv(4, socket.MSG_WAITALL)
        if len(head) < 4:
            break
        (size,) = struct.unpack("=I", head)
        data = channel.recv(size, socket.MSG_WAITALL)
        seconds, memory = struct.unpack("=IQ", data[:12])
        request = [os.fsdecode(text) for text in data[12:].split(b"\0")[:-1]]
        place = os.path.join(folder, "run")
        child = os.fork()
        if not child:
            code = 125
            try:
                channel.close()
                code = run_child(request, seconds, memory, place)
                sys.stdout.flush()
                sys.stderr.flush()
            finally:
                os._exit(code)
        watched = os.pidfd_open(child)
        poll = select.poll()
        poll.register(watched, select.POLLIN)
        late = not poll.poll(seconds * WAITS * 1000)
        if late:
            os.kill(child, signal.SIGKILL)
        _, status, usage = os.wait4(child, 0)
        try:
            os.killpg(child, signal.SIGKILL)
        except ProcessLookupError:
            pass
        os.close(watched)
        shutil.rmtree(place, ignore_errors=True)
        time = int((usage.ru_utime + usage.ru_stime) * 1e6)
        channel.sendall(struct.pack("=iIQQ", status, late, usage.ru_maxrss, time))
    shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    serve(socket.socket(fileno=int(os.environ["HUNT_FORK_SERVER"])))
