# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the tests of the Python package share. tools/dev/run-suites runs them with the
build's package on PYTHONPATH; by hand:

    PYTHONPATH=build/python /usr/bin/python3 -m pytest test/python
"""

import json
import signal
import subprocess
from pathlib import Path

import numpy as np
import pytest

import sequin

SOURCE = Path(__file__).resolve().parents[2]
BUILD = Path(sequin.__file__).resolve().parents[2]


def pytest_configure(config):
    config.addinivalue_line(
        "markers", "rows(ids...): rows of the specification's index that the test shows"
    )
    # Who runs the suite in the background ignores signals, and programs that tests
    # start would inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


@pytest.fixture(autouse=True)
def record_rows(request, record_property):
    """tools/dev/conformance reads the rows of a test from its result."""
    for marker in request.node.iter_markers("rows"):
        for row in marker.args:
            record_property(f"row-{row}", row)


@pytest.fixture(autouse=True)
def scratch(monkeypatch, tmp_path):
    """Runtimes leave a log where they run."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def compiled(tmp_path):
    """Makes a directory as cslc does, from a csl module."""

    def make(module: str | Path, name: str = "out", **params) -> Path:
        directory = tmp_path / name
        (directory / "bin").mkdir(parents=True)
        source = module
        if not isinstance(module, Path):
            source = tmp_path / f"{name}.mlir"
            source.write_text(module)
        program = directory / "bin" / "out_program.json"
        subprocess.run(
            [str(BUILD / "bin" / "sequin-translate"), "--csl-to-json", str(source), "-o", program],
            check=True,
            timeout=120,
        )
        output = {
            "version": 1,
            "program": "bin/out_program.json",
            "params": {key: str(value) for key, value in params.items()},
        }
        (directory / "out.json").write_text(json.dumps(output))
        return directory

    return make


@pytest.fixture
def examples() -> Path:
    return SOURCE / "examples"


@pytest.fixture
def build() -> Path:
    return BUILD


@pytest.fixture
def sequin_run(tmp_path):
    """Runs the tool on arrays: (exit code, stderr, outputs)."""

    def run(*arguments, inputs=(), outputs=0):
        command = [str(BUILD / "bin" / "sequin-run"), *map(str, arguments)]
        for i, array in enumerate(inputs):
            np.save(tmp_path / f"in{i}.npy", array)
            command += ["--input", str(tmp_path / f"in{i}.npy")]
        paths = [tmp_path / f"out{i}.npy" for i in range(outputs)]
        for path in paths:
            command += ["--output", str(path)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        results = [np.load(path) for path in paths] if done.returncode == 0 else []
        return done.returncode, done.stderr, results

    return run


@pytest.fixture
def random() -> np.random.Generator:
    return np.random.default_rng(5)


def integers(random, *shape, low=-8, high=9) -> np.ndarray:
    """Integer values, which products and sums keep exact, as float32."""
    return random.integers(low, high, shape).astype(np.float32)
