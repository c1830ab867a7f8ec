# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The package as a whole: import, installation, threads, memory."""

import os
import re
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import sequin
from conftest import SOURCE, integers


def run_python(code: str, path: str) -> str:
    environment = {**os.environ, "PYTHONPATH": path}
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env=environment,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_import_loads_no_matplotlib(build):
    code = "import sys, sequin; print('matplotlib' in sys.modules)"
    assert run_python(code, str(build / "python")) == "False\n"


def test_installed_package_runs(build, tmp_path):
    subprocess.run(
        ["cmake", "--install", str(build), "--prefix", str(tmp_path), "--component", "python"],
        check=True,
        capture_output=True,
        timeout=120,
    )
    (package,) = tmp_path.glob("lib/python*/*-packages/sequin")
    code = (
        "import numpy as n, sequin; print(sequin.__file__);"
        "print(sequin.einsum('mk,k->m', n.eye(8), n.arange(8), dtype='i8').tolist())"
    )
    place, result = run_python(code, str(package.parent)).splitlines()
    assert place == str(package / "__init__.py")
    assert result == str(list(range(8)))
    assert (package / "py.typed").exists()


def test_all_names_are_there_and_documented():
    for name in sequin.__all__:
        thing = getattr(sequin, name)
        assert thing.__doc__, name
        for member, value in vars(thing).items() if isinstance(thing, type) else ():
            if not member.startswith("_") and callable(value):
                assert value.__doc__, f"{name}.{member}"


def test_threads_compile_and_run(random):
    cases = [
        (8 + i, integers(random, 8 + i, 32), integers(random, 32, 16)) for i in range(12)
    ]

    def work(case):
        rows, a, b = case
        program = sequin.compile_einsum(
            "mk,kn->mn", {"m": rows, "k": 32, "n": 16}, dtype="bf16"
        )
        return program.run(a, b, verify=True).output

    with ThreadPoolExecutor(4) as pool:
        for (_, a, b), result in zip(cases, pool.map(work, cases)):
            np.testing.assert_array_equal(result, a @ b)


def test_threads_share_a_program(random):
    program = sequin.compile_einsum("mk,kn->mn", {"m": 16, "k": 32, "n": 8}, dtype="bf16")
    b = integers(random, 32, 8)
    arrays = [integers(random, 16, 32) for _ in range(16)]

    def work(i):
        if i % 4 == 0:
            assert "tcp" in program.mlir("tcp")
        return program.run(arrays[i], b, verify=i % 2 == 0).output

    with ThreadPoolExecutor(4) as pool:
        for a, result in zip(arrays, pool.map(work, range(16))):
            np.testing.assert_array_equal(result, a @ b)


def test_other_threads_run_meanwhile(random):
    """The interpreter lock is released: a counter goes on counting during a run."""
    size = 512
    program = sequin.compile_einsum(
        "mk,kn->mn", {"m": size, "k": size, "n": size}, dtype="bf16"
    )
    a = integers(random, size, size)
    ready, done = threading.Event(), threading.Event()
    counted = []

    def count():
        ready.set()
        ticks = 0
        while not done.wait(0.0005):
            ticks += 1
        counted.append(ticks)

    counter = threading.Thread(target=count)
    counter.start()
    ready.wait()
    # With the lock held nobody else is let in for the whole run, so that the counter
    # gets at most about one turn per run.
    runs = 4
    for _ in range(runs):
        program.run(a, a)
    done.set()
    counter.join()
    assert counted[0] >= 4 * runs


def resident_bytes() -> int:
    with open("/proc/self/status") as status:
        return int(re.search(r"VmRSS:\s*(\d+)", status.read())[1]) * 1024


CALLS = {
    "compile": lambda: sequin.compile_einsum("ij->ji", "i=4,j=4", dtype="i8"),
    "einsum": lambda: sequin.einsum("i,i->i", np.ones(64), np.ones(64), dtype="i8"),
    "refused": lambda: pytest.raises(
        sequin.CompileError, sequin.compile, "module {\n  what\n}", target="rngd"
    ),
    "mapping": lambda: sequin.Mapping("B / 2, B % 2", {"B": 4096}).eval(),
}


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="needs /proc")
@pytest.mark.parametrize("name", CALLS)
def test_no_leak_in_a_thousand_calls(name):
    call = CALLS[name]
    for _ in range(100):
        call()
    before = resident_bytes()
    for _ in range(1000):
        call()
    # Less than 4 KiB per call: a context alone is over a hundred.
    assert resident_bytes() - before < 4 << 20


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="needs /proc")
def test_no_leak_of_arrays():
    program = sequin.compile_einsum("ij->ji", {"i": 64, "j": 64}, dtype="bf16")
    array = np.ones((64, 64), np.float32)  # 16 KiB
    for _ in range(100):
        program.run(array)
    before = resident_bytes()
    for _ in range(1000):
        program.run(array)
    assert resident_bytes() - before < 4 << 20


def test_version_is_that_of_the_build():
    text = (SOURCE / "CMakeLists.txt").read_text()
    assert sequin.__version__ == re.search(r"project\(Sequin VERSION ([\d.]+)", text)[1]
