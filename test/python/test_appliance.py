# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scripts for a cluster, done here: compile, stage, run, download."""

import gzip
import importlib
import io
import os
import subprocess
import tarfile
import tempfile
from pathlib import Path

import cerebras_appliance.sdk
import numpy as np
import pytest
from cerebras.appliance.pb.sdk.sdk_common_pb2 import MemcpyDataType, MemcpyOrder
from cerebras.sdk.client import SdkCompiler, SdkLauncher, SdkRuntime
from cerebras.sdk.runtime import sdkruntimepybind

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
        for address in ("%CMADDR%", '"%CMADDR%"'):
            text = launcher.run(f"cs_python run.py --name latest --cmaddr {address}")
            assert text == "SUCCESS\n"
        launcher.download_artifact("sim.log", tmp_path / "new" / "sim.log")
        assert (tmp_path / "new" / "sim.log").read_text() == ""
    with pytest.raises(HostError, match="outside of 'with"):
        launcher.run("true")


@pytest.mark.rows("HST-080")
def test_the_same_program_is_the_same_artifact(artifact, examples, tmp_path):
    with SdkCompiler() as compiler:
        again = compiler.compile(examples / "host" / "memcpy", "layout.csl", OPTIONS, tmp_path / "b")
    assert os.path.basename(again) == os.path.basename(artifact)


@pytest.mark.rows("HST-080")
def test_the_older_runtime(artifact, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    with pytest.warns(DeprecationWarning, match="run a script with SdkLauncher"):
        runner = SdkRuntime(artifact, simulator=True, msg_level="ERROR")
    with runner:
        runner.memcpy_h2d(
            runner.get_id("x"), np.zeros(120, np.float32), 0, 0, 4, 3, 10, streaming=False,
            data_type=MemcpyDataType.MEMCPY_32BIT, order=MemcpyOrder.COL_MAJOR, nonblock=False,
        )
    assert MemcpyDataType is sdkruntimepybind.MemcpyDataType
    assert MemcpyOrder is sdkruntimepybind.MemcpyOrder
    assert cerebras_appliance.sdk.SdkRuntime is SdkRuntime
    for name, said in (
        ("cerebras_appliance", "of a former release; now there are 'cerebras.sdk.client' and"),
        ("cerebras.sdk.runtime.runtime_utils", "up to 0.9; since 1.0 it is 'cerebras.sdk.sdk_utils'"),
    ):
        module = importlib.import_module(name)
        with pytest.warns(FutureWarning, match=said):
            importlib.reload(module)
    with pytest.raises(ImportError, match="older than SdkRuntime .* write SdkRuntime of"):
        importlib.import_module("cerebras.elf.cs_elf_runner")


@pytest.mark.rows("HST-080")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_what_is_said_of_a_cluster_is_a_warning(artifact, capfd):
    SdkCompiler(mgmt_address="host:1", mgmt_namespace="mine", resource_mem=1 << 30)
    assert capfd.readouterr().err == (
        "WARNING: SdkCompiler: mgmt_address='host:1' has no effect, there is no cluster here; "
        "programs are compiled and run on this machine\n"
    )
    for kind in (SdkLauncher, SdkRuntime):
        kind(artifact)
        assert capfd.readouterr().err == (
            f"WARNING: {kind.__name__}: simulator is False, but there is no system here; the "
            "program runs on the simulator, write simulator=True\n"
        )


@pytest.mark.rows("HST-080")
def test_warnings_of_the_compiler(tmp_path, capfd):
    (tmp_path / "pe.csl").write_text("")
    (tmp_path / "layout.csl").write_text(
        'layout { @set_rectangle(1, 1); @set_tile_code(0, 0, "pe.csl", .{ .n = 1 }); }\n'
    )
    with SdkCompiler() as compiler:
        compiler.compile(tmp_path, "layout.csl", "--arch=wse3 --fabric-dims=8,3 --fabric-offsets=4,1")
    assert "layout.csl:1:32: warning: module 'pe.csl' has no parameter 'n'" in capfd.readouterr().err


@pytest.mark.rows("HST-080")
def test_what_is_refused(artifact, examples, tmp_path):
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


def test_a_planted_link_is_replaced(artifact, examples, tmp_path):
    """The name of an artifact can be known before, in a folder that others can write."""
    shared, victim = tmp_path / "shared", tmp_path / "victim"
    shared.mkdir()
    victim.write_text("precious")
    name = os.path.basename(artifact)
    for planted in (name, name.replace(".tar", ".part")):
        (shared / planted).symlink_to(victim)
    with SdkCompiler() as compiler:
        made = compiler.compile(examples / "host" / "memcpy", "layout.csl", OPTIONS, shared)
    assert os.path.basename(made) == name and not os.path.islink(made)
    assert victim.read_text() == "precious"
    os.unlink(made)
    os.mkfifo(made)  # nobody reads it
    with SdkCompiler() as compiler:
        compiler.compile(examples / "host" / "memcpy", "layout.csl", OPTIONS, shared)
    assert os.path.isfile(made)


@pytest.mark.parametrize("place", ["/tmp/copy.json", "../copy.json", "a/../../copy.json"])
def test_output_json_is_confined(examples, tmp_path, place):
    with SdkCompiler() as compiler, pytest.raises(HostError, match="--output-json names"):
        compiler.compile(
            examples / "host" / "memcpy", "layout.csl", f"{OPTIONS} --output-json={place}", tmp_path
        )


def test_output_json_goes_into_the_artifact(examples, tmp_path):
    with SdkCompiler() as compiler:
        artifact = compiler.compile(
            examples / "host" / "memcpy", "layout.csl", f"{OPTIONS} --output-json=meta/copy.json",
            tmp_path,
        )
    with tarfile.open(artifact) as tar:
        assert {"meta/copy.json", "latest/out.json"} <= set(tar.getnames())
    assert not (examples / "host" / "memcpy" / "meta").exists()


def test_downloads_do_not_follow_links_out(artifact, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("secret")
    with SdkLauncher(artifact, simulator=True) as launcher:
        launcher.run(
            "mkdir -p made/deep && echo kept > made/deep/file && ln -s deep/file made/inside"
        )
        launcher.download_artifact("made", tmp_path / "good")
        assert (tmp_path / "good" / "inside").read_text() == "kept\n"
        assert not (tmp_path / "good" / "inside").is_symlink()
        launcher.run(f"ln -s {secret} made/deep/leak")
        with pytest.raises(HostError, match="'made/deep/leak' leaves the working directory"):
            launcher.download_artifact("made", tmp_path / "bad")
        launcher.run("rm made/deep/leak; ln -s .. made/deep/up")
        with pytest.raises(HostError, match="leads in a circle"):
            launcher.download_artifact("made", tmp_path / "bad")
        launcher.run("rm made/deep/up; mkfifo made/deep/pipe")
        with pytest.raises(HostError, match="'made/deep/pipe' is no file or folder"):
            launcher.download_artifact("made", tmp_path / "bad")
        launcher.run("ln -s nowhere made/dangling")
        with pytest.raises(HostError, match="there is no 'made/dangling'"):
            launcher.download_artifact("made/dangling", tmp_path / "bad")
    assert not list(tmp_path.rglob("leak"))


def archive(path, *entries):
    with tarfile.open(path, "w") as tar:
        for name, kind, size in entries:
            entry = tarfile.TarInfo(name)
            entry.type, entry.size, entry.linkname = kind, size, "/etc/passwd"
            tar.addfile(entry, io.BytesIO(bytes(size)) if kind == tarfile.REGTYPE else None)
    return path


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE,
                                  tarfile.CHRTYPE, tarfile.DIRTYPE])
def test_artifacts_hold_files_only(tmp_path, kind):
    path = archive(tmp_path / "a.tar", ("x", kind, 0))
    with pytest.raises(HostError, match="holds 'x', not a file"), SdkLauncher(path, simulator=True):
        pass


def test_artifacts_have_limits(tmp_path, monkeypatch):
    path = archive(tmp_path / "a.tar", *((f"f{i}", tarfile.REGTYPE, 10) for i in range(20)))
    with SdkLauncher(path, simulator=True) as launcher:
        assert len(launcher.run("ls").split()) == 20
    for name, most, text in (("MOST_FILES", 19, "20 files, an artifact has at most 19"),
                             ("MOST_BYTES", 10000, "bytes, an artifact has at most 10000")):
        with monkeypatch.context() as patch:
            patch.setattr(f"sequin.host.appliance.{name}", most)
            with pytest.raises(HostError, match=text), SdkLauncher(path, simulator=True):
                pass
    # A sparse file that claims more than its archive has.
    sparse = tmp_path / "sparse"
    with sparse.open("wb") as file:
        file.truncate(1 << 40)
    subprocess.run(["tar", "-C", tmp_path, "-S", "-cf", tmp_path / "s.tar", "sparse"], check=True)
    with pytest.raises(HostError, match="bytes in its files"), \
            SdkLauncher(tmp_path / "s.tar", simulator=True):
        pass


def test_broken_artifacts(artifact, tmp_path):
    whole = Path(artifact).read_bytes()
    broken = tmp_path / "b.tar"
    for data in (b"", whole[: len(whole) // 2], whole[:700], b"\xff" * 2000,
                 gzip.compress(whole), gzip.compress(whole)[:-20]):
        broken.write_bytes(data)
        with pytest.raises(HostError), SdkLauncher(broken, simulator=True):
            pass
    for place in (tmp_path, tmp_path / "none", 5, "a\0b"):
        with pytest.raises(HostError), SdkLauncher(place, simulator=True):
            pass


def test_no_room_for_a_working_directory(artifact, monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", os.fspath(tmp_path / "none"))
    with pytest.raises(HostError, match="SdkLauncher: .*No such file"), \
            SdkLauncher(artifact, simulator=True):
        pass
