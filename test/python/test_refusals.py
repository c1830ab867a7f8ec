# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is refused is a sequin.Error, of the host's runtime a HostError, whoever found it: the
package, NumPy, the file system, or the native half by the types of its arguments."""

import json
import os
from pathlib import Path

import numpy as np
import pytest

import sequin
from sequin.errors import HostError, HostTypeError, UsageError, UsageTypeError
from sequin.host.debug import debug_util
from sequin.host.layout import SdkLayout
from sequin.host.runtime import SdkRuntime

MODULE = Path(__file__).parent / "Inputs" / "host.mlir"
HUGE = 1 << 70


@pytest.fixture
def runner(compiled):
    runner = SdkRuntime(compiled(MODULE), msg_level="ERROR")
    runner.load()
    runner.run()
    yield runner
    runner.stop()


def arrays():
    return np.zeros(6, np.float32)


CALLS = {
    "an array as symbol": lambda r: r.get_id(np.zeros(2)),
    "a float as symbol": lambda r: r.get_id(1.5),
    "a symbol that is no UTF-8": lambda r: r.read_symbol(0, 0, "\udc80"),
    "a symbol with a zero byte": lambda r: r.read_symbol(0, 0, "A\0"),
    "a number as name": lambda r: r.read_symbol(0, 0, 5),
    "text as coordinates": lambda r: r.coord_logical_to_physical("ab"),
    "one coordinate": lambda r: r.coord_logical_to_physical((1,)),
    "no coordinates": lambda r: r.coord_logical_to_physical(None),
    "text as column": lambda r: r.read_symbol("0", 0, "A"),
    "a huge column": lambda r: r.read_symbol(HUGE, 0, "A"),
    "no type": lambda r: r.read_symbol(0, 0, "A", "no type"),
    "objects": lambda r: r.read_symbol(0, 0, "A", object),
    "elements without bytes": lambda r: r.read_symbol(0, 0, "A", "V0"),
    "a huge place": lambda r: r.memcpy_d2h(arrays(), "A", HUGE, 0, 1, 1, 6),
    "many elements": lambda r: r.memcpy_d2h(arrays(), "A", 0, 0, 1, 1, HUGE),
    "a huge stride": lambda r: r.memcpy_h2d_stride("A", arrays(), 0, 0, 1, 1, 6, HUGE, 1),
    "arguments left out": lambda r: r.memcpy_h2d("A"),
    "an unknown argument": lambda r: r.launch("scale", speed=5),
    "a list of arguments as text": lambda r: r.call("point", 5),
    "a port of no kind": lambda r: r.send([], arrays()),
    "a huge count": lambda r: r.receive(0, arrays(), HUGE),
    "a core file that is a folder": lambda r: r.dump_core("."),
    "a core file in no folder": lambda r: r.dump_core("none/core"),
    "a core file with a zero byte": lambda r: r.dump_core("a\0b"),
    "a core file of no name": lambda r: r.dump_core(5),
    "an ELF file that is a folder": lambda r: r.dump_elf_core("."),
    "an ELF file on a full device": lambda r: r.dump_elf_core("/dev/full"),
}


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("name", CALLS)
def test_calls_of_the_runtime(runner, name):
    with pytest.raises(HostError):
        CALLS[name](runner)
    # Nothing has happened.
    assert runner.get_id("A") == runner.get_symbol("A")
    assert not list(Path.cwd().glob("*.tmp-*"))


@pytest.mark.parametrize("name", [name for name in CALLS if name.startswith(("text", "no type"))])
def test_types(runner, name):
    with pytest.raises(HostTypeError):
        CALLS[name](runner)
    with pytest.raises(TypeError):
        CALLS[name](runner)


@pytest.mark.parametrize("place", [5, None, "a\0b", b"\xff", "/dev/null", "no/where"])
@pytest.mark.parametrize("kind", [SdkRuntime, debug_util])
def test_places(kind, place):
    with pytest.raises(HostError):
        kind(place)


def test_other_arguments_of_the_constructor(compiled, monkeypatch):
    out = compiled(MODULE)
    for arguments in ({"platform": 5}, {"simfab_numthreads": HUGE}, {"msg_level": []},
                      {"speed": 1}):
        with pytest.raises(HostError):
            SdkRuntime(out, **arguments)
    for text in ("", "-1", "many", "1.5"):
        monkeypatch.setenv("SEQUIN_MAX_CYCLES", text)
        with pytest.raises(HostError, match="expected a number of cycles"):
            SdkRuntime(out).load()
    monkeypatch.setenv("SEQUIN_MAX_CYCLES", "9" * 5000)
    SdkRuntime(out).load()


DOCUMENTS = {
    "no UTF-8": b'{"version": 1, "program": "\xff"}',
    "deep": b"[" * 50_000,
    "null": b"null",
    "empty": b"",
    "a list": b"[1]",
    "a number for a name": b'{"version": 1, "program": 5}',
    "another version": b'{"version": 99999999999999999999}',
    "an absolute path": b'{"version": 1, "program": "/etc/passwd"}',
    "a path out of the folder": b'{"version": 1, "program": "../../../../../../etc/passwd"}',
    "its own folder": b'{"version": 1, "program": "."}',
    "nothing there": b'{"version": 1, "program": "bin/none.json"}',
}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_documents(compiled, name):
    out = compiled(MODULE)
    (out / "out.json").write_bytes(DOCUMENTS[name])
    with pytest.raises(HostError):
        SdkRuntime(out)


def test_a_program_by_a_link(compiled, tmp_path):
    out = compiled(MODULE)
    (tmp_path / "else.json").write_bytes((out / "bin" / "out_program.json").read_bytes())
    (out / "bin" / "out_program.json").unlink()
    (out / "bin" / "out_program.json").symlink_to(tmp_path / "else.json")
    with pytest.raises(HostError, match="expected a file of the directory"):
        SdkRuntime(out)
    # A link to the directory itself is none out of it.
    (out / "bin" / "out_program.json").unlink()
    (tmp_path / "else.json").rename(out / "bin" / "out_program.json")
    (tmp_path / "way").symlink_to(out)
    SdkRuntime(tmp_path / "way")


def test_a_directory_without_utf8(compiled):
    out = compiled(MODULE)
    odd = os.fsdecode(b"odd-\xff")
    out.rename(out.with_name(odd))
    with SdkRuntime(out.with_name(odd), msg_level="ERROR") as runner:
        runner.dump_core(os.fsdecode(b"core-\xfe"))
    assert (out.with_name(odd) / "bin" / "out_memory.bin").is_file()
    looking = debug_util(out.with_name(odd))
    x, y = looking._output.offset
    assert looking.get_symbol(x + 1, y + 1, "A", np.float32).size


def test_memory_that_is_no_file(compiled):
    out = compiled(MODULE)
    with SdkRuntime(out, msg_level="ERROR"):
        pass
    looking = debug_util(out)
    x, y = looking._output.offset
    for call in (
        lambda: looking.get_symbol("a", y, "A", np.float32),
        lambda: looking.get_symbol(x, y, "A", "no type"),
        lambda: looking.get_symbol_rect(5, "A", np.float32),
        lambda: looking.get_symbol_rect(((x, y), (HUGE, 1)), "A", np.float32),
        lambda: looking.read_trace(x, y, 5),
    ):
        with pytest.raises(HostError):
            call()
    (out / "bin" / "out_memory.bin").unlink()
    (out / "bin" / "out_memory.bin").mkdir()
    with pytest.raises(HostError, match="directory"):
        looking.get_symbol(x, y, "A", np.float32)


def test_layouts(tmp_path):
    layout = SdkLayout()
    for call in (
        lambda: layout.create_code_region(5, "r", 1, 1),
        lambda: layout.create_code_region("a\0b", "r", 1, 1),
        lambda: layout.hstack(5),
        lambda: layout.hstack([5]),
        lambda: layout.compile(5),
        lambda: layout.create_input_stream_from_loc(5, 5),
    ):
        with pytest.raises(HostError):
            call()


OTHERS = {
    "a number as mapping": lambda: sequin.Mapping(5),
    "a number as axes": lambda: sequin.Mapping("A", axes=5),
    "a mapping without UTF-8": lambda: sequin.Mapping("\udc80", axes="A=4"),
    "numbers for a table": lambda: sequin.Mapping("A ? t", axes="A=4", tables={"t": 5}),
    "a number as buffer": lambda: sequin.Mapping("A", axes="A=4").derive(buffer="A", segments=HUGE),
    "a number as machine": lambda: sequin.machine(5),
    "a number as program": lambda: sequin.compile(5),
    "many chips": lambda: sequin.compile("module {}", target="rngd", chips=HUGE),
    "a number as einsum": lambda: sequin.compile_einsum(5, "m=4", dtype="bf16"),
    "a number as sizes": lambda: sequin.compile_einsum("m->m", 5, dtype="bf16"),
    "an array of rows that differ": lambda: sequin.einsum("mn->m", [[1], [1, 2]], dtype="bf16"),
    "many steps": lambda: sequin.einsum(
        "mn->m", np.ones((4, 4), np.float32), dtype="bf16", max_steps=HUGE
    ),
}


@pytest.mark.parametrize("name", OTHERS)
def test_calls_of_the_compiler(name):
    with pytest.raises(sequin.Error) as caught:
        OTHERS[name]()
    assert not isinstance(caught.value, HostError)
    if name.startswith("a number"):
        assert isinstance(caught.value, (UsageTypeError, UsageError, sequin.MappingError))


def test_reports_are_whole(tmp_path):
    _, report = sequin.einsum(
        "mk,kn->mn", np.ones((8, 8), np.float32), np.ones((8, 8), np.float32), dtype="bf16",
        return_report=True,
    )
    path = tmp_path / "report.json"
    path.write_text("before")
    with pytest.raises(OSError, match="No such file"):
        report.save(tmp_path / "none" / "report.json")
    with pytest.raises(OSError, match="No space left"):
        report.save("/dev/full")
    assert path.read_text() == "before"
    report.save(path)
    assert json.loads(path.read_text())["cycles"] == report.cycles
    assert [entry.name for entry in tmp_path.iterdir()] == ["report.json"]
