# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that are started once and run for each input as a fork of that state.

A tool gets ForkServer.c preloaded; host scripts are run by script_server.py, which speaks
the same protocol. Each run has a time and a memory limit of its own.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
#: Most seconds and bytes that an input may cost.
SECONDS = 20
BYTES = 4 << 30
#: What is mapped in any case, libraries and stacks, comes on top of it.
MAPPED = 1 << 30

#: Linux: ADDR_NO_RANDOMIZE.
ADDRESSES_AS_EVER = 0x0040000

SYMBOLIZER = "/usr/lib/llvm-22/bin/llvm-symbolizer"
SANITIZER_OPTIONS = {
    "ASAN_OPTIONS": "allocator_may_return_null=0:hard_rss_limit_mb=4096:detect_leaks=0:"
                    "verify_asan_link_order=0:exitcode=99",
    "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1:exitcode=99",
    "ASAN_SYMBOLIZER_PATH": SYMBOLIZER,
    "UBSAN_SYMBOLIZER_PATH": SYMBOLIZER,
}


@dataclass
class Run:
    """How a run has ended."""

    code: int
    """The exit code, or minus the signal that ended it."""
    late: bool
    """Whether it was ended because its time, of the processor or of the clock, was up."""
    bytes: int
    seconds: float
    """Of processor time."""
    errors: str
    """What it wrote to stderr."""
    output: bytes = b""
    """What it wrote to stdout, if that was asked for."""

    @property
    def signal(self) -> str:
        """The name of the signal that ended it; empty if none did."""
        return signal.Signals(-self.code).name if self.code < 0 and not self.late else ""

    @property
    def is_large(self) -> bool:
        """Whether it had, or wanted, more memory than is allowed."""
        return (self.bytes > BYTES or "error: out of memory" in self.errors
                or "rss limit exhausted" in self.errors)


def build_preload(folder: Path) -> Path:
    """Compiles ForkServer.c."""
    library = folder / "ForkServer.so"
    compilers = [os.environ.get("CC", ""), "cc", "clang", "gcc", "clang-22"]
    compiler = next((c for c in compilers if c and shutil.which(c)), None)
    if compiler is None:
        sys.exit("error: there is no C compiler for ForkServer.c")
    subprocess.run([compiler, "-O1", "-shared", "-fPIC", "-o", library, HERE / "ForkServer.c",
                    "-ldl"], check=True)
    return library


class Server:
    """One program, started once."""

    def __init__(self, command: Sequence[str | Path], folder: Path,
                 environment: dict[str, str] | None = None, preload: Path | None = None):
        self._command, self._folder, self._preload = command, folder, preload
        self._environment = {
            "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "TMPDIR": str(folder),
            # A stack in numbers is made a thousand times faster than one with names.
            "LLVM_DISABLE_SYMBOLIZATION": "1", **SANITIZER_OPTIONS, **(environment or {}),
        }
        path = Path(command[0])
        self.sanitized = path.is_file() and b"__asan_init" in path.read_bytes()
        self._process: subprocess.Popen[bytes] | None = None
        self._channel: socket.socket | None = None

    def _start(self) -> socket.socket:
        ours, theirs = socket.socketpair()
        libc = ctypes.CDLL(None)
        self._process = subprocess.Popen(
            self._command, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL,
            cwd=self._folder,
            # The same places in memory in every run of the same program.
            preexec_fn=lambda: libc.personality(ADDRESSES_AS_EVER),
            env={**self._environment, "HUNT_FORK_SERVER": str(theirs.fileno()),
                 **({"LD_PRELOAD": str(self._preload)} if self._preload else {})})
        theirs.close()
        self._channel = ours
        return ours

    def run(self, arguments: Sequence[str], text: bytes = b"", directory: Path | None = None,
            output: bool = False, seconds: float = SECONDS) -> Run:
        """One run, with `text` on stdin."""
        channel = self._channel or self._start()
        files = [self._folder / name for name in ("stdin", "stdout", "stderr")]
        if text:
            files[0].write_bytes(text)
        texts = [directory or self._folder, files[0] if text else "/dev/null",
                 files[1] if output else "/dev/null", files[2], *arguments]
        # A path or a flag with a zero byte would be two.
        packed = b"".join(os.fsencode(str(t)).replace(b"\0", b"?") + b"\0" for t in texts)
        memory = 0 if self.sanitized else BYTES + MAPPED
        head = struct.pack("=IIQ", 12 + len(packed), max(1, int(seconds)), memory)
        channel.sendall(head + packed)
        answer = b""
        while len(answer) < 24:
            part = channel.recv(24 - len(answer))
            if not part:
                raise RuntimeError(f"{self._command[0]}: the fork server is gone")
            answer += part
        status, late, most, microseconds = struct.unpack("=iIQQ", answer)
        with files[2].open("rb") as file:
            errors = file.read(1 << 20).decode("utf-8", "replace")
        code = os.waitstatus_to_exitcode(status)
        late = late or code == -signal.SIGXCPU or (
            code == -signal.SIGKILL and microseconds >= seconds * 1e6)
        return Run(code, bool(late), most * 1024,
                   microseconds / 1e6, errors, files[1].read_bytes() if output else b"")

    def close(self) -> None:
        """Ends the program."""
        if self._channel is not None and self._process is not None:
            self._channel.close()
            self._process.wait()
        self._channel = self._process = None


class Programs:
    """The servers of the tools in a folder, each started when it is wanted first."""

    def __init__(self, binaries: Path, package: Path, scratch: Path):
        self.binaries, self.package, self.scratch = binaries.resolve(), package.resolve(), scratch
        self._preload: Path | None = None
        self._servers: dict[str, Server] = {}

    def get(self, tool: str) -> Server:
        """The server of a tool; of `python` that of host scripts."""
        if tool not in self._servers:
            if tool == "python":
                compat = self.binaries / "compat"
                self._servers[tool] = Server(
                    ["/usr/bin/python3", str(HERE / "script_server.py")], self.scratch,
                    {"PYTHONPATH": str(self.package), "PATH": f"{compat}:/usr/bin:/bin",
                     "PYTHONDONTWRITEBYTECODE": "1"})
            else:
                path = self.binaries / tool
                if not path.is_file():
                    sys.exit(f"error: there is no program {path}")
                if self._preload is None:
                    self._preload = build_preload(self.scratch)
                self._servers[tool] = Server([str(path)], self.scratch, preload=self._preload)
        return self._servers[tool]

    def close(self) -> None:
        """Ends all of them."""
        for server in self._servers.values():
            server.close()
