# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Habits of host scripts, on one program (Inputs/vectors) compiled for both machines: the
ways that people write arrays, loops of launches, sums on the host, sweeps."""

import json
import multiprocessing
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from cerebras.appliance.pb.sdk.sdk_common_pb2 import MemcpyDataType, MemcpyOrder
from cerebras.sdk import sdk_utils
from cerebras.sdk.client import SdkCompiler, SdkLauncher
from cerebras.sdk.debug.debug_util import debug_util
from cerebras.sdk.runtime.sdkruntimepybind import SdkRuntime
from cerebras.sdk.sdk_utils import calculate_cycles, input_array_to_u32, memcpy_view
from conftest import BUILD

SOURCE = Path(__file__).parent / "Inputs" / "vectors"
W, H, N = 4, 3, 8
EVERYWHERE = (0, 0, W, H, N)
WORDS = {
    "streaming": False, "data_type": MemcpyDataType.MEMCPY_32BIT, "order": MemcpyOrder.ROW_MAJOR,
    "nonblock": False,
}
HALVES = {**WORDS, "data_type": MemcpyDataType.MEMCPY_16BIT}
#: After begin(): the number of the PE and that of the element.
BEGUN = (np.arange(W * H)[:, None] + np.arange(N)).astype(np.float32)


def options(arch, width=W, height=H):
    return (
        f"--arch={arch} --fabric-dims={width + 7},{height + 2} --fabric-offsets=4,1 "
        f"--params=width:{width},height:{height},size:{N} --memcpy --channels 1"
    )


def cslc(arch, out, **size):
    command = f"{BUILD / 'bin' / 'compat' / 'cslc'} layout.csl {options(arch, **size)} -o {out}"
    subprocess.run(command, shell=True, check=True, cwd=SOURCE, timeout=120)
    return out


@pytest.fixture(scope="module", params=["wse2", "wse3"])
def out(request, tmp_path_factory):
    return cslc(request.param, tmp_path_factory.mktemp("vectors") / request.param)


@pytest.fixture
def runner(out):
    with SdkRuntime(out, suppress_simfab_trace=True) as runner:
        runner.launch("begin", nonblock=False)
        yield runner


def fetch(runner, name="A", n=N, **how):
    data = np.zeros(W * H * n, np.float32)
    runner.memcpy_d2h(data, runner.get_id(name), 0, 0, W, H, n, **{**WORDS, **how})
    return data


@pytest.mark.rows("HST-042", "HST-043", "HST-051", "HST-052")
def test_ways_to_write_an_array(runner):
    x = np.arange(W * H * N, dtype=np.float32).reshape(H, W, N)
    row, column = {"order": MemcpyOrder.ROW_MAJOR}, {"order": MemcpyOrder.COL_MAJOR}
    for source, order in [
        (x, row), (x.ravel(), row), (x.flatten(), row), (x.reshape(-1, 1), row),
        (np.asfortranarray(x), row), (np.repeat(x, 2)[::2], row), (x.view(np.uint32), row),
        (x.ravel(order="F"), column), (x.T.ravel(), column), (x.transpose(2, 1, 0), column),
        (np.reshape(x, -1, order="F"), column), (np.concatenate([x.ravel(), x.ravel()]), row),
    ]:
        runner.memcpy_h2d(runner.get_id("A"), -x.ravel(), *EVERYWHERE, **WORDS)
        runner.memcpy_h2d(runner.get_id("A"), source, *EVERYWHERE, **{**WORDS, **order})
        assert np.array_equal(fetch(runner).reshape(H, W, N), x)
        assert np.array_equal(fetch(runner, **column).reshape((H, W, N), order="F"), x)
        assert np.array_equal(fetch(runner, **column).reshape(N, W, H).T, x)
    # Blocks of a matrix, one for each PE.
    matrix = np.arange(W * H * N, dtype=np.float32).reshape(2 * H, 4 * W)
    tiles = matrix.reshape(H, 2, W, 4).transpose(0, 2, 1, 3)
    runner.memcpy_h2d(runner.get_id("A"), tiles, *EVERYWHERE, **WORDS)
    runner.launch("scale", np.float32(2), nonblock=False)
    back = fetch(runner).reshape(H, W, 2, 4).transpose(0, 2, 1, 3).reshape(matrix.shape)
    assert np.array_equal(back, 2 * matrix)


@pytest.mark.rows("HST-043", "HST-053")
@pytest.mark.parametrize("nonblock", [False, True])
def test_ways_to_take_an_array(runner, nonblock):
    table = np.zeros((W * H * N, 3), np.float32)
    for dest in [
        np.empty(W * H * N, np.float32), np.zeros((W * H * N, 1), np.float32),
        np.zeros((H, W, N), np.float32), np.zeros((H, W, N), np.float32, order="F"),
        np.zeros((N, W * H), np.float32).T, np.zeros(W * H * N, np.uint32), table[:, 1],
    ]:
        task = runner.memcpy_d2h(
            dest, runner.get_id("A"), *EVERYWHERE, **{**WORDS, "nonblock": nonblock}
        )
        runner.task_wait(task)
        assert np.ascontiguousarray(dest).tobytes() == BEGUN.tobytes()
    assert not table[:, ::2].any()


@pytest.mark.rows("HST-050", "HST-076", "HST-077")
@pytest.mark.parametrize("order", MemcpyOrder)
def test_elements_of_16_bits(runner, order):
    how = {**HALVES, "order": order}
    shorts = np.arange(-40, W * H * N - 40).astype(np.int16)
    halves = (np.arange(W * H * N) / 8).astype(np.float16)
    container = np.zeros(halves.size, np.uint32)
    memcpy_view(container, np.dtype(np.float16))[:] = halves
    runner.memcpy_h2d(
        runner.get_id("shorts"), input_array_to_u32(shorts, None, N), *EVERYWHERE, **how
    )
    runner.memcpy_h2d(runner.get_id("halves"), container, *EVERYWHERE, **how)
    runner.launch("double_halves", nonblock=False)
    words = np.zeros((H, W, N), np.int32)
    runner.memcpy_d2h(words, runner.get_id("shorts"), *EVERYWHERE, **how)
    assert np.array_equal(memcpy_view(words, np.int16).ravel(), 2 * shorts)
    assert np.array_equal(words.ravel().astype(np.uint16).view(np.int16), 2 * shorts)
    runner.memcpy_d2h(container, runner.get_id("halves"), *EVERYWHERE, **how)
    assert np.array_equal(sdk_utils.memcpy_view(container, np.float16), 2 * halves)


@pytest.mark.rows("HST-040", "HST-053", "HST-054")
def test_hundreds_of_launches(runner):
    for _ in range(300):
        runner.launch("add", nonblock=False)
    tasks = [runner.launch("add", nonblock=True) for _ in range(2000)]
    data = np.zeros((W * H, N), np.float32)
    last = runner.memcpy_d2h(data, runner.get_id("A"), *EVERYWHERE, **{**WORDS, "nonblock": True})
    while not runner.is_task_done(last):
        pass
    assert np.array_equal(data, BEGUN + 2300)
    for task in tasks:
        runner.task_wait(task)
    assert all(map(runner.is_task_done, tasks))


@pytest.mark.rows("HST-040", "HST-053")
def test_sums_on_the_host(runner, random):
    x = random.random((H, W, N), np.float32)
    runner.memcpy_h2d(runner.get_id("gain"), np.ones(W * H, np.float32), 0, 0, W, H, 1, **WORDS)
    later = {**WORDS, "nonblock": True}
    for _ in range(50):
        runner.memcpy_h2d(runner.get_id("A"), x, *EVERYWHERE, **later)
        runner.launch("reduce", nonblock=True)
        runner.launch("scale", np.float32(1 / fetch(runner, "total", 1).sum()), nonblock=False)
        runner.memcpy_d2h(x, runner.get_id("A"), *EVERYWHERE, **later)
        runner.launch("add", nonblock=False)
    assert abs(x.sum() - 1) < 1e-5


@pytest.mark.rows("HST-048", "HST-042")
def test_one_pe_after_the_other(runner):
    for y in range(H):
        for x in np.arange(W):  # NumPy's integers, too
            block = np.full(N, 10 * y + x, np.float32)
            runner.memcpy_h2d(
                runner.get_id("A"), block, x, y, 1, np.int64(1), N, **{**WORDS, "nonblock": True}
            )
    runner.launch("add", nonblock=True)
    for y in range(H):
        for x in range(W):
            block = np.zeros(N, np.float32)
            runner.memcpy_d2h(block, runner.get_id("A"), x, y, 1, 1, N, **WORDS)
            assert (block == 10 * y + x + 1).all()


@pytest.mark.rows("HST-040", "HST-041", "RPC-024")
def test_arguments(runner):
    def kept():
        return fetch(runner).reshape(-1, N)[-1, :6].tolist()

    runner.launch(
        "keep", np.int16(-1), np.uint16(65535), np.int32(-70000), np.uint32(70000),
        np.float16(0.5), np.float32(1.25), nonblock=False,
    )
    assert kept() == [-1, 65535, -70000, 70000, 0.5, 1.25]
    table = np.array([7, 8], np.int16)
    runner.launch(runner.get_id("keep"), table[0], 8, -5, 6, 0.5, np.array(2, np.float32))
    assert kept() == [7, 8, -5, 6, 0.5, 2]
    with pytest.warns(DeprecationWarning):
        # The words of the older form, as an array too.
        runner.call("scale", np.array([2.0], np.float32).view(np.uint32), nonblock=False)
        runner.call("scale", [np.float32(0.5)])
        runner.call("add", [], nonblock=False)
    assert kept() == [8, 9, -4, 7, 1.5, 3]


@pytest.mark.rows("HST-075", "HST-079", "LIB-010")
def test_cycles_and_what_is_left(out):
    runner = SdkRuntime(out, msg_level="ERROR")
    try:
        runner.load()
        runner.run()
        runner.launch("begin", nonblock=True)
        runner.launch("add", nonblock=True)
        stamps = fetch(runner, "times", 3).reshape(H, W, 3)
    finally:
        runner.stop()
    cycles = {int(calculate_cycles(stamps[y, x])) for y in range(H) for x in range(W)}
    assert len(cycles) == 1 and 5 < min(cycles) < 200
    tools = debug_util(out, cmaddr="")
    found = tools.get_symbol_rect(((4, 1), (W, H)), "A", np.float32)
    assert np.array_equal(found.transpose(1, 0, 2).reshape(-1, N), BEGUN + 1)
    assert Path("sim.log").read_text() == ""


@pytest.mark.rows("RPC-008")
def test_pes_that_do_not_export(runner, capfd):
    bias = np.arange(1, W * H * N + 1, dtype=np.float32).reshape(H, W, N)
    runner.memcpy_h2d(runner.get_id("bias"), bias, *EVERYWHERE, **WORDS)
    text = "'bias' is not exported by PE (3, 0) and 2 more, "
    assert text + "nothing is copied there" in capfd.readouterr().err
    expected = np.where(np.arange(W)[:, None] < W - 1, bias, 0)
    assert np.array_equal(fetch(runner, "bias").reshape(H, W, N), expected)
    assert text + "zeros come from there" in capfd.readouterr().err
    with pytest.raises(RuntimeError, match=r"PE \(3, 0\) does not export 'bias', nor does any"):
        runner.memcpy_h2d(runner.get_id("bias"), bias, 3, 0, 1, H, N, **WORDS)


@pytest.mark.rows("HST-050")
def test_halves_of_words_are_a_warning(runner, capfd):
    words = np.zeros(W * H * 2 * N, np.uint32)
    runner.memcpy_d2h(words, runner.get_id("A"), 0, 0, W, H, 2 * N, **HALVES)
    assert "'A' has elements of type f32: their bytes" in capfd.readouterr().err
    assert np.array_equal(words.astype(np.uint16).view(np.float32), BEGUN.ravel())


def total_of(out, factor=1.0):
    with SdkRuntime(out, suppress_simfab_trace=True) as runner:
        for name, arguments in (("begin", []), ("scale", [np.float32(factor)]), ("reduce", [])):
            runner.launch(name, *arguments, nonblock=False)
        return fetch(runner, "total", 1).sum()


@pytest.mark.rows("HST-031", "HST-036")
def test_several_runtimes(out):
    expected = [2.5 * BEGUN.sum() * k for k in range(4)]
    assert [total_of(out, k) for k in range(4)] == expected
    with ThreadPoolExecutor(3) as pool:
        assert list(pool.map(total_of, [out] * 4, range(4))) == expected
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.starmap(total_of, [(out, k) for k in range(4)]) == expected


SWEEP = """
import json, subprocess, sys
from glob import glob
import numpy as np
from cerebras.sdk.runtime.sdkruntimepybind import SdkRuntime  # pylint: disable=no-name-in-module
for width, height in ((1, 1), (3, 2)):
    args = ["cslc", "layout.csl", f"--arch={sys.argv[1]}", "-o=out", "--memcpy", "--channels=1"]
    args += [f"--fabric-dims={width + 7},{height + 2}", "--fabric-offsets=4,1"]
    args.append(f"--params=width:{width},height:{height},size:8")
    subprocess.check_call(args)
    assert glob("out/bin/out_[0-9]*.elf")
    with open("out/out.json", encoding="utf-8") as file:
        params = {k: int(v) for k, v in json.load(file)["params"].items()}
    assert params == {"width": width, "height": height, "size": 8}
    with SdkRuntime("out") as runner:
        runner.launch("begin", nonblock=False)
        last = runner.read_symbol(width - 1, height - 1, "A", np.float32)
    assert last[0] == width * height - 1
print("SUCCESS!")
"""


@pytest.mark.rows("HST-001", "HST-004", "HST-021", "HST-022")
@pytest.mark.parametrize("arch", ["wse2", "wse3"])
def test_a_sweep_that_compiles(arch, tmp_path):
    for source in SOURCE.iterdir():
        (tmp_path / source.name).write_text(source.read_text())
    (tmp_path / "sweep.py").write_text(SWEEP)
    program = BUILD / "bin" / "compat" / "cs_python"
    done = subprocess.run(
        [program, "sweep.py", arch], capture_output=True, text=True, cwd=tmp_path, timeout=240
    )
    assert (done.returncode, done.stdout) == (0, "SUCCESS!\n"), done.stderr


@pytest.mark.rows("HST-080")
def test_a_job_for_a_cluster(tmp_path):
    """Compiling and running are two scripts, with the artifact's name in a file."""
    (tmp_path / "run.py").write_text(
        "import argparse, sys\nsys.path.append('lib')\nimport answer\n"
        "parser = argparse.ArgumentParser()\n"
        "parser.add_argument('--cmaddr')\nargs = parser.parse_args()\n"
        "from cerebras.sdk.runtime.sdkruntimepybind import SdkRuntime\n"
        "with SdkRuntime('latest', cmaddr=args.cmaddr) as runner:\n"
        "    runner.launch('begin', nonblock=False)\nprint(answer.text)\n"
    )
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "answer.py").write_text("text = 'SUCCESS!'\n")
    with SdkCompiler() as compiler:
        artifact = compiler.compile(SOURCE, "layout.csl", options("wse3") + " -o latest")
    Path("artifact.json").write_text(json.dumps(artifact))
    artifact = json.loads(Path("artifact.json").read_text())
    with SdkLauncher(artifact, simulator=True) as launcher:
        launcher.stage("run.py", "lib")
        assert launcher.run("cs_python run.py --cmaddr=%CMADDR%", "ls sim.log") == (
            "SUCCESS!\nsim.log\n"
        )


SCRIPT = """
import sys
from cerebras.sdk.runtime.sdkruntimepybind import SdkRuntime
runner = SdkRuntime(sys.argv[1])
runner.load()
runner.run()
"""


@pytest.mark.rows("HST-037")
@pytest.mark.parametrize(("end", "code", "text"), [
    ("runner.stop()", 0, ""),
    ("runner.stop()\nsys.exit(7)", 7, ""),
    ("sys.exit(0)", 1, "the script ended without stop()"),
    ("assert False, 'no'", 1, "AssertionError: no"),
    ("try:\n    runner.launch('bgin')\nfinally:\n    runner.stop()", 1, "did you mean 'begin'"),
])
def test_how_a_script_ends(out, end, code, text):
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT + end, out], capture_output=True, text=True, timeout=120,
        env={**os.environ, "PYTHONPATH": str(BUILD / "python")},
    )
    assert done.returncode == code and text in done.stderr
