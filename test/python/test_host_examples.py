# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A user's directories as they are: source, host script, commands.sh."""

import os
import shutil
import subprocess

import pytest
from cerebras.sdk.runtime.sdkruntimepybind import SdkLayout, SdkTarget, get_platform

from sequin.errors import HostError


@pytest.fixture
def directory(examples, tmp_path):
    def copy(name):
        return shutil.copytree(examples / "host" / name, tmp_path / name)

    return copy


def commands(directory, arch, build):
    path = f"{build / 'bin' / 'compat'}:{os.environ['PATH']}"
    clean = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    return subprocess.run(
        [f"./commands_{arch}.sh"],
        capture_output=True,
        text=True,
        cwd=directory,
        env={**clean, "PATH": path},
        timeout=240,
    )


@pytest.mark.parametrize("arch", ["wse2", "wse3"])
@pytest.mark.rows(
    "HST-001", "HST-002", "HST-003", "HST-004", "HST-006", "HST-007", "HST-008", "HST-009",
    "HST-022", "HST-026", "HST-027", "HST-028", "HST-040", "HST-045", "HST-050", "HST-051",
    "HST-052", "HST-053", "HST-054", "RPC-020", "RPC-021", "RPC-023", "RPC-024", "LIB-063",
    "LIB-064",
)
def test_memcpy(directory, build, arch):
    done = commands(directory("memcpy"), arch, build)
    assert (done.returncode, done.stdout) == (0, "SUCCESS\n"), done.stderr
    assert done.stderr == ""


@pytest.mark.parametrize("arch", ["wse2", "wse3"])
@pytest.mark.rows(
    "HST-003", "HST-032", "HST-033", "HST-055", "HST-059", "HST-061", "HST-062", "HST-064",
    "HST-065", "HST-066", "HST-067", "HST-068", "HST-070", "HST-071", "HST-072", "HST-073",
)
def test_layout(directory, build, arch):
    place = directory("layout")
    done = commands(place, arch, build)
    assert (done.returncode, done.stdout) == (0, "SUCCESS\n"), done.stderr
    # SimfabConfig(dump_core=True)
    assert (place / "out.core").exists()


@pytest.mark.rows("HST-068")
def test_errors_of_the_compiler_are_an_exception(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pe.csl").write_text("param n: u16;\nconst m: u16 = n + k;\n")
    layout = SdkLayout(get_platform(target=SdkTarget.WSE3))
    region = layout.create_code_region("pe.csl", "pe", 1, 1)
    region.set_param_all("n", 3)
    region.place(1, 1)
    with pytest.raises(HostError, match=r"does not compile:(.|\n)*pe.csl:2:20: error: .*'k'"):
        layout.compile("out")
    (tmp_path / "pe.csl").write_text("param n: u16;\nconst m: u16 = n;\n")
    assert layout.compile("out").artifacts_path == "out"
