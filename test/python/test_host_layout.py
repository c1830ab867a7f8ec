# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""SdkLayout: colors, ways and streams. Programs of regions are csl modules here, so that
what was routed is run without the front end."""

import json
import re
import subprocess

import numpy as np
import pytest
from cerebras.geometry.geometry import IntRectangle, IntVector
from cerebras.sdk.runtime.sdkruntimepybind import (
    FP16TYPE,
    Color,
    Edge,
    Route,
    RoutingPosition,
    SdkLayout,
    SdkRuntime,
    SdkTarget,
    get_edge_routing,
    get_platform,
)
from conftest import BUILD

from sequin.errors import HostError, HostTypeError
from sequin.host import layout as layout_module
from sequin.host.emit import blocks, color_config, layout_text, literal
from sequin.host.router import Fabric, Position

# Adds `more` to every word of color rx and sends it on color tx.
ADD = """
  csl.param @rx : !csl.color
  csl.param @tx : !csl.color
  csl.param @more : i16 = 1 : i16
  csl.var @seen : memref<4xi32>
  csl.task data @add(%w: i32) {
    %m = csl.get_param @more : i16
    %n = arith.extsi %m : i16 to i32
    %s = arith.addi %w, %n : i32
    %q = csl.constant 2 : !csl.output_queue
    %out = csl.fabout_dsd queue %q extent 1
    csl.mov32 %out = %s : !csl.dsd<fabout> = i32
    csl.return
  }
  csl.comptime {
    %in = csl.get_param @rx : !csl.color
    %out = csl.get_param @tx : !csl.color
    %iq = csl.constant 2 : !csl.input_queue
    %oq = csl.constant 2 : !csl.output_queue
    csl.initialize_queue %iq : !csl.input_queue color %in
    csl.initialize_queue %oq : !csl.output_queue color %out
    %id = csl.get_data_task_id %iq : !csl.input_queue
    csl.bind_data_task @add to %id
  }
"""


def compile_as_mlir(directory, fabric, regions, *, arch, fp16, libs, cslc_prefix):
    """In place of cslc: the same layout as a csl module."""
    lines = [f'module attributes {{csl.target = #csl.target<"{arch}">}} {{', "csl.program @none {}"]
    lines += [f"csl.program @{r.name} {{{r.source.read_text()}}}" for r in regions]
    size = f"{fabric.width} x {fabric.height}"
    lines.append(f"csl.layout {size} fabric {size} at 0, 0 {{")
    for y in range(fabric.height):
        for x in range(fabric.width):
            region, params = fabric.regions.get((x, y)), ""
            if region is not None:
                local = (x - region.origin.x, y - region.origin.y)
                params = ", ".join(
                    f"{name} = {literal(name, value)} : i16"
                    for name, value in region.params.get(local, {}).items()
                )
            name = region.name if region is not None else "none"
            lines.append(f"csl.tile_code @{name} at <{x}, {y}> params {{{params}}}")
    for (x, y), colors in fabric.cells.items():
        for color, positions in colors.items():
            rx, tx = (
                ", ".join(route.name for route in links)
                for links in (positions[0].rx, positions[0].tx)
            )
            lines.append(f"csl.color_config {color} at <{x}, {y}> routes <rx [{rx}] tx [{tx}]>")
    lines.append("}}")
    (directory / "bin").mkdir(parents=True)
    module = directory / "module.mlir"
    module.write_text("\n".join(lines))
    subprocess.run(
        [BUILD / "bin" / "sequin-translate", "--csl-to-json", module,
         "-o", directory / "bin" / "out_program.json"],
        check=True,
        timeout=120,
    )
    (directory / "out.json").write_text('{"version": 1, "program": "bin/out_program.json"}')
    return ""


@pytest.fixture
def compiled_layout(monkeypatch, tmp_path):
    monkeypatch.setattr(layout_module, "compile_layout", compile_as_mlir)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "add.csl").write_text(ADD)
    return tmp_path


def ramp(**links):
    """A position between the ramp and the outside."""
    position = RoutingPosition()
    return position.set_input(links["rx"]) if "rx" in links else position.set_output(links["tx"])


def add_region(layout, name, x, y, width=1, height=1, left=Edge.LEFT, right=Edge.RIGHT, more=1):
    """A region of ADD with ports on two edges."""
    region = layout.create_code_region("./add.csl", name, width, height)
    rx, tx = region.color("rx"), region.color("tx")
    region.set_param_all(rx)
    region.set_param_all(tx)
    region.set_param_all("more", more)
    if x is not None:
        region.place(x, y)
    return (
        region,
        region.create_input_port(rx, left, [ramp(tx=[Route.RAMP])], 8),
        region.create_output_port(tx, right, [ramp(rx=[Route.RAMP])], 8),
    )


def start(artifacts):
    runner = SdkRuntime(artifacts, get_platform(), memcpy_required=False)
    runner.load()
    runner.run()
    return runner


def test_a_color_is_what_the_program_declares():
    """Up to release 1.4 a parameter of a color was of type color, since then of a number."""
    color = Color("rx", 5)
    program = "param size: u16;\n  param rx : color;\nparam tx: u16;\n// param more: color;\n"
    with pytest.warns(FutureWarning, match="'rx' of type 'color' .* up to 1.4; since 2.10 it is the"):
        assert literal("rx", color, program) == "@get_color(5)"
    assert literal("tx", color, program) == "5"
    assert literal("more", color, program) == "5"
    assert literal("size", 3, program) == "3"


@pytest.mark.rows("HST-059", "HST-064", "HST-065", "HST-067", "HST-033", "HST-032")
def test_one_pe_between_two_streams(compiled_layout):
    layout = SdkLayout(get_platform())
    _, rx, tx = add_region(layout, "one", 4, 4, more=5)
    names = layout.create_input_stream(rx), layout.create_output_stream(tx)
    runner = start(layout.compile("out", save_port_map=True))
    words, result = np.arange(30, dtype=np.uint32), np.zeros(30, np.uint32)
    runner.send(names[0], words, nonblock=True)
    runner.receive(names[1], result, 30, nonblock=False)
    assert result.tolist() == (words + 5).tolist()
    # By number, of other types, and only some of them.
    ports = [runner.get_port_id(name) for name in names]
    task = runner.receive(ports[1], result, 3, nonblock=True)
    runner.send(ports[0], np.float32([0, 0, 0]), 3, nonblock=False)
    runner.task_wait(task)
    assert result[:4].tolist() == [5, 5, 5, 8]
    # In the other order of bytes the values are the same.
    swapped = np.zeros(3, ">u4")
    runner.send(ports[0], np.array([7, 8, 9], ">i4"), nonblock=True)
    runner.receive(ports[1], swapped)
    assert swapped.tolist() == [12, 13, 14]
    runner.send(ports[0], np.array([1, 0, 2, 0], ">i2"), 2)
    runner.receive(ports[1], swapped, 2)
    assert swapped.tolist() == [6, 7, 14]
    runner.send(ports[0], np.int16([1, 0, 2, 0]), 2)
    runner.receive_tofile(ports[1], "words.bin")
    assert np.fromfile("words.bin", np.uint32).tolist() == [6, 7]
    report = runner.report_port_infos()
    assert all(name in report for name in names)
    with pytest.raises(HostError, match="there is no port 'nowhere', there are"):
        runner.get_port_id("nowhere")
    with pytest.raises(HostError, match="no port .* to the device"):
        runner.send(names[1], words)
    with pytest.raises(HostError, match="30 elements of uint32, 120 bytes, expected n_wavelets = 31"):
        runner.send(names[0], words, 31)
    with pytest.raises(TypeError, match="float64, 8 bytes per element"):
        runner.send(names[0], words.astype(np.float64))
    runner.stop()
    ports = json.loads((compiled_layout / "out" / "port_map.json").read_text())
    assert [port["name"] for port in ports] == list(names)
    # The host is at the west or east border.
    assert all(port["side"] in ("WEST", "EAST") for port in ports)


@pytest.mark.rows("HST-059", "HST-070")
def test_a_region_that_is_alone_needs_no_place(compiled_layout):
    layout = SdkLayout(get_platform())
    _, rx, tx = add_region(layout, "one", None, None, more=5)
    names = layout.create_input_stream(rx), layout.create_output_stream(tx)
    runner = start(layout.compile("out"))
    result = np.zeros(5, np.uint32)
    # The beginning of the array is sent.
    runner.send(names[0], np.arange(9, dtype=np.uint32), 5, nonblock=True)
    runner.receive(names[1], result, 5, nonblock=False)
    runner.stop()
    assert result.tolist() == [5, 6, 7, 8, 9]
    assert runner.read_symbol(0, 0, "seen").size == 16
    # With a second one it does.
    layout = SdkLayout(get_platform())
    add_region(layout, "one", None, None)
    add_region(layout, "two", 3, 3)
    with pytest.raises(HostError, match=r"region 'one' has no place; call place\(x, y\), which"):
        layout.route()


@pytest.mark.rows("HST-066", "HST-069", "HST-070", "HST-071")
def test_ways_go_around_what_is_in_between(compiled_layout):
    layout = SdkLayout(SdkTarget.WSE3)
    first, rx, between = add_region(layout, "first", 2, 2)
    wall = layout.create_code_region("./add.csl", "wall", 1, 3)
    color = wall.color("c")
    wall.set_param_all("rx", color)
    wall.set_param_all("tx", color)
    wall.place(4, 1)
    last, then, tx = add_region(layout, "last", 6, 2, more=100)
    layout.connect(between, then)
    names = layout.create_input_stream(rx), layout.create_output_stream(tx)
    fabric, _ = layout.route()
    # Connected ports have one color; the way keeps off the wall.
    assert first.colors["tx"].get_value() == last.colors["rx"].get_value()
    assert not any((4, y) in fabric.cells for y in (1, 2, 3))
    runner = start(layout.compile("out"))
    result = np.zeros(50, np.uint32)
    runner.send(names[0], np.arange(50, dtype=np.uint32), nonblock=True)
    runner.receive(names[1], result, 50)
    runner.stop()
    assert result.tolist() == list(range(101, 151))


@pytest.mark.rows("HST-066", "HST-070", "HST-055")
def test_edges_of_several_pes_are_connected_one_by_one(compiled_layout):
    layout = SdkLayout(get_platform())
    # A column of three sends its own constants to the next column.
    (compiled_layout / "send.csl").write_text("""
  csl.param @tx : !csl.color
  csl.var @data : memref<2xi32>
  csl.task local @go() {
    %d = csl.get_var @data : memref<2xi32>
    %m = csl.mem1d_dsd %d : memref<2xi32> extent 2
    %q = csl.constant 2 : !csl.output_queue
    %out = csl.fabout_dsd queue %q extent 2
    csl.mov32 %out = %m : !csl.dsd<fabout> = !csl.dsd<mem1d> async
    csl.return
  }
  csl.comptime {
    %out = csl.get_param @tx : !csl.color
    %oq = csl.constant 2 : !csl.output_queue
    csl.initialize_queue %oq : !csl.output_queue color %out
    %id = csl.constant 9 : !csl.local_task_id
    csl.bind_local_task @go to %id
    csl.activate %id
  }
""")
    (compiled_layout / "take.csl").write_text("""
  csl.param @rx : !csl.color
  csl.var @sum : memref<i32> = dense<0> : tensor<i32>
  csl.task data @add(%w: i32) {
    %v = csl.get_var @sum : memref<i32>
    %o = memref.load %v[] : memref<i32>
    %s = arith.addi %o, %w : i32
    memref.store %s, %v[] : memref<i32>
    csl.return
  }
  csl.comptime {
    %in = csl.get_param @rx : !csl.color
    %iq = csl.constant 2 : !csl.input_queue
    csl.initialize_queue %iq : !csl.input_queue color %in
    %id = csl.get_data_task_id %iq : !csl.input_queue
    csl.bind_data_task @add to %id
  }
""")
    send = layout.create_code_region("send.csl", "send", 1, 3)
    tx = send.color("tx")
    send.set_param_all(tx)
    data = np.arange(1, 7).astype(">i4").reshape(3, 2)
    send.set_symbol_all("data", data, 2, 3)
    out = send.create_output_port(tx, Edge.RIGHT, [ramp(rx=[Route.RAMP])], 2)
    take = layout.create_code_region("take.csl", "take", 2, 3)
    rx = take.color("rx", 7)
    take.set_param_all(rx)
    take.paint_all(rx, [RoutingPosition().set_input([Route.WEST]).set_output([Route.RAMP])])
    both = RoutingPosition().set_output([Route.RAMP]).add_output(Route.EAST)
    into = take.create_input_port(rx, Edge.LEFT, [both], 2)
    layout.connect(out, into)
    assert layout.hstack([send, take], IntVector(1, 1)) == 3
    runner = start(layout.compile("out"))
    runner.stop()
    for x in (2, 3):
        for y in range(3):
            assert runner.read_symbol(x, 1 + y, "sum", np.int32) == [data[y].sum()]
    # Given at the other end, and chosen here.
    assert tx.get_value() == 7 and tx.get_global_name() == "send_tx"
    assert tx.get_local_param_name() == "tx"


@pytest.mark.rows("HST-067", "HST-070", "HST-072", "HST-073", "HST-074")
def test_streams_at_places_and_painted_ranges(compiled_layout):
    layout = SdkLayout(get_platform())
    region = layout.create_code_region("add.csl", "row", 3, 1)
    rx, tx = Color("rx"), Color("tx", 11)
    region.set_param_range(IntRectangle(IntVector(0, 0), IntVector(3, 1)), rx)
    region.set_param_all(tx)
    region.set_param(IntVector(2, 0), "more", 7)
    # Only the last PE takes what comes from the west, and sends it north.
    west = RoutingPosition().set_input([Route.WEST])
    region.paint_range(
        IntRectangle(IntVector(0, 0), IntVector(2, 1)), rx, [west.set_output([Route.EAST])]
    )
    region.paint(IntVector(2, 0), rx, [RoutingPosition().set_input([Route.WEST])
                                       .set_output([Route.RAMP])])
    region.paint(IntVector(2, 0), tx, [RoutingPosition().set_input([Route.RAMP])
                                       .set_output([Route.NORTH])])
    region.place(0, 0)
    names = (
        layout.create_input_stream_from_loc(IntVector(0, 0), rx),
        layout.create_output_stream_from_loc(IntVector(2, 0), tx, "p_"),
    )
    assert names[1].startswith("p_")
    runner = start(layout.compile("out"))
    result = np.zeros(2, np.uint32)
    runner.send(names[0], np.uint32([1, 2]))
    runner.receive(names[1], result)
    runner.stop()
    assert result.tolist() == [8, 9]


@pytest.mark.rows("HST-070", "HST-072")
def test_edge_routes_and_switches(compiled_layout):
    layout = SdkLayout(get_platform())
    region = layout.create_code_region("add.csl", "box", 3, 2)
    color = region.color("c")
    inner = [RoutingPosition().set_input([Route.RAMP]).set_output([Route.EAST])]
    last = [
        RoutingPosition().set_input([Route.WEST]).set_output([Route.RAMP]),
        RoutingPosition().set_input([Route.WEST]).set_output([Route.SOUTH]),
    ]
    region.paint_all(color, inner, [get_edge_routing(Edge.RIGHT, last)])
    region.place(1, 1)
    fabric, streams = layout.route()
    assert streams == []
    number = color.get_value()
    assert fabric.cells[2, 1][number] == [Position({Route.RAMP}, {Route.EAST})]
    assert fabric.cells[3, 2][number] == [
        Position({Route.WEST}, {Route.RAMP}), Position({Route.WEST}, {Route.SOUTH})
    ]
    # Not every color can switch.
    for other in range(10):
        region.color(f"c{other}")
    layout.route()
    assert color.get_value() in (*range(10), 12, 13, 16, 17, 20, 21)
    assert last[0].get_input() == [Route.WEST] and last[1].get_output() == [Route.SOUTH]


def test_a_stream_may_say_where_it_enters(compiled_layout):
    layout = SdkLayout(get_platform())
    _, rx, tx = add_region(layout, "one", 2, 2)
    layout.create_input_stream(rx, io_loc=IntVector(5, 0), io_buffer_size=16)
    layout.create_output_stream(tx)
    fabric, streams = layout.route()
    assert (fabric.width, fabric.height) == (6, 4)
    assert streams[0].place == (5, 0) and streams[0].side is Route.EAST
    assert {place[0] for place in (streams[1].place,)} <= {0, 5}


@pytest.mark.rows("HST-059", "HST-067", "HST-070")
@pytest.mark.parametrize(("left", "right", "x"), [
    (Edge.LEFT, Edge.RIGHT, 2), (Edge.RIGHT, Edge.LEFT, 3), (Edge.TOP, Edge.BOTTOM, 1),
    (Edge.BOTTOM, Edge.TOP, 9),
])
def test_streams_of_whole_edges(compiled_layout, left, right, x):
    layout = SdkLayout(get_platform())
    width, height = (3, 1) if left in (Edge.TOP, Edge.BOTTOM) else (1, 3)
    region, rx, tx = add_region(layout, "wide", x, 4, width, height, left, right)
    for lane in range(3):
        at = IntVector(lane, 0) if width > 1 else IntVector(0, lane)
        region.set_param(at, "more", 100 * lane)
    # Others in the row make the fabric wide: the border is nearer in the west or the east.
    (compiled_layout / "idle.csl").write_text("")
    layout.create_code_region("./idle.csl", "far", 1, 1).place(12, 0)
    into, out = layout.create_input_stream(rx), layout.create_output_stream(tx)
    runner = start(layout.compile("out"))
    words = np.arange(12, dtype=np.uint32)
    result = np.zeros((3, 4), np.uint32)
    for call, text in [
        (lambda: runner.send(into, words[:10]), "10 words cannot be divided among the 3 PEs"),
        (lambda: runner.receive(out, result, 4), "4 words cannot be divided among the 3 PEs"),
        (lambda: runner.send("nobody", words), f"there are '{into}'$"),
    ]:
        with pytest.raises(HostError, match=text):
            call()
    assert runner.get_port_id(into) == 0 and runner.get_port_id(out) == 3
    sent = runner.send(into, words, nonblock=True)
    runner.receive(out, result)
    assert result.tolist() == [[100 * k + 4 * k + i for i in range(4)] for k in range(3)]
    runner.task_wait(sent)
    assert runner.is_task_done(sent)
    # By number, and in parts.
    runner.send(0, words[:6], 6)
    runner.receive_tofile(3, compiled_layout / "words", 6)
    parts = np.fromfile(compiled_layout / "words", np.uint32).reshape(3, 2)
    assert parts.tolist() == [[100 * k + 2 * k + i for i in range(2)] for k in range(3)]
    assert runner.report_port_infos().count(f"'{out}[") == 3
    runner.stop()


def test_a_wide_stream_may_say_where_it_enters(compiled_layout):
    layout = SdkLayout(get_platform())
    _, rx, tx = add_region(layout, "one", 2, 2, 1, 2)
    layout.create_input_stream(rx, io_loc=IntVector(0, 1))
    layout.create_output_stream(tx)
    _, streams = layout.route()
    assert [(s.name, s.place) for s in streams[:2]] == [
        ("one_rx_left_in[0]", (0, 1)), ("one_rx_left_in[1]", (0, 2))
    ]
    far = SdkLayout(get_platform())
    # The PE in the middle has others of the region around it and nothing above.
    _, rx, tx = add_region(far, "one", 2, 0, 3, 2, Edge.TOP)
    far.create_input_stream(rx)
    with pytest.raises(HostError, match=r"no way for stream 'one_rx_top_in\[1\]' of the host"):
        far.route()


def test_ports_of_one_pe_have_different_colors(compiled_layout):
    layout = SdkLayout(get_platform())
    region, rx, tx = add_region(layout, "one", 2, 2, 2, 2)
    region.create_input_port(rx.color, Edge.TOP, [ramp(tx=[Route.RAMP])], 8)
    with pytest.raises(HostError, match=r"port 'one_rx_left_in'> and <port 'one_rx_top_in'> "
                                        r"both have routes for .* on PE \(0, 0\)"):
        layout.route()


# One source may feed several ports; in a row one way is a part of the other.
@pytest.mark.parametrize("places", [((5, 1), (5, 5)), ((5, 3), (8, 3))])
def test_one_output_for_two_inputs(compiled_layout, places):
    layout = SdkLayout(get_platform())
    _, rx, tx = add_region(layout, "source", 2, 3)
    _, rx1, tx1 = add_region(layout, "upper", *places[0], more=10)
    _, rx2, tx2 = add_region(layout, "lower", *places[1], more=20)
    layout.connect(tx, rx1)
    layout.connect(tx, rx2)
    into = layout.create_input_stream(rx)
    upper, lower = layout.create_output_stream(tx1), layout.create_output_stream(tx2)
    runner = start(layout.compile("out"))
    results = np.zeros((2, 9), np.uint32)
    runner.send(into, np.arange(9, dtype=np.uint32), nonblock=True)
    runner.receive(upper, results[0])
    runner.receive(lower, results[1])
    runner.stop()
    assert results.tolist() == [list(range(11, 20)), list(range(21, 30))]


@pytest.mark.rows("HST-071", "FAB-014")
def test_an_input_port_has_one_source(compiled_layout):
    layout = SdkLayout(get_platform())
    _, _, tx = add_region(layout, "one", 1, 1)
    _, rx, _ = add_region(layout, "two", 5, 5)
    _, fed, _ = add_region(layout, "three", 9, 9)
    layout.connect(tx, rx)
    for again in (lambda: layout.connect(tx, rx), lambda: layout.create_input_stream(rx)):
        with pytest.raises(HostError, match="already gets its data from .*one"):
            again()
    layout.create_input_stream(fed)
    with pytest.raises(HostError, match="already gets its data from stream"):
        layout.connect(tx, fed)


@pytest.mark.rows("HST-064", "HST-065", "HST-066", "HST-070", "HST-071")
def test_refused(compiled_layout):
    layout = SdkLayout(get_platform())
    region, rx, tx = add_region(layout, "one", 1, 1, 2, 2)
    other, rx2, tx2 = add_region(layout, "two", 5, 5)
    small = region.create_output_port(region.color("s"), Edge.TOP, [ramp(rx=[Route.RAMP])], 3)
    cases = [
        (lambda: SdkLayout("fabric.json"), HostError, "made for a platform or an SdkTarget"),
        (lambda: SdkLayout(get_platform(), msg_level="x"), HostError, "expected one of DEBUG"),
        (lambda: layout.create_code_region("no.csl", "x", 1, 1), HostError,
         "'no.csl', which is no file"),
        (lambda: layout.create_code_region("add.csl", "one", 1, 1), HostError,
         "already has a region 'one'"),
        (lambda: layout.create_code_region("add.csl", "x", 0, 1), HostError, "width is 0"),
        (lambda: Color("c", 24), HostError, "has value 24, colors are 0 to 23"),
        (lambda: region.color("rx"), HostError, "already has a color 'rx'"),
        (lambda: region.paint(IntVector(2, 0), rx.color, [RoutingPosition()]), HostError,
         r"PE \(2, 0\) is not in region 'one' of 2 x 2 PEs"),
        (lambda: region.paint_all(rx.color, [RoutingPosition()] * 5), HostError,
         "5 routing positions, a switch has 1 to 4"),
        (lambda: region.paint_all("red", [RoutingPosition()]), HostTypeError, "is no Color"),
        (lambda: region.paint_all(rx.color, [RoutingPosition()],
                                  get_edge_routing(Edge.RIGHT, [RoutingPosition()])),
         HostTypeError, "edge_routes is .*, expected a list"),
        (lambda: region.paint_all(rx.color, [Route.EAST]), HostTypeError,
         "expected a list of RoutingPosition"),
        (lambda: RoutingPosition().set_input([Route.EAST]).add_input(Route.EAST), HostError,
         "names a route twice"),
        (lambda: RoutingPosition().set_output(["EAST"]), HostTypeError, "expected a Route"),
        (lambda: IntRectangle(IntVector(1, 1), IntVector(1, 2)), HostError, "is empty"),
        (lambda: region.create_input_port(rx.color, Edge.LEFT, [ramp(tx=[Route.RAMP])], 8),
         HostError, "already has a port"),
        (lambda: layout.connect(rx, tx), HostError, "expected an output port"),
        (lambda: layout.connect(tx, rx2), HostError, "has 2 PEs, .* has 1"),
        (lambda: layout.connect(small, rx), HostError, "data of size 3, .* of size 8"),
        (lambda: layout.create_input_stream(tx2), HostError, "is an output port"),
        (lambda: region.set_param_all("n"), HostError, "parameter 'n' has no value"),
        (lambda: region.set_param(IntVector(0, 0), rx.color, 3), HostError, "its own value"),
        (lambda: region.set_symbol_all("seen", np.zeros(9), 3, 3), HostTypeError, "is float64"),
        (lambda: region.set_symbol_all("seen", np.zeros(9, np.int32), 3, 3), HostError,
         "3 x 3 elements are no multiple of the 2 x 2 PEs"),
        (lambda: region.set_symbol_all("seen", np.zeros(9, np.int32), 2, 4), HostError,
         "has 9 elements, expected width \\* height = 8"),
    ]
    for call, kind, text in cases:
        with pytest.raises(kind, match=text):
            call()

    def refused(text):
        with pytest.raises(HostError, match=text):
            layout.route()

    other.place(2, 2)
    refused(r"regions 'one' and 'two' are both on PE \(2, 2\)")
    other.origin = None
    refused("region 'two' has no place")
    other.place(5, 5)
    region.set_symbol_all("seen", np.zeros((2, 10), np.int32), 10, 2)
    with pytest.raises(HostError, match="port 'one_rx_left_in'> is connected to nothing"):
        layout.compile("large")
    layout.create_input_stream(rx)
    with pytest.raises(HostError, match="port 'one_tx_right_out'> is connected to nothing; "
                                        r"connect\(\) and create_output_stream\(\) do"):
        layout.compile("large")
    for port in (tx, small, tx2):
        layout.create_output_stream(port)
    layout.create_input_stream(rx2)
    with pytest.raises(HostError, match="'seen' of PE .* has 16 bytes, found data of 20"):
        layout.compile("large")
    region.data.clear()
    layout.create_input_stream_from_loc(IntVector(0, 0), Color("nobody"))
    refused(r"PE \(0, 0\) has no routes for Color\('nobody'")


# The outer side of a port is found, the inner one has to be given.
@pytest.mark.rows("HST-070")
@pytest.mark.parametrize(("port", "positions", "text"), [
    ("out", [ramp(rx=[Route.RAMP]).set_output([Route.NORTH])],
     "port 'one_c_right_out'>, an output port of Color('one_c'), has output routes: NORTH; "
     "compile() finds them, write RoutingPosition().set_input([Route.RAMP])"),
    ("out", [RoutingPosition()],
     "port 'one_c_right_out'>, an output port of Color('one_c'), has no input route; write "
     "RoutingPosition().set_input([Route.RAMP])"),
    ("in", [ramp(tx=[Route.RAMP]).set_input([Route.SOUTH, Route.WEST])],
     "port 'one_c_right_in'>, an input port of Color('one_c'), has input routes: SOUTH, WEST; "
     "compile() finds them, write RoutingPosition().set_output([Route.RAMP])"),
    ("in", [RoutingPosition()],
     "port 'one_c_right_in'>, an input port of Color('one_c'), has no output route; write "
     "RoutingPosition().set_output([Route.RAMP])"),
    ("in", [ramp(tx=[Route.RAMP]), ramp(tx=[Route.SOUTH]).set_input(Route.EAST)],
     "has input routes in position 1: EAST; compile() finds them, write "
     "RoutingPosition().set_output([Route.SOUTH])"),
    ("in", [RoutingPosition(), ramp(tx=[Route.SOUTH])], "has no output route; write"),
])
def test_routes_of_ports(compiled_layout, port, positions, text):
    layout = SdkLayout(get_platform())
    region, rx, tx = add_region(layout, "one", 1, 1)
    layout.create_input_stream(rx)
    layout.create_output_stream(tx)
    if port == "in":
        layout.create_input_stream(
            region.create_input_port(region.color("c"), Edge.RIGHT, positions, 8)
        )
    else:
        layout.create_output_stream(
            region.create_output_port(region.color("c"), Edge.RIGHT, positions, 8)
        )
    with pytest.raises(HostError, match="region 'one': .*" + re.escape(text)):
        layout.compile("out")


# A net branches where all links of its first PE are taken.
def test_ways_of_a_net_branch():
    fabric = Fabric(6, 3, {})
    for place in ((0, 0), (0, 2)):
        fabric.positions(place, 1)
    ways = []
    for goal in ((4, 1), (3, 0)):
        way = fabric.find(1, (0, 1), ("port", (0, 1)), Route.EAST, lambda p, g=goal: p == g, None)
        assert way is not None
        fabric.lay(way, 1, ("port", (0, 1)), ((0, 1), goal))
        ways.append(way.places)
    assert ways[0][0] == (0, 1)
    assert ways[1][0] in ways[0][1:-1]


# More colors than there are, in regions that have nothing in common.
@pytest.mark.rows("HST-066")
def test_numbers_of_colors_are_used_again(compiled_layout):
    layout = SdkLayout(get_platform())
    colors = []
    for number in range(6):
        region = layout.create_code_region("add.csl", f"r{number}", 1, 1)
        region.place(2 * number, 0)
        colors.append([region.color(f"c{i}") for i in range(5)])
        for color in colors[-1]:
            region.paint_all(color, [ramp(tx=[Route.RAMP])])
    layout.route()
    assert all(len({c.get_value() for c in of_region}) == 5 for of_region in colors)
    # What was chosen is chosen anew.
    tx = layout._regions[0].create_output_port(
        layout._regions[0].color("tx"), Edge.BOTTOM, [ramp(rx=[Route.RAMP])], 1
    )
    rx = layout._regions[1].create_input_port(
        layout._regions[1].color("rx"), Edge.BOTTOM, [ramp(tx=[Route.RAMP])], 1
    )
    layout.route()
    layout.connect(tx, rx)
    layout.route()
    assert tx.color.get_value() == rx.color.get_value()


# A position may be changed after it was painted.
@pytest.mark.rows("HST-066")
def test_positions_are_taken_as_they_are(compiled_layout):
    layout = SdkLayout(get_platform())
    region = layout.create_code_region("add.csl", "r", 2, 1)
    region.place(0, 0)
    color = region.color("c", 3)
    position = RoutingPosition().set_input([Route.RAMP]).set_output([Route.EAST])
    region.paint(IntVector(0, 0), color, [position])
    position.set_input([Route.WEST]).set_output([Route.RAMP])
    region.paint(IntVector(1, 0), color, [position])
    fabric, _ = layout.route()
    assert fabric.cells[0, 0][3] == [Position({Route.RAMP}, {Route.EAST})]
    assert fabric.cells[1, 0][3] == [Position({Route.WEST}, {Route.RAMP})]


@pytest.mark.rows("HST-066", "HST-071")
def test_colors_that_contradict_each_other(compiled_layout):
    layout = SdkLayout(get_platform())
    ports = []
    for name, value, x in (("a", 3, 1), ("b", 4, 4)):
        region = layout.create_code_region("add.csl", name, 1, 1)
        region.place(x, 1)
        make = region.create_output_port if name == "a" else region.create_input_port
        position = ramp(rx=[Route.RAMP]) if name == "a" else ramp(tx=[Route.RAMP])
        ports.append(make(region.color("c", value), Edge.RIGHT, [position], 1))
    layout.connect(*ports)
    with pytest.raises(HostError, match="connected ports have different colors: Color"):
        layout.route()
    crowded = SdkLayout(get_platform())
    region = crowded.create_code_region("add.csl", "r", 1, 1)
    region.place(1, 1)
    for number in range(25):
        region.color(f"c{number}")
    with pytest.raises(HostError, match="no color is left for Color"):
        crowded.route()


def test_no_way(compiled_layout):
    layout = SdkLayout(get_platform())
    region, rx, tx = add_region(layout, "one", 0, 0, 1, 1)
    other, rx2, tx2 = add_region(layout, "two", 2, 0, 1, 1)
    # A ring of the same color around the first.
    wall = layout.create_code_region("add.csl", "wall", 1, 1)
    wall.paint_all(tx.color, [RoutingPosition().set_input([Route.RAMP]).set_output([Route.EAST])])
    wall.place(1, 0)
    below = layout.create_code_region("add.csl", "below", 1, 1)
    below.paint_all(tx.color, [RoutingPosition().set_input([Route.RAMP]).set_output([Route.EAST])])
    below.place(0, 1)
    layout.connect(tx, rx2)
    with pytest.raises(HostError, match="there is no way for the connection"):
        layout.route()


# The text for cslc.


@pytest.mark.rows("HST-065", "HST-070")
def test_text(compiled_layout):
    layout = SdkLayout(get_platform())
    region, rx, tx = add_region(layout, "one", 1, 0, 2, 1)
    region.set_param(IntVector(1, 0), "scale", np.float32(0.5))
    region.set_param(IntVector(1, 0), "last", True)
    region.paint_all(region.color("c", 9), [
        RoutingPosition().set_input([Route.RAMP]).set_output([Route.EAST]),
        RoutingPosition().set_input([Route.WEST]).set_output([Route.EAST]),
        RoutingPosition().set_input([Route.RAMP]).set_output([Route.WEST, Route.SOUTH]),
    ])
    layout.create_input_stream(rx)
    fabric, _ = layout.route()
    text = layout_text(fabric, [region], compiled_layout / "passing.csl")
    source = compiled_layout / "add.csl"
    rx_number, tx_number = rx.color.get_value(), tx.color.get_value()
    assert f"""  @set_rectangle(4, 2);
  // region 'one'
  @set_tile_code(1, 0, "{source}", .{{ .rx = {rx_number}, .tx = {tx_number}, .more = 1 }});
  @set_tile_code(2, 0, "{source}", .{{ .rx = {rx_number}, .tx = {tx_number}, .more = 1, \
.scale = 0.5, .last = true }});
""" in text
    assert f"""  for (@range(i16, 0, 4, 1)) |x| {{
    for (@range(i16, 1, 2, 1)) |y| {{
      @set_tile_code(x, y, "{compiled_layout / 'passing.csl'}", .{{}});""" in text
    assert """@set_color_config(x, y, @get_color(9), .{ .routes = .{ .rx = .{ RAMP }, \
.tx = .{ EAST } }, .switches = .{ .pos1 = .{ .rx = WEST }, \
.pos2 = .{ .rx = RAMP, .tx = .{ WEST, SOUTH } } } });""" in text


def test_parts_of_the_text():
    places = [(x, y) for x in range(5) for y in range(4) if (x, y) not in ((0, 0), (2, 2))]
    covered = [
        (x + i, y + j) for x, y, w, h in blocks(places) for j in range(h) for i in range(w)
    ]
    assert sorted(covered) == sorted(places)
    assert blocks([(1, 1), (2, 1), (1, 2), (2, 2)]) == [(1, 1, 2, 2)]
    assert blocks([(0, 0), (0, 2)]) == [(0, 0, 1, 1), (0, 2, 1, 1)]
    assert literal("x", 1e-3) == "0.001" and literal("x", np.int16(-3)) == "-3"
    with pytest.raises(HostError, match="parameter 'x' is nan"):
        literal("x", float("nan"))
    with pytest.raises(HostTypeError, match="parameter 'x' is a list"):
        literal("x", [1])
    both = [Position({Route.WEST}, {Route.RAMP}), Position({Route.EAST}, {Route.SOUTH})]
    assert ".pos1 = .{ .rx = EAST, .tx = SOUTH }" in color_config(both)
    assert FP16TYPE.CB16.value == "cb16"


def test_regions_larger_than_the_fabric(tmp_path):
    source = tmp_path / "pe.csl"
    source.write_text("")
    layout = SdkLayout(SdkTarget.WSE3)
    with pytest.raises(HostError, match=r"region 'wide' reaches PE \(2147483647, 0\), the fabric of wse3 has "):
        layout.create_code_region(source, "wide", 1 << 31, 1)
    region = layout.create_code_region(source, "far", 1, 1)
    region.place(0, 1 << 31)
    with pytest.raises(HostError, match=r"region 'far' reaches PE \(0, 2147483648\)"):
        layout.compile(tmp_path / "out")
