# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Signals end what takes long, as they end a loop of Python's."""

import os
import pty
import re
import signal
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

import sequin
from sequin._boundary import run_program
from sequin.errors import HostError
from sequin.host.runtime import SdkRuntime

MODULE = Path(__file__).parent / "Inputs" / "host.mlir"
#: Seconds until a program that is not interrupted would have ended, or more.
LONG = 60


class Alarm(Exception):
    """What the handler of the signal raises."""


@contextmanager
def alarm(seconds, action=None):
    def ring(number, frame):
        if action:
            action()
        raise Alarm

    previous = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)


@pytest.fixture
def runner(compiled):
    runner = SdkRuntime(compiled(MODULE), msg_level="ERROR")
    runner.load()
    runner.run()
    yield runner
    if runner._state == "running":
        runner.stop()


def test_a_simulation(runner):
    runner.launch("spin", nonblock=True)
    data = np.zeros(6, np.uint32)
    with alarm(0.2), pytest.raises(Alarm):
        runner.memcpy_d2h(data, 5, 1, 1, 1, 1, 6, streaming=True)  # no word comes
    # It is not whole any more, and says so; stop() comes back at once.
    with pytest.raises(HostError, match="interrupted"):
        runner.launch("spin")
    runner.stop()


def test_a_simulation_that_is_stopped(runner):
    """stop() waits for a program that never rests."""
    runner.launch("spin", nonblock=True)
    with alarm(0.2), pytest.raises(Alarm):
        runner.stop()


def test_a_handler_that_calls_the_runtime(runner):
    seen = []

    def act():
        try:
            runner.launch("spin")
        except HostError as error:
            seen.append(str(error))

    runner.launch("spin", nonblock=True)
    with alarm(0.2, act), pytest.raises(Alarm):
        runner.stop()
    assert seen and "called from within" in seen[0] or "stop() was called" in seen[0]


@pytest.mark.parametrize("seconds", [0.1, 0.4, 0.9])
@pytest.mark.parametrize("verify", [False, True], ids=["run", "verify"])
def test_a_run(seconds, verify):
    program = sequin.compile_einsum(
        "mk,kn->mn", {"m": 2048, "k": 2048, "n": 2048}, dtype="f32"
    )
    a = np.ones((2048, 2048), np.float32)
    with alarm(seconds), pytest.raises(Alarm):
        while True:
            program.run(a, a, verify=verify)
    # The program itself is as it was.
    assert program.run(timing_only=True).report.cycles > 0


SCRIPT = """
import sys
import numpy as np
from cerebras.sdk.runtime.sdkruntimepybind import SdkRuntime
with SdkRuntime(sys.argv[1], msg_level="ERROR") as runner:
    print("ready", flush=True)
    runner.launch("spin", nonblock=True)
    # No word comes, and nothing rests.
    runner.memcpy_d2h(np.zeros(6, np.uint32), 5, 1, 1, 1, 1, 6, streaming=True)
"""


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_a_script(build, compiled, tmp_path, name):
    out = compiled(MODULE)
    (tmp_path / "run.py").write_text(SCRIPT)
    process = subprocess.Popen(
        [build / "bin" / "compat" / "cs_python", "run.py", out], cwd=tmp_path,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={key: value for key, value in os.environ.items() if not key.startswith("PYTHON")},
    )
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.3)
    number = getattr(signal, name)
    process.send_signal(number)
    _, text = process.communicate(timeout=LONG)
    # To a shell 130 and 143.
    assert process.returncode == -number, text
    assert ("KeyboardInterrupt" in text) == (number == signal.SIGINT)
    assert not [path for path in tmp_path.rglob("*") if ".tmp-" in path.name]


SPIN = """
const sys_mod = @import_module("<memcpy/memcpy>");
param here: bool;
var go = @zeros([1]u16);
var count: u32 = 0;
fn spin() void {
  if (here) {
    while (go[0] == 0) { count += 1; }
  }
  sys_mod.unblock_cmd_stream();
}
comptime { @export_symbol(spin); }
"""
SPIN_LAYOUT = """
layout {
  @set_rectangle(3, 1);
  for (@range(u16, 3)) |x| { @set_tile_code(x, 0, "pe.csl", .{ .here = x == 1 }); }
  @export_name("spin", fn()void);
}
"""


def test_who_is_at_work(build, tmp_path):
    """What a handler raises has a note with a PE, its task and the place in the source."""
    (tmp_path / "pe.csl").write_text(SPIN)
    (tmp_path / "layout.csl").write_text(SPIN_LAYOUT)
    options = "--arch=wse3 --fabric-dims=10,3 --fabric-offsets=4,1 --memcpy --channels=1 -o out"
    subprocess.run([build / "bin" / "compat" / "cslc", "layout.csl", *options.split()], check=True)
    for traced in (True, False):
        runner = SdkRuntime("out", suppress_simfab_trace=not traced)
        runner.load()
        runner.run()
        with alarm(0.3), pytest.raises(Alarm) as caught:
            runner.launch("spin", nonblock=False)
        notes = getattr(caught.value, "__notes__", [])
        assert len(notes) == traced
        if traced:
            begin = r"PE \(1, 0\) was in launched function 'spin' \[pe.csl:6:1\] since cycle \d+"
            assert re.fullmatch(begin + r"; the run was interrupted at cycle \d+", notes[0])
        runner.stop()
    timeline = Path("out", "simfab_traces", "timeline.json").read_text()
    assert timeline.count('"unfinished":true') == 1


LAUNCHER = """
import sys
from cerebras.sdk.client import SdkLauncher
with SdkLauncher(sys.argv[1], simulator=True) as launcher:
    print(launcher._place, flush=True)
    launcher.run("echo $$ > pid; sleep 600")
"""


def is_alive(process: int) -> bool:
    """False for one that has ended, reaped or not."""
    try:
        stat = Path(f"/proc/{process}/stat").read_text()
    except FileNotFoundError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_launcher(build, tmp_path, name):
    """Neither the working directory nor the command is left."""
    artifact = tmp_path / "a.tar"
    subprocess.run(["tar", "cf", artifact, "-T", "/dev/null"], check=True)
    (tmp_path / "run.py").write_text(LAUNCHER)
    process = subprocess.Popen(
        [build / "bin" / "compat" / "cs_python", "run.py", artifact], cwd=tmp_path,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={key: value for key, value in os.environ.items() if not key.startswith("PYTHON")},
    )
    folder = Path(process.stdout.readline().strip())
    while not (folder / "pid").is_file() or not (folder / "pid").read_text().strip():
        time.sleep(0.01)
    command = int((folder / "pid").read_text())
    process.send_signal(getattr(signal, name))
    process.communicate(timeout=LONG)
    assert process.returncode in (-signal.SIGINT, 128 + signal.SIGTERM, 128 + signal.SIGHUP)
    assert not folder.exists()
    # Whoever adopts it reaps it sometime; until then it is there, but dead.
    deadline = time.monotonic() + LONG
    while is_alive(command):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_program_that_starts(monkeypatch, tmp_path):
    """A signal that comes before anybody knows the program's number ends it all the same."""

    class Interrupted(subprocess.Popen):
        def __init__(self, *args, **named):
            super().__init__(*args, **named)
            started.append(self)
            signal.raise_signal(signal.SIGINT)

    started = []
    monkeypatch.setattr(subprocess, "Popen", Interrupted)
    with pytest.raises(KeyboardInterrupt):
        run_program(["sleep", "600"], tmp_path)
    assert started[0].returncode == -signal.SIGTERM
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


#: Products whose mappings take some seconds to search.
PRODUCTS = 12


def products() -> str:
    text = ""
    for i in range(PRODUCTS):
        m, k, n = 1024 + 64 * i, 4096 + 128 * i, 4096 + 256 * i
        a, b, c = f"tensor<{m}x{k}xbf16>", f"tensor<{k}x{n}xbf16>", f"tensor<{m}x{n}xf32>"
        text += f"""
func.func @f{i}(%a: {a}, %b: {b}, %c: {c}) -> {c} {{
  %0 = linalg.matmul ins(%a, %b : {a}, {b}) outs(%c : {c}) -> {c}
  return %0 : {c}
}}
"""
    return text


@pytest.mark.parametrize("terminal", [True, False])
def test_a_search(build, tmp_path, terminal):
    """On a terminal the best mapping so far is taken, elsewhere the program ends."""
    (tmp_path / "products.mlir").write_text(products())
    primary, secondary = pty.openpty()
    process = subprocess.Popen(
        [build / "bin" / "sequin-run", "products.mlir", "--entry", f"f{PRODUCTS - 1}", "--target",
         "rngd", "--timing-only", "--progress", "always"], cwd=tmp_path, stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=secondary if terminal else subprocess.PIPE,
        env={**os.environ, "TERM": "xterm"}, start_new_session=True)
    os.close(secondary)
    end = primary if terminal else process.stderr.fileno()
    text = b""
    sent = False
    while True:
        try:
            part = os.read(end, 4096)
        except OSError:  # the other end of the terminal is closed
            break
        if not part:
            break
        text += part
        if b"search" in text and not sent:
            process.send_signal(signal.SIGINT)
            sent = True
    os.close(primary)
    code = process.wait(LONG)
    assert sent
    if terminal:
        assert code == 0, text
        assert b"as Ctrl-C asked for; the best of these is used" in text
    else:
        assert code == 130, text
