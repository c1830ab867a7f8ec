# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scripts for a cluster, done here: compile, stage, run, download."""

import os
import subprocess

import pytest
from cerebras.sdk.client import SdkCompiler, SdkLauncher, SdkRuntime

from sequin.errors import HostError

OPTIONS = (
    "--arch=wse3 --fabric-dims=11,5 --fabric-offsets=4,1 --params=width:4,height:3,size:10 "
    "--params=MEMCPYH2D_DATA_1_ID:2 --params=MEMCPYD2H_DATA_1_ID:3 --memcpy --channels=1 -o latest"
)


@pytest.fixture
def artifact(examples, tmp_path):
    with SdkCompiler(disable_version_check=True, resource_cpu=24000) as compiler:
        return compiler.compile(examples / "host" / "memcpy", "layout.csl", OPTIONS, tmp_path)


@pytest.mark.rows("HST-080")
def test_compile_and_launch(artifact, examples, tmp_path):
    with SdkLauncher(artifact, simulator=True, disable_version_check=True) as launcher:
        launcher.stage(examples / "host" / "memcpy" / "run.py")
        (tmp_path / "extra").mkdir()
        (tmp_path / "extra" / "note.txt").write_text("kept\n")
        launcher.stage(tmp_path / "extra")
        text = launcher.run("echo before", "cs_python run.py --name latest", "cat extra/note.txt")
        assert text == "before\nSUCCESS\nkept\n"
        launcher.download_artifact("latest/simfab_traces/report.json", tmp_path / "report.json")
        assert (tmp_path / "report.json").stat().st_size > 0
        with pytest.raises(HostError, match="exit code 3: echo no; exit 3\nno"):
            launcher.run("echo no; exit 3")
        with pytest.raises(HostError, match="there is no 'other'"):
            launcher.download_artifact("other", tmp_path / "other")
        launcher.run("ln -s / root")
        for name in (os.fspath(tmp_path / "extra"), "../extra", "latest/../..", "root/etc"):
            with pytest.raises(HostError, match=f"'{name}' leaves the working directory"):
                launcher.download_artifact(name, tmp_path / "other")
        assert not (tmp_path / "other").exists()
        with pytest.raises(HostError, match="there is no file or folder"):
            launcher.stage(tmp_path / "missing")
        with pytest.raises(HostError, match="there is none"):
            launcher.run("cs_python run.py --cmaddr %CMADDR%")
    with pytest.raises(HostError, match="outside of 'with"):
        launcher.run("true")


@pytest.mark.rows("HST-080")
def test_the_same_program_is_the_same_artifact(artifact, examples, tmp_path):
    with SdkCompiler() as compiler:
        again = compiler.compile(examples / "host" / "memcpy", "layout.csl", OPTIONS, tmp_path / "b")
    assert os.path.basename(again) == os.path.basename(artifact)


@pytest.mark.rows("HST-080")
def test_the_older_runtime(artifact):
    with pytest.warns(DeprecationWarning, match="run a script with SdkLauncher"):
        runner = SdkRuntime(artifact, simulator=True)
    with runner:
        pass


@pytest.mark.rows("HST-080")
def test_what_is_refused(artifact, examples, tmp_path):
    with pytest.raises(HostError, match="mgmt_address is 'host:1', but there is no cluster"):
        SdkCompiler(mgmt_address="host:1")
    with pytest.raises(HostError, match="there is no system here"):
        SdkLauncher(artifact)
    with SdkCompiler() as compiler:
        with pytest.raises(HostError, match="there is no file 'none.csl'"):
            compiler.compile(examples / "host" / "memcpy", "none.csl", OPTIONS, tmp_path)
        with pytest.raises(HostError, match=r"exit code 1: cslc (.|\n)*error: "):
            compiler.compile(examples / "host" / "memcpy", "layout.csl", "--arch=wse9", tmp_path)
        with pytest.raises(HostError, match="-o names '/x'"):
            compiler.compile(examples / "host" / "memcpy", "layout.csl", "-o /x", tmp_path)
    (tmp_path / "no.tar").write_text("no archive")
    with pytest.raises(HostError, match="is not an artifact"):
        SdkLauncher(tmp_path / "no.tar", simulator=True).__enter__()


def shell(build, *arguments, cwd):
    program = build / "bin" / "compat" / arguments[0]
    return subprocess.run(
        [program, *arguments[1:]], capture_output=True, text=True, cwd=cwd, timeout=120
    )


@pytest.mark.rows("HST-081")
def test_debug_shell(build, artifact, tmp_path):
    done = shell(build, "sdk_debug_shell", "smoke", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "wse2: SUCCESS\nwse3: SUCCESS\n"), done.stderr
    subprocess.run(["tar", "xf", artifact], cwd=tmp_path, check=True)
    done = shell(build, "sdk_debug_shell", "visualize", "--artifact_dir=latest", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "PEs and routes: fabric.svg\ntimeline, for Perfetto: none" in done.stdout
    assert (tmp_path / "fabric.svg").read_text().startswith("<svg")
    done = shell(build, "sdk_debug_shell", "visualize", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith("error: 'out' is no directory of cslc")
    assert shell(build, "sdk_debug_shell", "draw", cwd=tmp_path).returncode == 2


@pytest.mark.rows("HST-081")
def test_csdb_says_what_there_is(build, tmp_path):
    done = shell(build, "csdb", "out.core", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith("error: csdb, the vendor's debugger, is not part of Sequin")
    assert "read_symbol" in done.stderr
