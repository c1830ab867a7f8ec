# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scripts run by cs_python: what they import, and how they end."""

import os
import subprocess
from pathlib import Path

import pytest

MODULE = Path(__file__).parent / "Inputs" / "host.mlir"

START = """
import sys
import numpy as np
from cerebras.sdk.runtime.sdkruntimepybind import (
    SdkRuntime, MemcpyDataType, MemcpyOrder, Task,
)
runner = SdkRuntime(sys.argv[1])
runner.load()
runner.run()
"""


@pytest.fixture
def script(build, compiled, tmp_path):
    """Runs a script by its name on PATH: (exit code, stdout, stderr)."""
    out = compiled(MODULE)

    def run(text, program=build / "bin" / "compat" / "cs_python", **environment):
        path = tmp_path / "run.py"
        path.write_text(text)
        clean = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
        done = subprocess.run(
            [program, str(path), str(out)],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env={**clean, **environment},
            timeout=120,
        )
        return done.returncode, done.stdout, done.stderr

    return run


def test_a_script(script):
    code, out, _ = script(START + """
data = np.zeros(6, np.float32)
runner.memcpy_h2d(runner.get_id("A"), np.arange(6, dtype=np.float32), 1, 1, 1, 1, 6,
                  streaming=False, data_type=MemcpyDataType.MEMCPY_32BIT,
                  order=MemcpyOrder.ROW_MAJOR, nonblock=False)
runner.launch("scale", np.float32(2), nonblock=False)
runner.memcpy_d2h(data, runner.get_id("A"), 1, 1, 1, 1, 6, streaming=False,
                  data_type=MemcpyDataType.MEMCPY_32BIT, order=MemcpyOrder.ROW_MAJOR,
                  nonblock=False)
runner.stop()
print(data.tolist())
""")
    assert (code, out) == (0, "[0.0, 2.0, 4.0, 6.0, 8.0, 10.0]\n")


def test_the_shim_comes_first(script, tmp_path):
    other = tmp_path / "other" / "cerebras"
    other.mkdir(parents=True)
    (other / "__init__.py").write_text("raise ImportError('the wrong one')")
    code, out, err = script(
        "import cerebras, other_package; print(other_package.here)", PYTHONPATH=str(other.parent)
    )
    assert code == 1 and "the wrong one" not in err
    (other.parent / "other_package.py").write_text("here = True")
    code, out, _ = script(
        "import cerebras, other_package; print(other_package.here)", PYTHONPATH=str(other.parent)
    )
    assert (code, out) == (0, "True\n")


def test_it_works_through_a_link_and_without_options(script, build, tmp_path):
    link = tmp_path / "bin" / "cs_python"
    link.parent.mkdir()
    link.symlink_to(build / "bin" / "compat" / "cs_python")
    code, out, _ = script("import sequin.host; print(sequin.__file__)", program=link)
    assert code == 0
    assert Path(out.strip()).resolve() == build / "python" / "sequin" / "__init__.py"


@pytest.mark.rows("HST-037")
def test_a_script_without_stop_fails(script):
    code, out, err = script(START + "print('the end')")
    assert (code, out) == (1, "the end\n")
    assert "the script ended without stop()" in err


def test_a_failure_of_the_program_is_exit_code_3(script):
    code, _, err = script(START + "runner.launch('fail', nonblock=False)")
    assert code == 3
    assert "WaferFailure" in err and "x is not two" in err and "without stop()" not in err
    # Unless the script knows what to do about it.
    code, out, err = script(START + """
try:
    runner.launch('fail', nonblock=False)
except RuntimeError as error:
    print(error.kind)
""")
    assert (code, out, err) == (0, "trap\n", "")


def test_a_refused_call_is_exit_code_1(script):
    code, _, err = script(START + "runner.launch('fall', nonblock=False)")
    assert code == 1
    assert "HostError: the program exports no symbol 'fall'" in err
    assert "without stop()" not in err


def test_libraries_of_scripts_are_there(script):
    code, _, err = script("import numpy, scipy, pandas, matplotlib")
    assert code == 0, err


def test_installed(build, tmp_path, compiled):
    prefix = tmp_path / "prefix"
    subprocess.run(
        ["cmake", "--install", str(build), "--prefix", str(prefix)],
        check=True,
        capture_output=True,
        timeout=120,
    )
    script = tmp_path / "run.py"
    script.write_text(START + "import sequin.host; print(sequin.__file__); runner.stop()")
    done = subprocess.run(
        [prefix / "bin" / "compat" / "cs_python", script, compiled(MODULE)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(str(prefix))
