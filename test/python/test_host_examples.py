# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A user's directories as they are: source, host script, commands.sh."""

import os
import re
import shutil
import subprocess

import numpy as np
import pytest
from cerebras.geometry.geometry import IntRectangle, IntVector
from cerebras.sdk.runtime.sdkruntimepybind import (
    FP16TYPE,
    Edge,
    Route,
    RoutingPosition,
    SdkLayout,
    SdkRuntime,
    SdkTarget,
    SimfabConfig,
    get_platform,
)

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
    (tmp_path / "pe.csl").write_text("param n: u16;\ncomptime { @comptime_assert(n == k); }\n")
    layout = SdkLayout(get_platform(target=SdkTarget.WSE3))
    region = layout.create_code_region("pe.csl", "pe", 1, 1)
    region.set_param_all("n", 3)
    region.place(1, 1)
    with pytest.raises(HostError, match=r"does not compile:(.|\n)*pe.csl:2:34: error: .*'k'"):
        layout.compile("out")
    (tmp_path / "pe.csl").write_text("param n: u16;\nconst m: u16 = n;\n")
    assert layout.compile("out").artifacts_path == "out"


SERVER = """
param rx: u16;
param tx: u16;
param size: u16 = 4;
const iq = @get_input_queue(2);
const oq = @get_output_queue(2);
const in = @get_dsd(fabin_dsd, .{ .extent = size, .input_queue = iq });
const out = @get_dsd(fabout_dsd, .{ .extent = size, .output_queue = oq });
const again = @get_local_task_id(9);
task serve() void { @mov32(out, in, .{ .async = true, .activate = again }); }
comptime {
  @bind_local_task(serve, again);
  @activate(again);
  @initialize_queue(iq, .{ .color = @get_color(rx) });
  @initialize_queue(oq, .{ .color = @get_color(tx) });
}
"""


def server(layout, name, x, height=1):
    """A region of SERVER, and its streams."""
    region = layout.create_code_region("server.csl", name, 1, height)
    rx, tx = region.color("rx"), region.color("tx")
    region.set_param_all(rx)
    region.set_param_all(tx)
    region.place(x, 2)
    into = region.create_input_port(rx, Edge.LEFT, [RoutingPosition().set_output(Route.RAMP)], 4)
    out = region.create_output_port(tx, Edge.RIGHT, [RoutingPosition().set_input(Route.RAMP)], 4)
    return region, layout.create_input_stream(into), layout.create_output_stream(out)


@pytest.mark.rows("HST-037", "HST-059")
def test_how_a_server_ends(monkeypatch, tmp_path, capfd):
    """That it is ready for more is no mistake; that words of it are left may be one."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "server.csl").write_text(SERVER)
    layout = SdkLayout(get_platform())
    _, into, out = server(layout, "echo", 3, height=2)
    artifacts = layout.compile("out")
    assert capfd.readouterr().err == ""
    for taken, level, text in [
        (16, "WARNING", ""),
        (16, "INFO", r"INFO: out: stop\(\): nothing moves any more, but\n.*; 2 things wait\n(.|\n)*"),
        (6, "WARNING", rf"WARNING: out: stop\(\): 10 words of stream '{out}', color \d+, were sent "
                       r"to the host and never received\n"),
    ]:
        runner = SdkRuntime(artifacts, get_platform(), memcpy_required=False, msg_level=level)
        runner.load()
        runner.run()
        runner.send(into, np.arange(16, dtype=np.uint32), nonblock=True)
        runner.receive(out, np.zeros(taken, np.uint32), taken)
        runner.stop()
        assert re.fullmatch(text, capfd.readouterr().err)


@pytest.mark.rows("HST-068")
def test_warnings_of_the_compiler(monkeypatch, tmp_path, capfd):
    """Each once, with the regions that it is about; none that misses the host's streams."""
    monkeypatch.chdir(tmp_path)
    former = ".input_queue = iq, .fabric_color = @get_color(rx)"
    (tmp_path / "server.csl").write_text(SERVER.replace(".input_queue = iq", former))
    for level in ("WARNING", "ERROR"):
        layout = SdkLayout(get_platform(), msg_level=level)
        for number, name in enumerate(("one", "two", "three")):
            region, _, _ = server(layout, name, 3 * number, height=3)
            if name != "two":
                # A line of the layout for each.
                for y in range(3):
                    region.set_param(IntVector(0, y), "sise", 4 + y)
        layout.compile("out")
        warnings = [line for line in capfd.readouterr().err.splitlines() if ": warning: " in line]
        server_file = tmp_path / "server.csl"
        assert warnings == ([] if level == "ERROR" else [
            f"out/generated/layout.csl:5:3: warning: module '{server_file}' has no parameter 'sise' "
            "(regions 'one', 'three')",
            f"{server_file}:7:12: warning: field 'fabric_color' on WSE-3 is of releases up to 1.4; "
            "since 2.10 the color is that of the queue: leave the field out "
            "(regions 'one', 'two', 'three')",
        ])


@pytest.mark.rows("HST-068")
def test_warnings_that_streams_do_not_explain(monkeypatch, tmp_path, capfd):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "server.csl").write_text(SERVER)
    layout = SdkLayout(get_platform())
    region = layout.create_code_region("server.csl", "alone", 1, 1)
    for name, links in (("rx", [Route.WEST, Route.RAMP]), ("tx", [Route.RAMP, Route.WEST])):
        color = region.color(name)
        region.set_param_all(color)
        region.paint_all(
            color, [RoutingPosition().set_input(links[0]).set_output(links[1])]
        )
    layout.compile("out")
    text = capfd.readouterr().err
    assert "WEST, off the rectangle (PE 0, 0) (region 'alone')" in text
    assert "on which no program sends (region 'alone')" in text


PE = """
const twice = @import_module("<twice>");
param n: i16;
param scale: f32;
param flip: bool = false;
param kind: u16 = 0;
var words: [4]u32;
var floats: [4]f32;
var shorts: [2]i16;
var halves: [2]u16;
var out = @zeros([9]f32);
var half: @fp16() = 1.0;
task go() void {
  out[0] = @as(f32, twice.of(n));
  out[1] = scale;
  out[2] = if (flip) 1.0 else 0.0;
  out[3] = floats[0] + floats[3];
  out[4] = @as(f32, shorts[0]) + @as(f32, shorts[1]);
  out[5] = @as(f32, words[0]) + @as(f32, words[3]);
  out[6] = @as(f32, halves[1]);
  half = half + @as(@fp16(), 0.001953125);
  out[7] = @as(f32, half);
  out[8] = @as(f32, kind);
}
comptime {
  @bind_local_task(go, @get_local_task_id(9));
  @activate(@get_local_task_id(9));
}
"""


@pytest.mark.rows("HST-068", "HST-069", "HST-070", "HST-073", "HST-074")
@pytest.mark.parametrize("target", [SdkTarget.WSE2, SdkTarget.WSE3])
@pytest.mark.parametrize("half", FP16TYPE)
def test_stacks_parameters_data_and_formats(monkeypatch, tmp_path, target, half):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pe.csl").write_text(PE)
    (tmp_path / "modules").mkdir()
    (tmp_path / "modules" / "twice.csl").write_text(
        "fn of(x: anytype) @type_of(x) { return x + x; }\n"
    )
    platform = get_platform(None, SimfabConfig(suppress_trace=True), target)
    layout = SdkLayout(platform)
    wide = layout.create_code_region("pe.csl", "wide", 2, 1)
    high = layout.create_code_region("pe.csl", "high", 1, 3)
    # How wide, and how high.
    assert layout.hstack([wide, high]) == 3
    assert layout.vstack([wide, high]) == 4
    assert layout.vstack([wide, high], IntVector(1, 2)) == 4
    for region in (wide, high):
        region.set_param_all("n", -3)
        region.set_param_all("scale", 0.1)
    high.set_param(IntVector(0, 1), "flip", True)
    high.set_param(IntVector(0, 2), "scale", np.float32(2.5))
    high.set_param(IntVector(0, 2), "n", np.int16(7))
    high.set_param_range(IntRectangle(IntVector(0, 0), IntVector(1, 2)), "kind", 3)
    # Blocks of two rows and two columns for each PE, and of one row.
    wide.set_symbol_all("floats", np.arange(8, dtype=np.float32).reshape(2, 4), 4, 2)
    wide.set_symbol_all("words", np.arange(1000, 1008, dtype=np.uint32), 4, 2)
    wide.set_symbol_all("shorts", np.arange(-5, -1, dtype=np.int16), 4, 1)
    wide.set_symbol_all("halves", np.arange(65000, 65004, dtype=np.uint16), 4, 1)
    high.set_symbol_all("floats", np.arange(12, dtype=np.float32), 4, 3)
    runner = SdkRuntime(
        layout.compile("out", libs=["modules"], f16_type=half), platform, memcpy_required=False
    )
    runner.load()
    runner.run()
    runner.stop()
    # Of the three formats bf16 alone has no such number.
    rounded = 1.0 if half is FP16TYPE.BF16 else 1.001953125
    expected = {
        (1, 2): [-6, 0.1, 0, 5, -9, 2005, 65001, rounded, 0],
        (2, 2): [-6, 0.1, 0, 9, -5, 2009, 65003, rounded, 0],
        (1, 3): [-6, 0.1, 0, 3, 0, 0, 0, rounded, 3],
        (1, 4): [-6, 0.1, 1, 11, 0, 0, 0, rounded, 3],
        (1, 5): [14, 2.5, 0, 19, 0, 0, 0, rounded, 0],
    }
    for (x, y), values in expected.items():
        found = runner.read_symbol(x, y, "out", np.float32)
        assert found.tolist() == np.float32(values).tolist(), (x, y)


@pytest.mark.rows("HST-006", "HST-033")
def test_copies_without_memcpy_are_a_warning(monkeypatch, tmp_path, build, capfd):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pe.csl").write_text("""
const sys_mod = @import_module("<memcpy/memcpy>");
var a = [2]f32 { 1.5, 2.5 };
var a_ptr: [*]f32 = &a;
fn main() void { sys_mod.unblock_cmd_stream(); }
comptime { @export_symbol(a_ptr, "a"); @export_symbol(main); }
""")
    (tmp_path / "layout.csl").write_text("""
layout {
  @set_rectangle(1, 1);
  @set_tile_code(0, 0, "pe.csl");
  @export_name("a", [*]f32, true);
  @export_name("main", fn() void);
}
""")
    flags = ["--fabric-dims=8,3", "--fabric-offsets=4,1", "--arch=wse3"]
    for memcpy in ([], ["--memcpy", "--channels=1"]):
        subprocess.run(
            [build / "bin" / "compat" / "cslc", "layout.csl", *flags, *memcpy], check=True
        )
        capfd.readouterr()
        with SdkRuntime("out", memcpy_required=bool(memcpy)) as runner:
            assert runner.read_symbol(0, 0, "a", np.float32).tolist() == [1.5, 2.5]
            assert capfd.readouterr().err == ""
            runner.launch("main", nonblock=False)
            warned = capfd.readouterr().err
            assert ("launch(): the program was compiled without --memcpy" in warned) == (not memcpy)
            data = np.zeros(2, np.float32)
            runner.memcpy_d2h(data, runner.get_id("a"), 0, 0, 1, 1, 2)
            # Once is enough.
            assert capfd.readouterr().err == "" and data.tolist() == [1.5, 2.5]
