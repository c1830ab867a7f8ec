# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""SdkRuntime on a program of 4 x 3 PEs (Inputs/host.mlir)."""

import json
import pickle
import re
from pathlib import Path

import numpy as np
import pytest
from cerebras.sdk.runtime.sdkruntimepybind import (
    MemcpyDataType,
    MemcpyOrder,
    SdkCompileArtifacts,
    SdkRuntime,
    SdkTarget,
    SimfabConfig,
    get_platform,
    get_simulator,
    get_system,
)

from sequin.errors import HostError, HostTypeError, WaferFailure
from sequin.host.arguments import encode

MODULE = Path(__file__).parent / "Inputs" / "host.mlir"
WIDTH, HEIGHT = 4, 3
ROW, COL = MemcpyOrder.ROW_MAJOR, MemcpyOrder.COL_MAJOR
WORD, HALF = MemcpyDataType.MEMCPY_32BIT, MemcpyDataType.MEMCPY_16BIT
IN, OUT = 4, 5  # colors


@pytest.fixture
def out(compiled):
    return compiled(MODULE, N=16)


@pytest.fixture
def runner(out, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    runner = SdkRuntime(str(out))
    runner.load()
    runner.run()
    yield runner
    if runner._state == "running" and not runner._failed:
        runner.stop()


def h2d(runner, name, data, x, y, w, h, n, order=ROW, kind=WORD, streaming=False, nonblock=False):
    return runner.memcpy_h2d(
        name, data, x, y, w, h, n,
        streaming=streaming, data_type=kind, order=order, nonblock=nonblock,
    )


def d2h(runner, name, x, y, w, h, n, order=ROW, kind=WORD, streaming=False, dtype=np.float32):
    data = np.zeros(w * h * n, dtype)
    runner.memcpy_d2h(
        data, name, x, y, w, h, n,
        streaming=streaming, data_type=kind, order=order, nonblock=False,
    )
    return data


# Life cycle


@pytest.mark.rows("HST-022", "HST-031", "HST-036", "HST-038", "HST-039", "AMB-042")
def test_a_session(out, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert int(json.loads((out / "out.json").read_text())["params"]["N"]) == 16
    runner = SdkRuntime(out, cmaddr=None, suppress_simfab_trace=True, simfab_numthreads=2)
    symbol = runner.get_id("A")
    assert symbol == runner.get_symbol("A") and isinstance(symbol, int)
    runner.load()
    runner.run()
    data = np.arange(WIDTH * HEIGHT * 6, dtype=np.float32)
    h2d(runner, symbol, data, 0, 0, WIDTH, HEIGHT, 6)
    runner.launch("scale", np.float32(2.0), nonblock=False)
    result = d2h(runner, symbol, 0, 0, WIDTH, HEIGHT, 6)
    runner.stop()
    assert np.array_equal(result, 2 * data)


@pytest.mark.rows("HST-036")
def test_order_of_calls(out):
    runner = SdkRuntime(str(out))
    with pytest.raises(RuntimeError, match=r"run\(\): load\(\) was not called"):
        runner.run()
    with pytest.raises(RuntimeError, match=r"memcpy_d2h\(\): load\(\) was not called"):
        d2h(runner, "A", 0, 0, 1, 1, 1)
    runner.load()
    with pytest.raises(RuntimeError, match=r"load\(\): load\(\) was called"):
        runner.load()
    with pytest.raises(RuntimeError, match=r"launch\(\): run\(\) was not called"):
        runner.launch("say", nonblock=False)
    runner.run()
    with pytest.raises(RuntimeError, match=r"run\(\): run\(\) was called"):
        runner.run()
    runner.stop()
    for call in (runner.stop, lambda: d2h(runner, "A", 0, 0, 1, 1, 1)):
        with pytest.raises(RuntimeError, match=r"stop\(\) was called"):
            call()


@pytest.mark.rows("HST-031", "HST-034", "HST-035")
def test_options_of_the_constructor(out, tmp_path):
    with pytest.raises(RuntimeError, match="is no directory, expected what cslc wrote"):
        SdkRuntime(str(tmp_path / "none"))
    with pytest.raises(HostError, match="cmaddr is '1.2.3.4:9000'"):
        SdkRuntime(str(out), cmaddr="1.2.3.4:9000")
    SdkRuntime(str(out), cmaddr="")
    for level in ("DEBUG", "INFO", "WARNING", "ERROR"):
        SdkRuntime(str(out), msg_level=level)
    with pytest.raises(HostError, match="expected one of DEBUG, INFO, WARNING, ERROR"):
        SdkRuntime(str(out), msg_level="LOUD")
    SdkRuntime(str(out), simfab_numthreads=64)
    for wrong in (0, 65, 2.5):
        with pytest.raises(HostError, match="expected a number from 1 to 64"):
            SdkRuntime(str(out), simfab_numthreads=wrong)
    with pytest.raises(TypeError, match="threads"):
        SdkRuntime(str(out), threads=3)


@pytest.mark.rows("HST-032", "HST-033", "HST-060", "HST-061", "HST-062", "AMB-043")
def test_platforms(out, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    platform = get_platform(None)
    assert platform.is_simulation() and not platform.is_system()
    assert platform.target is SdkTarget.WSE3 and platform.config.num_threads == 16
    assert get_platform("", SimfabConfig(), SdkTarget.WSE2).target is SdkTarget.WSE2
    assert get_simulator().is_simulation()
    for call in (get_system, get_platform):
        with pytest.raises(RuntimeError, match="reaches no system"):
            call("10.0.0.1:9000")
    with pytest.raises(HostError, match="1 to 64"):
        SimfabConfig(num_threads=65)
    with pytest.raises(HostError, match="compiled for wse3, the platform is wse2"):
        SdkRuntime(str(out), get_platform(target=SdkTarget.WSE2))
    config = SimfabConfig(num_threads=4, dump_core=True)
    artifacts = SdkCompileArtifacts(str(out))
    runner = SdkRuntime(artifacts, get_platform(config=config), memcpy_required=False)
    runner.load()
    runner.run()
    runner.stop()
    assert (tmp_path / "out.core").stat().st_size == WIDTH * HEIGHT * 48 * 1024
    # In another file, if it has a name, and in none.
    for config, files in (
        (SimfabConfig(dump_core=True, core_path=str(tmp_path / "mine.core")), ["mine.core"]),
        (SimfabConfig(core_path=str(tmp_path / "mine.core")), []),
    ):
        (tmp_path / "out.core").unlink(missing_ok=True)
        (tmp_path / "mine.core").unlink(missing_ok=True)
        runner = SdkRuntime(artifacts, get_platform(config=config))
        runner.load()
        runner.run()
        runner.stop()
        assert [path.name for path in tmp_path.glob("*.core")] == files


@pytest.mark.rows("HST-063")
def test_context_manager(out, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    with SdkRuntime(str(out)) as runner:
        runner.load()  # no harm
        runner.run()
        runner.launch("scale", np.float32(2.0), nonblock=False)
        assert d2h(runner, "count", 1, 1, 1, 1, 1, kind=HALF, dtype=np.uint32) == [1]
    assert runner._state == "stopped"
    with pytest.raises(ValueError, match="mine"), SdkRuntime(str(out)) as runner:
        raise ValueError("mine")
    assert runner._state == "stopped"


# Copies


@pytest.mark.rows("HST-026", "HST-051", "HST-052", "AMB-002", "HST-048", "HST-042", "HST-043")
@pytest.mark.parametrize("order", [ROW, COL])
@pytest.mark.parametrize("roi", [(0, 0, 4, 3), (1, 1, 2, 2), (3, 0, 1, 3), (0, 2, 4, 1)])
def test_orders(runner, random, order, roi):
    x, y, w, h = roi
    tensor = random.standard_normal((h, w, 6), np.float32)
    flat = tensor.ravel("C" if order is ROW else "F")
    h2d(runner, runner.get_id("A"), flat, *roi, 6, order=order)
    for i in range(w):
        for j in range(h):
            there = runner.read_symbol(x + i, y + j, "values", "float32")
            assert np.array_equal(there, tensor[j, i])
    for back in (ROW, COL):
        expected = tensor.ravel("C" if back is ROW else "F")
        assert np.array_equal(d2h(runner, "A", *roi, 6, order=back), expected)
    # Others are as they were.
    assert np.count_nonzero(d2h(runner, "A", 0, 0, WIDTH, HEIGHT, 6)) == tensor.size


@pytest.mark.rows("HST-050", "HST-049", "HST-060")
@pytest.mark.parametrize("order", [ROW, COL])
def test_halves(runner, random, order):
    tensor = random.integers(0, 1 << 16, (HEIGHT, WIDTH, 6)).astype(np.uint32)
    flat = tensor.ravel("C" if order is ROW else "F")
    h2d(runner, "h", flat | np.uint32(0xABCD0000), 0, 0, WIDTH, HEIGHT, 6, order, HALF)
    # Packed on the device, without the high halves.
    assert runner.read_symbol(2, 1, "h", np.uint16).tolist() == tensor[1, 2].tolist()
    back = d2h(runner, "h", 0, 0, WIDTH, HEIGHT, 6, order, HALF, dtype=np.uint32)
    assert np.array_equal(back, flat)
    # The same bytes as words.
    packed = d2h(runner, "h", 2, 1, 1, 1, 3, dtype=np.uint32)
    assert packed.view(np.uint16).tolist() == tensor[1, 2].tolist()


@pytest.mark.rows("HST-044", "HST-049")
def test_part_of_a_symbol_and_defaults(runner):
    runner.memcpy_h2d("A", np.float32([1, 2]), 0, 0, 1, 1, 2)
    assert d2h(runner, "A", 0, 0, 1, 1, 6).tolist() == [1, 2, 0, 0, 0, 0]
    # Positional, as old scripts have it.
    data = np.zeros(2, np.float32)
    runner.memcpy_d2h(data, "A", 0, 0, 1, 1, 2, False, WORD, ROW, False)
    assert data.tolist() == [1, 2]


@pytest.mark.rows("HST-045", "AMB-052")
@pytest.mark.parametrize("order", [ROW, COL])
def test_row_broadcast(runner, order):
    rows = np.arange(HEIGHT * 6, dtype=np.float32).reshape(HEIGHT, 6)
    runner.memcpy_h2d_rowbcast(
        "A", rows.ravel("C" if order is ROW else "F"), 1, 0, 3, HEIGHT, 6,
        streaming=False, data_type=WORD, order=order, nonblock=False,
    )
    result = d2h(runner, "A", 0, 0, WIDTH, HEIGHT, 6).reshape(HEIGHT, WIDTH, 6)
    assert np.array_equal(result[:, 1:], np.repeat(rows[:, None], 3, axis=1))
    assert not result[:, 0].any()


@pytest.mark.rows("HST-046")
@pytest.mark.parametrize("order", [ROW, COL])
def test_column_broadcast(runner, order):
    columns = np.arange(WIDTH * 6, dtype=np.float32).reshape(WIDTH, 6)
    runner.memcpy_h2d_colbcast(
        "A", columns.ravel("C" if order is ROW else "F"), 0, 1, WIDTH, 2, 6,
        streaming=False, data_type=WORD, order=order, nonblock=False,
    )
    result = d2h(runner, "A", 0, 0, WIDTH, HEIGHT, 6).reshape(HEIGHT, WIDTH, 6)
    assert np.array_equal(result[1:], np.stack([columns, columns]))
    assert not result[0].any()


@pytest.mark.rows("HST-047", "AMB-053", "WEX-056")
@pytest.mark.parametrize("order", [ROW, COL])
def test_strides(runner, order):
    # Columns 0 and 3, rows 0 and 2.
    tensor = np.arange(1, 2 * 2 * 2 + 1, dtype=np.float32).reshape(2, 2, 2)
    runner.memcpy_h2d_stride(
        "A", tensor.ravel("C" if order is ROW else "F"), 0, 0, WIDTH, HEIGHT, 2, 3, 2,
        streaming=False, data_type=WORD, order=order, nonblock=False,
    )
    result = d2h(runner, "A", 0, 0, WIDTH, HEIGHT, 2).reshape(HEIGHT, WIDTH, 2)
    assert np.array_equal(result[::2, ::3], tensor)
    assert np.count_nonzero(result) == tensor.size
    with pytest.raises(HostError, match="row_stride is 0, expected at least 1"):
        runner.memcpy_h2d_stride("A", tensor, 0, 0, 4, 3, 2, 0, 2)
    with pytest.raises(HostError, match="expected columns \\* rows \\* elem_per_pe = 8"):
        runner.memcpy_h2d_stride("A", tensor.ravel()[1:], 0, 0, 4, 3, 2, 3, 2)


@pytest.mark.rows("RPC-020")
def test_a_pointer_is_read_when_the_copy_is_made(runner):
    h2d(runner, "A", np.arange(6, dtype=np.float32), 0, 0, 1, 1, 6)
    runner.launch("point", np.int16(2), nonblock=True)
    assert d2h(runner, "P", 0, 0, 1, 1, 4).tolist() == [2, 3, 4, 5]
    runner.launch("point", np.int16(5), nonblock=False)
    h2d(runner, "P", np.float32([9]), 0, 0, 1, 1, 1)
    assert d2h(runner, "A", 0, 0, 1, 1, 6).tolist() == [0, 1, 2, 3, 4, 9]
    # What follows the array comes too.
    assert d2h(runner, "P", 0, 0, 1, 1, 2)[0] == 9


@pytest.mark.rows("HST-026")
def test_copies_are_by_pointer(runner, capfd):
    before = runner.read_symbol(1, 2, "values", "float32").tolist()
    runner.launch("keep", np.int16(7), 8, 1.0, 2.0, nonblock=False)
    capfd.readouterr()
    data = d2h(runner, "A", 0, 0, WIDTH, HEIGHT, 9)
    text = "WARNING: .*: a copy goes beyond the array: PE .0, 0.: 'A' ends at byte 24, the copy at 36"
    assert re.match(text + ", with '", capfd.readouterr().err)
    # The same again is as it was, and is said once.
    h2d(runner, "A", data, 0, 0, WIDTH, HEIGHT, 9)
    assert capfd.readouterr().err == ""
    assert np.array_equal(d2h(runner, "A", 0, 0, WIDTH, HEIGHT, 9), data)
    assert runner.read_symbol(1, 2, "values", "float32").tolist() == before
    assert d2h(runner, "words", 0, 0, 1, 1, 2, dtype=np.int32).tolist() == [7, 8]
    # There is an end to it.
    with pytest.raises(HostError, match="'A' .*is at byte [0-9]+ of a memory of 49152"):
        d2h(runner, "A", 0, 0, 1, 1, 49152 // 4)


@pytest.mark.rows("HST-042", "HST-043")
def test_longer_arrays(runner, capfd):
    data = np.arange(100, dtype=np.float32)
    longer = np.full(30, -1, np.float32)
    # What a loop repeats is said once.
    for _ in range(3):
        h2d(runner, "A", data, 0, 0, 2, 1, 6)
        runner.memcpy_h2d_rowbcast("A", data[50:], 2, 0, 2, 1, 6)
        runner.memcpy_d2h(longer, "A", 0, 0, 3, 1, 6)
    assert longer.tolist() == [*range(12), *range(50, 56), *[-1] * 12]
    lines = [line.partition(": memcpy_")[2] for line in capfd.readouterr().err.splitlines()]
    assert lines == [
        "h2d to 'A': src has 100 elements, w * h * elem_per_pe = 12 are copied from its beginning",
        "h2d_rowbcast to 'A': src has 50 elements, h * elem_per_pe = 6 are copied from its beginning",
        "d2h from 'A': dest has 30 elements, w * h * elem_per_pe = 18 are copied to its beginning",
    ]


@pytest.mark.rows("HST-042", "HST-043", "HST-045", "HST-046", "HST-047", "HST-055")
@pytest.mark.parametrize("kind", [">f4", "<f4", ">i4", ">u4"])
def test_orders_of_bytes(runner, kind):
    """Values are what counts, whatever order of bytes an array has."""
    data = np.arange(1, 13)
    rows = {"expected": np.repeat(data[:6].reshape(1, 1, 6), 2, axis=1).ravel()}
    for send, words, expected in [
        (runner.memcpy_h2d, data, data),
        (runner.memcpy_h2d_rowbcast, data[:6], rows["expected"]),
        (runner.memcpy_h2d_colbcast, data, data),
    ]:
        send("A", words.astype(kind), 0, 0, 2, 1, 6)
        found = d2h(runner, "A", 0, 0, 2, 1, 6, dtype=np.dtype(kind))
        assert found.dtype == kind and found.tolist() == expected.tolist()
        native = np.dtype(kind).newbyteorder("=")
        assert d2h(runner, "A", 0, 0, 2, 1, 6, dtype=native).tolist() == expected.tolist()
        for order in (kind, native):
            assert runner.read_symbol(0, 0, "A", order).tolist() == expected[:6].tolist()
    runner.memcpy_h2d_stride("A", data.astype(kind), 0, 0, 3, 1, 6, 2, 1)
    # Elements of other sizes, with strides, and the beginning of a longer one.
    h2d(runner, "h", np.arange(6).astype(">u4"), 0, 0, 1, 1, 6, kind=HALF)
    for dest in (np.zeros(6, ">u2"), np.zeros((3, 2), ">u2", order="F")):
        runner.memcpy_d2h(dest, "h", 0, 0, 1, 1, 3)
        assert dest.ravel().tolist() == [0, 1, 2, 3, 4, 5]
    longer = np.full(30, 77, kind)[::2]
    runner.memcpy_d2h(longer, "A", 2, 0, 1, 1, 6)
    assert longer.tolist() == [*data[6:].tolist(), *[77] * 9]


@pytest.mark.rows("HST-027")
def test_orders_of_bytes_in_streams(runner):
    h2d(runner, IN, np.arange(6).astype(">i4"), 0, 0, 1, 1, 6, streaming=True, nonblock=True)
    back = d2h(runner, OUT, 0, 0, 1, 1, 6, streaming=True, dtype=np.dtype(">u4"))
    assert back.tolist() == [0, 2, 4, 6, 8, 10]


@pytest.mark.rows("HST-043")
def test_destinations(runner):
    data = np.arange(12, dtype=np.float32)
    h2d(runner, "A", data, 0, 0, 2, 1, 6)
    two = np.zeros((2, 6), np.float32)
    runner.memcpy_d2h(two, "A", 0, 0, 2, 1, 6, nonblock=False)
    assert np.array_equal(two.ravel(), data)
    # Any type of the right number of bytes, and any strides.
    for array in (np.zeros(6, np.float64), np.zeros((4, 3), np.float32, order="F"),
                  np.zeros(24, np.float32)[::2], np.zeros((12, 2), np.int16)):
        runner.memcpy_d2h(array, "A", 0, 0, 2, 1, 6, nonblock=False)
        assert np.ascontiguousarray(array).tobytes() == data.tobytes()
    fixed = np.zeros(12, np.float32)
    fixed.flags.writeable = False
    with pytest.raises(HostError, match="dest is read-only"):
        runner.memcpy_d2h(fixed, "A", 0, 0, 2, 1, 6)


@pytest.mark.rows("HST-042", "HST-043", "HST-048", "HST-049")
def test_refused_copies(runner):
    data = np.zeros(12, np.float32)
    cases = [
        (lambda: h2d(runner, "B", data, 0, 0, 2, 1, 6), HostError,
         "exports no symbol 'B', there are A, P, h"),
        (lambda: h2d(runner, "word", data, 0, 0, 2, 1, 6), HostError, "did you mean 'words'; there"),
        (lambda: h2d(runner, 99, data, 0, 0, 2, 1, 6), HostError, "the symbol is number 99"),
        (lambda: h2d(runner, "scale", data, 0, 0, 2, 1, 6), HostError, "'scale' is a function"),
        (lambda: h2d(runner, "fixed", data[:2], 0, 0, 1, 1, 2), HostError, "not mutable"),
        (lambda: h2d(runner, "A", data, 0, 0, 3, 1, 6), HostError,
         r"has 12 elements, expected w \* h \* elem_per_pe = 18"),
        (lambda: h2d(runner, "A", data.astype(np.float64), 0, 0, 2, 1, 6), TypeError,
         r"float64, 8 bytes per element, expected 32-bit words .*; write src.astype\(np.float32\)"),
        (lambda: h2d(runner, "A", np.arange(12), 0, 0, 2, 1, 6), TypeError,
         r"write src.astype\(np.int32\)"),
        (lambda: h2d(runner, "h", data.astype(np.float16), 0, 0, 2, 1, 6, kind=HALF), TypeError,
         "float16, 2 bytes per element, .*; write sdk_utils.input_array_to_u32"),
        (lambda: h2d(runner, "A", [0.0] * 12, 0, 0, 2, 1, 6), TypeError,
         "is a list, expected a NumPy array"),
        (lambda: h2d(runner, "A", data, 3, 0, 2, 1, 6), HostError,
         r"2 x 1 PEs from \(3, 0\) are not within the program's rectangle of 4 x 3"),
        (lambda: h2d(runner, "A", data, -1, 0, 2, 1, 6), HostError, "px is -1"),
        (lambda: h2d(runner, "A", data, 0, 0, 0, 1, 6), HostError, "w is 0"),
        (lambda: h2d(runner, "A", data[:0], 0, 0, 2, 1, 0), HostError, "elem_per_pe is 0"),
        (lambda: h2d(runner, "A", data, 0, 0, 2.0, 1, 6), TypeError, "w is 2.0"),
        (lambda: runner.memcpy_h2d("A", data, 0, 0, 2, 1, 6, data_type=32), TypeError,
         "data_type is 32, expected one of MemcpyDataType.MEMCPY_32BIT"),
        (lambda: runner.memcpy_h2d("A", data, 0, 0, 2, 1, 6, order=1), TypeError,
         "order is 1, expected one of MemcpyOrder.ROW_MAJOR"),
        (lambda: runner.memcpy_d2h(data[1:], "A", 0, 0, 2, 1, 6), HostError,
         "11 elements of float32, 44 bytes, expected .* = 12 words, 48 bytes"),
        (lambda: runner.memcpy_d2h(data.astype(np.float64), "A", 0, 0, 2, 1, 6), HostError,
         "12 elements of float64, 96 bytes"),
        (lambda: d2h(runner, "P", 0, 0, 1, 1, 1), HostError,
         "pointer 'P' of PE .0, 0. holds address 0, the program has not set it"),
        (lambda: runner.memcpy_d2h("A", data, 0, 0, 2, 1, 6), TypeError,
         "the symbol is an array; memcpy_h2d takes"),
        (lambda: runner.memcpy_d2h(data.astype(np.float16), "h", 0, 0, 2, 1, 6, data_type=HALF),
         HostError, r"write np.zeros\(12, np.uint32\), and sdk_utils.memcpy_view"),
        (lambda: h2d(runner, 6, data, 0, 0, 2, 1, 6, streaming=True), HostError,
         "color 6 does not stream to the device, colors that do are 4"),
        (lambda: d2h(runner, IN, 0, 0, 2, 1, 6, streaming=True), HostError,
         "color 4 does not stream from the device, colors that do are 5"),
        (lambda: runner.send("A", data), HostError, "there is no port 'A' to the device"),
    ]
    for call, kind, text in cases:
        with pytest.raises(kind, match=text) as caught:
            call()
        assert isinstance(caught.value, RuntimeError)
    # Nothing of it did anything.
    assert not d2h(runner, "A", 0, 0, WIDTH, HEIGHT, 6).any()


# Launches


@pytest.mark.rows("HST-040", "RPC-021", "RPC-024", "RPC-022")
def test_arguments(runner):
    arguments = np.int16(-7), np.int32(1 << 30), np.float32(2.5), np.float16(-0.5)
    runner.launch("keep", *arguments, nonblock=False)
    words = d2h(runner, "words", 3, 2, 1, 1, 3, dtype=np.int32)
    assert words[:2].tolist() == [-7, 1 << 30] and words.view(np.float32)[2] == 2.5
    assert runner.read_symbol(3, 2, "f16", "float16") == [-0.5]
    # Plain numbers, and the symbol's number.
    runner.launch(runner.get_symbol("keep"), 3, -4, 1.0, 2.0, nonblock=False)
    words = d2h(runner, "words", 0, 0, 1, 1, 3, dtype=np.int32)
    assert words[:2].tolist() == [3, -4] and words.view(np.float32)[2] == 1.0


@pytest.mark.rows("HST-040")
def test_refused_launches(runner):
    good = np.int16(1), np.int32(2), np.float32(3), np.float16(4)
    for position, wrong, kind, text in [
        (0, np.int32(1), TypeError, r"argument 0 of 'keep' is a np.int32, the program takes i16; write np.int16\(...\)"),
        (0, np.float32(1), TypeError, "np.float32, the program takes i16"),
        (0, 1.0, TypeError, "is a float, the program takes i16"),
        (0, 1 << 16, HostError, "is 65536, which is out of range for i16"),
        (2, np.float64(3), TypeError, r"np.float64, the program takes f32; write np.float32\(...\)"),
        (2, 3, TypeError, "is a int, the program takes f32"),
        (3, np.float32(4), TypeError, "np.float32, the program takes f16"),
        (1, "2", TypeError, "is a str, the program takes i32"),
    ]:
        arguments = [*good]
        arguments[position] = wrong
        with pytest.raises(kind, match=text):
            runner.launch("keep", *arguments, nonblock=False)
    assert encode("x", 65535, "i16") == encode("x", -1, "u16") == 65535
    for value, number_type, text in [
        (65536, "i16", "for i16: -32768 to 32767; as its bits numbers up to 65535 are taken too"),
        (-32769, "u16", "for u16: 0 to 65535; as its bits numbers from -32768 on are taken too"),
        (256, "u8", "for u8: 0 to 255; as its bits numbers from -128 on are taken too"),
        (1 << 16, "id", "for id: 0 to 65535; as its bits numbers from -32768 on are taken too"),
    ]:
        with pytest.raises(HostError, match=f"x is {value}, which is out of range {text}$"):
            encode("x", value, number_type)
    # A type that this NumPy has.
    for value in (3, np.uint16(1), np.float32(1)):
        with pytest.raises(HostTypeError, match=rf"takes bool; write np.{np.bool_.__name__}\("):
            encode("x", value, "bool")
    with pytest.raises(HostTypeError, match=f"x is a np.{np.bool_.__name__}, the program takes i16"):
        encode("x", np.bool_(True), "i16")
    with pytest.raises(HostError, match=r"'keep' takes \(i16, i32, f32, f16\), found 1 arg"):
        runner.launch("keep", np.int16(1), nonblock=False)
    with pytest.raises(HostError, match="'A' is no function"):
        runner.launch("A", nonblock=False)
    with pytest.raises(HostError, match="exports no symbol 'scales'"):
        runner.launch("scales", nonblock=False)
    assert not d2h(runner, "words", 0, 0, 1, 1, 3, dtype=np.int32).any()


@pytest.mark.rows("HST-041")
def test_call(runner):
    with pytest.warns(DeprecationWarning, match="older form of launch"):
        runner.call("keep", [np.int16(5), 6, np.float32(1.5).view(np.uint32), np.float16(2)],
                    nonblock=False)
    words = d2h(runner, "words", 0, 0, 1, 1, 3, dtype=np.int32)
    assert words[:2].tolist() == [5, 6] and words.view(np.float32)[2] == 1.5
    # Words, as scripts make them of everything.
    with pytest.warns(DeprecationWarning):
        runner.call("keep", [np.uint32(0xFFFB), np.uint32(7), np.float32(2.5).view(np.uint32),
                             np.uint32(np.float16(2).view(np.uint16))], nonblock=False)
    words = d2h(runner, "words", 0, 0, 1, 1, 3, dtype=np.int32)
    assert words[:2].tolist() == [-5, 7] and words.view(np.float32)[2] == 2.5
    with pytest.warns(DeprecationWarning), pytest.raises(HostTypeError, match="np.uint32"):
        runner.call("keep", [np.uint32(1 << 16), 6, 1.5, np.float16(2)], nonblock=False)
    with pytest.warns(DeprecationWarning):
        runner.call("scale", [2.0], nonblock=True)
    assert d2h(runner, "count", 0, 0, 1, 1, 1, kind=HALF, dtype=np.uint32) == [1]


@pytest.mark.rows("RPC-023")
def test_a_launch_that_never_unblocks_hangs(runner):
    with pytest.raises(WaferFailure, match="the launch of 'forget' does not end: PE") as caught:
        runner.launch("forget", nonblock=False)
    assert caught.value.kind == "hang" and "unblock_cmd_stream" in caught.value.report


@pytest.mark.rows("RPC-023", "HST-037")
def test_a_launch_that_never_unblocks_hangs_at_stop(runner):
    task = runner.launch("forget", nonblock=True)
    assert not runner.is_task_done(task)
    with pytest.raises(WaferFailure, match="'forget' does not end"):
        runner.stop()


def test_a_trap_is_an_exception_with_the_report(runner):
    with pytest.raises(WaferFailure, match=r"PE \(2, 0\) at cycle .*x is not two") as caught:
        runner.launch("fail", nonblock=False)
    assert caught.value.kind == "trap" and caught.value.exit_code == 3
    assert "host.mlir" in caught.value.report
    again = pickle.loads(pickle.dumps(caught.value))
    assert (again.report, again.kind) == (caught.value.report, "trap")
    # Memory is there to be looked at.
    assert runner.read_symbol(2, 0, "count", np.int16) == [0]
    runner.stop()


# Tasks


@pytest.mark.rows("HST-053", "HST-054")
def test_nonblocking_commands_keep_their_order(runner):
    data = np.ones(WIDTH * HEIGHT * 6, np.float32)
    first, second = np.zeros_like(data), np.zeros_like(data)
    h2d(runner, "A", data, 0, 0, WIDTH, HEIGHT, 6, nonblock=True)
    runner.launch("scale", np.float32(3), nonblock=True)
    kwargs = dict(streaming=False, data_type=WORD, order=ROW, nonblock=True)
    one = runner.memcpy_d2h(first, "A", 0, 0, WIDTH, HEIGHT, 6, **kwargs)
    runner.launch("scale", np.float32(5), nonblock=True)
    two = runner.memcpy_d2h(second, "A", 0, 0, WIDTH, HEIGHT, 6, **kwargs)
    # The operations have not even begun.
    assert not first.any() and not second.any()
    runner.task_wait(one)
    assert np.array_equal(first, 3 * data)
    while not runner.is_task_done(two):
        pass
    assert np.array_equal(second, 15 * data)
    assert runner.is_task_done(one)
    runner.task_wait(one)
    with pytest.raises(TypeError, match="expected what a command returned"):
        runner.task_wait(3)


@pytest.mark.rows("HST-037", "HST-053")
def test_stop_waits_for_commands(runner):
    results = [np.zeros(12, np.float32), np.zeros((6, 2), np.float32).T]
    h2d(runner, "A", np.ones(12, np.float32), 0, 0, 2, 1, 6, nonblock=True)
    for result in results:
        runner.launch("scale", np.float32(2), nonblock=True)
        runner.memcpy_d2h(result, "A", 0, 0, 2, 1, 6, nonblock=True)
    runner.stop()
    assert results[0].tolist() == [2] * 12 and results[1].tolist() == [[4] * 6] * 2


def test_a_program_that_never_rests_stops_nobody(runner):
    runner.launch("spin", nonblock=False)
    h2d(runner, "A", np.ones(6, np.float32), 0, 0, 1, 1, 6)
    runner.launch("scale", np.float32(2), nonblock=False)
    assert d2h(runner, "A", 0, 0, 1, 1, 6).tolist() == [2] * 6


def test_the_limit_of_cycles(out, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SEQUIN_MAX_CYCLES", "30000")
    runner = SdkRuntime(str(out))
    runner.load()
    runner.run()
    with pytest.raises(WaferFailure, match="step limit"):  # noqa: PT012
        runner.launch("spin", nonblock=False)
        for _ in range(4):
            runner.launch("say", nonblock=False)
    monkeypatch.setenv("SEQUIN_MAX_CYCLES", "many")
    with pytest.raises(HostError, match="SEQUIN_MAX_CYCLES is 'many'"):
        SdkRuntime(str(out)).load()


# Streams


@pytest.mark.rows("HST-027", "HST-028", "HST-029")
@pytest.mark.parametrize("order", [ROW, COL])
def test_streaming(runner, random, order):
    tensor = random.integers(0, 1 << 20, (2, 3, 50)).astype(np.int32)
    flat = tensor.ravel("C" if order is ROW else "F")
    h2d(runner, IN, flat, 1, 0, 3, 2, 50, order, streaming=True, nonblock=True)
    back = d2h(runner, OUT, 1, 0, 3, 2, 50, order, streaming=True, dtype=np.int32)
    assert np.array_equal(back, 2 * flat)


@pytest.mark.rows("HST-027")
def test_streaming_in_pieces(runner):
    words = np.arange(40, dtype=np.uint32)
    parts = [np.zeros(10, np.uint32) for _ in range(4)]
    tasks = [
        runner.memcpy_d2h(part, OUT, 0, 0, 1, 1, 10, streaming=True, nonblock=True)
        for part in parts
    ]
    for part in (words[:25], words[25:]):
        h2d(runner, IN, part, 0, 0, 1, 1, part.size, streaming=True, nonblock=True)
    runner.task_wait(tasks[3])
    assert np.concatenate(parts).tolist() == (2 * words).tolist()


@pytest.mark.rows("HST-045", "HST-046", "HST-027")
def test_streaming_broadcasts(runner):
    runner.memcpy_h2d_rowbcast(
        IN, np.arange(6, dtype=np.uint32), 0, 0, WIDTH, HEIGHT, 2, streaming=True, nonblock=True
    )
    back = d2h(runner, OUT, 0, 0, WIDTH, HEIGHT, 2, streaming=True, dtype=np.uint32)
    rows = 2 * np.arange(6).reshape(HEIGHT, 1, 2)
    assert np.array_equal(back.reshape(HEIGHT, WIDTH, 2), rows.repeat(WIDTH, axis=1))


@pytest.mark.rows("HST-050")
def test_streamed_halves_come_without_their_high_half(runner):
    h2d(runner, IN, np.uint32([0x12345678]), 0, 0, 1, 1, 1, kind=HALF, streaming=True)
    back = d2h(runner, OUT, 0, 0, 1, 1, 1, kind=HALF, streaming=True, dtype=np.uint32)
    assert back == [0xACF0]


def test_words_that_do_not_come_hang(runner):
    h2d(runner, IN, np.arange(3, dtype=np.uint32), 1, 1, 1, 1, 3, streaming=True)
    with pytest.raises(WaferFailure, match=r"waits for 4 words .* PE \(1, 1\) has sent 3"):
        d2h(runner, OUT, 1, 1, 1, 1, 4, streaming=True)


def test_asking_for_ever_is_a_hang(runner):
    data = np.zeros(4, np.uint32)
    task = runner.memcpy_d2h(data, OUT, 0, 0, 1, 1, 4, streaming=True, nonblock=True)
    with pytest.raises(WaferFailure, match="waits for 4 words"):
        while not runner.is_task_done(task):
            pass


@pytest.mark.rows("HST-027", "HST-037")
def test_words_that_nobody_receives_are_a_warning(runner, capfd):
    words = np.zeros(WIDTH * HEIGHT * 10, np.uint32)
    h2d(runner, IN, words, 0, 0, WIDTH, HEIGHT, 10, streaming=True, nonblock=True)
    d2h(runner, OUT, 0, 0, WIDTH, HEIGHT, 4, streaming=True, dtype=np.uint32)
    runner.stop()
    assert capfd.readouterr().err.partition(": stop(): ")[2] == (
        "72 words of stream 'out', color 5, were sent to the host and never received\n"
    )


@pytest.mark.rows("HST-027", "HST-037")
def test_words_of_some_pes_that_nobody_receives_are_a_warning(runner, capfd):
    for place in ((0, 0), (2, 1)):
        h2d(runner, IN, np.zeros(10, np.uint32), *place, 1, 1, 10, streaming=True)
    d2h(runner, OUT, 2, 1, 1, 1, 7, streaming=True, dtype=np.uint32)
    runner.stop()
    assert capfd.readouterr().err.partition(": stop(): ")[2] == (
        "13 words of stream 'out', color 5, were sent to the host and never received\n"
    )


# A launch that has not unblocked its command stream would hold the words up.
def test_words_that_pass_a_blocked_command_stream_are_a_warning(runner, capfd):
    runner.launch("forget", nonblock=True)
    h2d(runner, IN, np.arange(3, dtype=np.uint32), 1, 1, 1, 1, 3, streaming=True)
    assert d2h(runner, OUT, 1, 1, 1, 1, 3, streaming=True, dtype=np.uint32).tolist() == [0, 2, 4]
    assert "pass the command stream of PE (1, 1)" in capfd.readouterr().err
    with pytest.raises(WaferFailure, match="'forget' does not end"):
        runner.stop()


# The same program says more or less of itself.
@pytest.mark.rows("HST-034")
@pytest.mark.parametrize("level", ["DEBUG", "INFO", "WARNING", "ERROR"])
def test_levels_of_messages(out, monkeypatch, tmp_path, capfd, level):
    monkeypatch.chdir(tmp_path)
    runner = SdkRuntime(str(out), msg_level=level)
    runner.load()
    runner.run()
    runner.launch("forget", nonblock=True)
    h2d(runner, IN, np.arange(3, dtype=np.uint32), 1, 1, 1, 1, 3, streaming=True)
    d2h(runner, OUT, 1, 1, 1, 1, 3, streaming=True, dtype=np.uint32)
    warned = capfd.readouterr().err
    assert ("WARNING: " in warned) == (level != "ERROR")
    assert ("pass the command stream" in warned) == (level != "ERROR")
    with pytest.raises(WaferFailure, match="'forget' does not end"):
        runner.stop()


# Looking


@pytest.mark.rows("HST-055")
def test_read_symbol(runner):
    assert runner.read_symbol(0, 0, "fixed", "float32").tolist() == [1.5, 2.5]
    assert runner.read_symbol(0, 0, "fixed").dtype == np.uint8
    # By the exported name too, which "values" does not have.
    assert runner.read_symbol(0, 0, "A", np.float32).shape == (6,)
    with pytest.raises(HostError, match="has no variable 'valves', did you mean 'values'"):
        runner.read_symbol(0, 0, "valves")
    with pytest.raises(HostError, match=r"1 x 1 PEs from \(4, 0\) are not within"):
        runner.read_symbol(4, 0, "A")
    with pytest.raises(HostTypeError, match="'count' has 2 bytes, which is no multiple of the 4"):
        runner.read_symbol(0, 0, "count", np.float32)


@pytest.mark.rows("HST-058", "WEX-057")
def test_coordinates(runner):
    assert runner.coord_logical_to_physical((2, 3)) == (6, 4)


def test_prints_are_in_the_log(runner, tmp_path):
    runner.launch("say", nonblock=False)
    runner.stop()
    lines = (tmp_path / "sim.log").read_text().splitlines()
    assert len(lines) == WIDTH * HEIGHT
    # Coordinates of the fabric, as in the other logs.
    places = [re.fullmatch(r"@\d+ P(\d+)\.(\d+): .*", line) for line in lines]
    assert {(int(m[1]), int(m[2])) for m in places} == {
        (4 + x, 1 + y) for x in range(WIDTH) for y in range(HEIGHT)
    }
    assert sum(line.endswith("x = 3") for line in lines) == HEIGHT
