# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a run leaves for debug tools."""

import json
import re
import shutil
import struct
from pathlib import Path

import numpy as np
import pytest
from cerebras.sdk.debug.debug_util import debug_util
from cerebras.sdk.runtime.sdkruntimepybind import SdkRuntime, SimfabConfig, get_simulator

from sequin.errors import HostError
from sequin.host.trace import encode_trace

MODULE = Path(__file__).parent / "Inputs" / "host.mlir"
PE_BYTES = 48 * 1024


@pytest.fixture
def out(compiled, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    return compiled(MODULE)


def start(out):
    runner = SdkRuntime(str(out))
    runner.load()
    runner.run()
    data = np.arange(4 * 3 * 6, dtype=np.float32)
    runner.memcpy_h2d("A", data, 0, 0, 4, 3, 6, nonblock=False)
    return runner, data.reshape(3, 4, 6)


@pytest.mark.rows("HST-079")
def test_symbols_after_a_run(out):
    with pytest.raises(HostError, match=r"reads what SdkRuntime.stop\(\) or dump_core\(\) left"):
        debug_util(str(out)).get_symbol(4, 1, "values", np.float32)
    runner, data = start(out)
    runner.stop()
    debug = debug_util(str(out), cmaddr=None)
    # On the fabric the rectangle begins at (4, 1).
    assert np.array_equal(debug.get_symbol(6, 2, "values", np.float32), data[1, 2])
    # What is exported has two names; the pointer's own value is a word.
    assert np.array_equal(debug.get_symbol(6, 2, "A", np.float32), data[1, 2])
    rectangle = debug.get_symbol_rect(((5, 1), (3, 2)), "values", np.float32)
    assert rectangle.shape == (3, 2, 6)
    assert np.array_equal(debug.get_symbol(6, 2, "values", ">f4"), data[1, 2])
    assert np.array_equal(rectangle, data[:2, 1:4].swapaxes(0, 1))
    assert debug.get_symbol(4, 1, "count", np.int16).tolist() == [0]


@pytest.mark.rows("HST-079")
def test_refused(out):
    runner, _ = start(out)
    runner.stop()
    debug = debug_util(out)
    with pytest.raises(HostError, match="has no variable 'b'"):
        debug.get_symbol(4, 1, "b", np.float32)
    for place in ((3, 1), (8, 1), (4, 0), (4, 4)):
        with pytest.raises(HostError, match=r"which is 4 x 3 from \(4, 1\)"):
            debug.get_symbol(*place, "values", np.float32)
    with pytest.raises(HostError, match="the rectangle is 0 x 1 PEs"):
        debug.get_symbol_rect(((4, 1), (0, 1)), "values", np.float32)
    with pytest.raises(HostError, match="reaches no system"):
        debug_util(out, cmaddr="10.0.0.1:9000")
    with pytest.raises(HostError, match="is no directory"):
        debug_util("elsewhere")


@pytest.mark.rows("HST-056", "HST-057")
def test_core_files(out, tmp_path):
    runner = SdkRuntime(str(out))
    for call in (runner.dump_core, runner.dump_elf_core):
        with pytest.raises(HostError, match=r"comes after run\(\)"):
            call("corefile.cs1")
    runner, data = start(out)
    runner.dump_core("corefile.cs1")
    # Debug tools see the memory of this moment, before stop().
    assert np.array_equal(debug_util(out).get_symbol(4, 1, "A", np.float32), data[0, 0])
    runner.launch("scale", np.float32(2), nonblock=False)
    assert np.array_equal(debug_util(out).get_symbol(4, 1, "A", np.float32), data[0, 0])
    runner.dump_elf_core("core.elf")
    runner.stop()
    image = (tmp_path / "corefile.cs1").read_bytes()
    assert len(image) == 12 * PE_BYTES
    assert data[2, 3].tobytes() in image[11 * PE_BYTES :]
    elf = (tmp_path / "core.elf").read_bytes()
    assert elf[:4] == b"\x7fELF" and struct.unpack_from("<H", elf, 16) == (4,)
    (headers,), (count,) = struct.unpack_from("<Q", elf, 32), struct.unpack_from("<H", elf, 56)
    assert count == 12
    offset, address = struct.unpack_from("<QQ", elf, headers + 11 * 56 + 8)
    assert address == 11 * PE_BYTES
    assert (2 * data[2, 3]).tobytes() in elf[offset : offset + PE_BYTES]
    with pytest.raises(HostError, match="cannot write"):
        runner.dump_core(tmp_path / "none" / "core")


@pytest.mark.rows("LIB-011", "HST-079")
def test_read_trace(compiled, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    records = encode_trace([("string", "began"), ("f32", 0x3F800000), ("timestamp", 99)])
    words = np.frombuffer(records, np.int16).tolist()
    out = compiled(f"""
module attributes {{csl.target = #csl.target<"wse2", memcpy = true>}} {{
  csl.layout 1 x 1 fabric 8 x 3 at 4, 1 {{ csl.tile_code @pe at <0, 0> }}
  csl.program @pe {{
    csl.var @buffer unsigned : memref<{len(words)}xi16> = dense<{words}> :
      tensor<{len(words)}xi16> export("debug_trace_times")
  }}
}}""")
    runner = SdkRuntime(out)
    runner.load()
    runner.run()
    runner.stop()
    assert debug_util(out).read_trace(4, 1, "times") == ["began", 1.0, 99]
    with pytest.raises(HostError, match="has no variable 'debug_trace_time', did you mean"):
        debug_util(out).read_trace(4, 1, "time")


@pytest.mark.rows("SIM-024", "HST-031", "HST-062")
def test_traces(out, tmp_path):
    for kwargs, traced in (({}, True), ({"suppress_simfab_trace": True}, False)):
        runner = SdkRuntime(str(out), **kwargs)
        runner.load()
        runner.run()
        runner.launch("scale", np.float32(2), nonblock=False)
        runner.stop()
        traces = out / "simfab_traces"
        assert traces.exists() == traced
        if traced:
            report = json.loads((traces / "report.json").read_text())
            assert report["target"] == "wse3" and report["cycles"] > 0
            events = json.loads((traces / "timeline.json").read_text())["traceEvents"]
            names = [event["name"] for event in events if event["ph"] == "X"]
            assert sum("scale" in name for name in names) >= 12
            page = (traces / "page.html").read_text()
            assert page.startswith("<!DOCTYPE html>") and "</html>" in page
            shutil.rmtree(traces)
    config = SimfabConfig(suppress_trace=True)
    runner = SdkRuntime(str(out), get_simulator(config))
    runner.load()
    runner.run()
    runner.stop()
    assert not (out / "simfab_traces").exists()


# One PE sends 1.5 as f16 to the east.
SENDER = """
module attributes {csl.target = #csl.target<"wse3">} {
  csl.layout 2 x 1 fabric 9 x 3 at 4, 1 {
    csl.tile_code @send at <0, 0>
    csl.tile_code @take at <1, 0>
    csl.color_config 3 at <0, 0> routes <rx RAMP tx EAST>
    csl.color_config 3 at <1, 0> routes <rx WEST tx RAMP>
  }
  csl.program @send {
    csl.task local @go() {
      %v = arith.constant 1.5 : f16
      %q = csl.constant 2 : !csl.output_queue
      %out = csl.fabout_dsd queue %q extent 1
      csl.fmovh %out = %v : !csl.dsd<fabout> = f16
      csl.return
    }
    csl.comptime {
      %q = csl.constant 2 : !csl.output_queue
      %c = csl.constant 3 : !csl.color
      csl.initialize_queue %q : !csl.output_queue color %c
      %id = csl.constant 9 : !csl.local_task_id
      csl.bind_local_task @go to %id
      csl.activate %id
    }
  }
  csl.program @take {
    csl.task data @take(%x: i16) {
      csl.return
    }
    csl.comptime {
      %q = csl.constant 2 : !csl.input_queue
      %c = csl.constant 3 : !csl.color
      csl.initialize_queue %q : !csl.input_queue color %c
      %id = csl.get_data_task_id %q : !csl.input_queue
      csl.bind_data_task @take to %id
    }
  }
}"""


def simulate(out, wanted, log, monkeypatch):
    """The lines of sim.log."""
    log.unlink(missing_ok=True)
    monkeypatch.setenv("SINGULARITYENV_SIMFABRIC_DEBUG", wanted)
    runner = SdkRuntime(out)
    runner.load()
    runner.run()
    runner.stop()
    return log.read_text().splitlines() if log.exists() else []


@pytest.mark.rows("HST-082", "SIM-017", "SIM-022", "SIM-023", "SIM-025", "WEX-060")
def test_log_of_landings(compiled, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    out = compiled(SENDER)
    for wanted, count in (("landing", 2), ("router", 0), ("router,landing", 2)):
        lines = simulate(out, wanted, tmp_path / "sim.log", monkeypatch)
        assert len(lines) == count
    pattern = (
        r"@(\d+) P{x}\.1 \({kind}\) landing C3 from link {link}, ctrl=0, idx=0000, data=3E00 "
        r"\(\+1\.500\(0\)\), half=0, ident=0000000000000000, lf=0"
    )
    cycles = []
    for line, x, link in zip(lines, (4, 5), "RW", strict=True):
        match = re.fullmatch(pattern.format(x=x, link=link, kind="hwtile"), line)
        assert match, line
        cycles.append(int(match[1]))
    # Two cycles a hop.
    assert cycles[1] == cycles[0] + 2
    # Over the side of the rectangle the wavelet goes on to the host's link.
    edge = SENDER.replace(
        "csl.color_config 3 at <1, 0> routes <rx WEST tx RAMP>",
        "csl.color_config 3 at <1, 0> routes <rx WEST tx EAST>\n"
        '    csl.stream "out" color 3 to_host at 1, 0 EAST',
    )
    out = compiled(edge, name="edge")
    lines = simulate(out, "landing", tmp_path / "sim.log", monkeypatch)
    assert len(lines) == 3
    assert re.fullmatch(pattern.format(x=6, link="W", kind="iotile"), lines[2]), lines[2]


# Three elements to the east; after the last the switch of the sender's router turns.
FLIPPED = """
module attributes {csl.target = #csl.target<"ARCH">} {
  csl.layout 2 x 1 fabric 9 x 3 at 4, 1 {
    csl.tile_code @send at <0, 0>
    csl.tile_code @take at <1, 0>
    csl.color_config 3 at <0, 0> routes <rx RAMP tx EAST> switches <pos1 = #csl.position<tx RAMP>>
    csl.color_config 3 at <1, 0> routes <rx WEST tx RAMP>
  }
  csl.program @send {
    csl.var @a : memref<3xi16> = dense<[1, 2, 3]> : tensor<3xi16>
    csl.task local @go() {
      %q = csl.constant 2 : !csl.output_queue
      %k = csl.constant 3 : !csl.color
      %a = csl.get_var @a : memref<3xi16>
      %x = csl.mem1d_dsd %a : memref<3xi16> extent 3
      %out = csl.fabout_dsd queue %q COLORextent 3 advance_switch
      csl.mov16 %out = %x : !csl.dsd<fabout> = !csl.dsd<mem1d>
      csl.return
    }
    csl.comptime {
      %q = csl.constant 2 : !csl.output_queue
      %c = csl.constant 3 : !csl.color
      csl.initialize_queue %q : !csl.output_queue OUT
      %id = csl.constant 9 : !csl.local_task_id
      csl.bind_local_task @go to %id
      csl.activate %id
    }
  }
  csl.program @take {
    csl.var @a : memref<3xi16>
    csl.task local @go() {
      %q = csl.constant 2 : !csl.input_queue
      %in = csl.fabin_dsd queue %q extent 3
      %a = csl.get_var @a : memref<3xi16>
      %x = csl.mem1d_dsd %a : memref<3xi16> extent 3
      csl.mov16 %x = %in : !csl.dsd<mem1d> = !csl.dsd<fabin>
      csl.return
    }
    csl.comptime {
      %q = csl.constant 2 : !csl.input_queue
      %c = csl.constant 3 : !csl.color
      csl.initialize_queue %q : !csl.input_queue color %c IN
      %id = csl.constant 9 : !csl.local_task_id
      csl.bind_local_task @go to %id
      csl.activate %id
    }
  }
}"""


@pytest.mark.parametrize(
    "arch, out_queue, in_queue, half",
    [
        ("wse2", "", "", ""),
        ("wse3", "color %c", "", "half=0, "),
        ("wse3", "color %c dense_mode", "dense_mode", "half=1, "),
    ],
)
@pytest.mark.rows("SIM-017", "FAB-083", "FAB-084")
def test_log_of_flips_and_halves(
    compiled, monkeypatch, tmp_path, arch, out_queue, in_queue, half
):
    monkeypatch.chdir(tmp_path)
    text = FLIPPED.replace("ARCH", arch).replace("COLOR", "color %k " if arch == "wse2" else "")
    out = compiled(text.replace("OUT", out_queue).replace("IN", in_queue))
    lines = simulate(out, "landing", tmp_path / "sim.log", monkeypatch)
    fields = [
        re.fullmatch(
            r"@\d+ P(\d)\.1 \(hwtile\) landing C3 from link (\w), ctrl=0, idx=0000, "
            r"data=000(\d) \([^ ]*\), (half=\d, )?ident=0000000000000000, lf=(\d)",
            line,
        ).groups(default="")
        for line in lines
    ]
    # The last of the DSD carries the bit to the first router, which takes it off.
    assert sorted(fields) == [
        (x, link, str(n), half, "1" if n == 3 and link == "R" else "0")
        for x, link in (("4", "R"), ("5", "W"))
        for n in (1, 2, 3)
    ]


# A column of f32 sums, of which one is infinite and one is no number; a product
# that is tiny; a switch that turns.
TRACED = """
module attributes {csl.target = #csl.target<"ARCH">} {
  csl.layout 2 x 1 fabric 9 x 3 at 4, 1 {
    csl.tile_code @send at <0, 0>
    csl.tile_code @take at <1, 0>
    csl.color_config 3 at <0, 0> routes <rx RAMP tx RAMP> switches <pos1 = #csl.position<tx EAST>>
    csl.color_config 3 at <1, 0> routes <rx WEST tx RAMP>
    csl.export_name "go" : () -> ()
  }
  csl.program @send {
    csl.var @a : memref<4xf32> = dense<[1.0, 16777216.0, 3.0e38, 0x7f800000]> : tensor<4xf32>
    csl.var @b : memref<4xf32> = dense<[2.0, 1.0, 3.0e38, 0xff800000]> : tensor<4xf32>
    csl.var @c : memref<1xi32> = dense<0x017f0000> : tensor<1xi32>
    csl.task local @later() {
      %a = csl.get_var @a : memref<4xf32>
      %b = csl.get_var @b : memref<4xf32>
      %x = csl.mem1d_dsd %a : memref<4xf32> extent 4
      %y = csl.mem1d_dsd %b : memref<4xf32> extent 4
      csl.fadds %x = %x, %y : !csl.dsd<mem1d> = !csl.dsd<mem1d>, !csl.dsd<mem1d>
      %p = csl.mem1d_dsd %b : memref<4xf32> extent 1
      %small = arith.constant 1.0e-20 : f32
      csl.fmovs %p = %small : !csl.dsd<mem1d> = f32
      csl.fmuls %p = %p, %p : !csl.dsd<mem1d> = !csl.dsd<mem1d>, !csl.dsd<mem1d>
      csl.return
    }
    func.func @go() {
      %q = csl.constant 2 : !csl.output_queue
      %k = csl.constant 3 : !csl.color
      %out = csl.fabout_dsd queue %q COLORextent 1 control
      %c = csl.get_var @c : memref<1xi32>
      %w = csl.mem1d_dsd %c : memref<1xi32> extent 1
      csl.mov32 %out = %w : !csl.dsd<fabout> = !csl.dsd<mem1d>
      %data = csl.fabout_dsd queue %q COLORextent 1
      %seven = arith.constant 7 : i32
      csl.mov32 %data = %seven : !csl.dsd<fabout> = i32 async
      %id = csl.constant 9 : !csl.local_task_id
      csl.activate %id
      return
    }
    csl.comptime {
      csl.export_symbol @go
      %q = csl.constant 2 : !csl.output_queue
      %k = csl.constant 3 : !csl.color
      QUEUE
      %id = csl.constant 9 : !csl.local_task_id
      csl.bind_local_task @later to %id
    }
  }
  csl.program @take {
    func.func @go() {
      %q = csl.constant 2 : !csl.input_queue
      %in = csl.fabin_dsd queue %q extent 1
      %a = csl.get_var @a : memref<1xi32>
      %x = csl.mem1d_dsd %a : memref<1xi32> extent 1
      csl.mov32 %x = %in : !csl.dsd<mem1d> = !csl.dsd<fabin> async
      return
    }
    csl.var @a : memref<1xi32>
    csl.comptime {
      csl.export_symbol @go
      %q = csl.constant 2 : !csl.input_queue
      %k = csl.constant 3 : !csl.color
      csl.initialize_queue %q : !csl.input_queue color %k
    }
  }
}"""


def traced(arch):
    wse2 = arch == "wse2"
    queue = "csl.initialize_queue %q : !csl.output_queue color %k"
    text = TRACED.replace("ARCH", arch).replace("COLOR", "color %k " if wse2 else "")
    return text.replace("QUEUE", "" if wse2 else queue)


def run_traced(compiled, monkeypatch, tmp_path, arch, wanted):
    monkeypatch.chdir(tmp_path)
    out = compiled(traced(arch), name=arch)
    monkeypatch.setenv("SINGULARITYENV_SIMFABRIC_DEBUG", wanted)
    runner = SdkRuntime(out)
    runner.load()
    runner.run()
    runner.launch("go", nonblock=False)
    runner.stop()
    return (tmp_path / "sim.log").read_text().splitlines()


@pytest.mark.parametrize("arch", ["wse2", "wse3"])
@pytest.mark.rows("SIM-019", "FAB-041", "SIM-022")
def test_log_of_routers(compiled, monkeypatch, tmp_path, arch):
    lines = run_traced(compiled, monkeypatch, tmp_path, arch, "router")
    head = "P4.1 (hwtile) router: C3 : "
    assert lines[:2] == [
        f"@0 {head}input switch: 0=/ R/ (init)",
        f"@0 {head}output switch: 0=/ R/ (init)",
    ]
    move = " (advance) ctrl=1, idx=017F, data=0000 (+0.000(-15))"
    at = lines[2].split()[0]
    assert lines[2:] == [
        f"{at} {head}input switch: 0=/ R/ -> 1=/ R/{move}",
        f"{at} {head}output switch: 0=/ R/ -> 1=/ E/{move}",
    ]


@pytest.mark.parametrize("arch", ["wse2", "wse3"])
@pytest.mark.rows("SIM-007", "SIM-018", "SIM-020", "SIM-021", "SIM-026", "WEX-058")
def test_log_of_instructions(compiled, monkeypatch, tmp_path, arch):
    lines = run_traced(compiled, monkeypatch, tmp_path, arch, "inst_trace")
    issue, execute = (2, 4) if arch == "wse2" else (3, 6)
    launched = "T22" if arch == "wse2" else "T01"
    pattern = re.compile(
        r"@(\d+) P(\d+)\.(\d+): Id: (\d+), Instr: (\d+), Seq: (\d+), Pipe: (\d+), "
        r"Msg: \[(IS|EX) OP\] (?:IDLE|0x[0-9a-f]{4}: (.*))"
    )
    issued, executed, others = {}, {}, []
    for line in lines:
        match = pattern.fullmatch(line)
        if not match:
            others.append(line.split(": ", 1)[1])
            continue
        cycle, x, y, name, number, sequence, stage = map(int, match.groups()[:7])
        # The program stands at (4, 1) of a fabric of width 9.
        assert name == y * 9 + x
        if match[8] == "IS":
            assert stage == issue
            issued[x, number] = (cycle, sequence, match[9])
        else:
            assert stage == execute
            if match[9] is not None:
                executed[x, number] = (cycle, sequence, match[9])
    # Every instruction leaves the pipeline in order and so many cycles later.
    assert issued.keys() == executed.keys()
    for key, (cycle, sequence, _) in issued.items():
        assert executed[key][:2] == (cycle + execute - issue, sequence)
    # A PE has something or IDLE in every cycle from its first to its last.
    for x in (4, 5):
        at = [int(l[1:].split()[0]) for l in lines if f" P{x}.1: " in l and "[EX OP]" in l]
        assert sorted(set(at)) == list(range(min(at), max(at) + 1))
    texts = [text for _, _, text in executed.values()]
    # 1 + 2; 2^24 + 1 is not a float; 3e38 + 3e38 is none either; infinities of
    # both signs; 1e-20 squared.
    assert [t for t in texts if "FADDS" in t] == [
        "T09 FADDS Dest:40400000 Src0:3F800000 Src1:40000000 [ ..... ] U0",
        "T09 FADDS Dest:4B800000 Src0:4B800000 Src1:3F800000 [ ..x.. ] U0",
        "T09 FADDS Dest:7F800000 Src0:7F61B1E6 Src1:7F61B1E6 [ .ox.. ] U0",
        "T09 FADDS Dest:7FC00000 Src0:7F800000 Src1:FF800000 [ ...i. ] U0",
    ]
    assert [t for t in texts if "FMULS" in t] == [
        "T09 FMULS Dest:000116C2 Src0:1E3CE508 Src1:1E3CE508 [ u.x.. ] U0"
    ]
    assert f"{launched} MOV32 Dest:017F0000 Src0:017F0000 [ ..... ] U0" in texts
    assert f"{launched}.UT2 MOV32 Dest:00000007 Src0:00000007 [ ..... ] U0" in texts
    assert [text for _, _, text in issued.values() if "FADDS" in text][1] == (
        "T09 FADDS Dest:[0x0014] Src0:[0x0014] Src1:[0x0024]"
    )
    assert others == [
        "Writing wavelet 017F0000 to OUT_Q 2",
        "Not enough wavelets, UT2 stall",
        "Sending wavelet 017F0000 on OUT_Q 2",
        "Writing wavelet 00000007 to OUT_Q 2",
        "Sending wavelet 00000007 on OUT_Q 2",
    ]


@pytest.mark.parametrize("arch", ["wse2", "wse3"])
@pytest.mark.rows("SIM-018", "SIM-020")
def test_log_of_exceptions_in_scalar_code(compiled, monkeypatch, tmp_path, arch):
    monkeypatch.chdir(tmp_path)
    steps = [
        ("addf", 0, 1, "FLOAT_ADD [ ..... ]"),
        ("mulf", 0, 0, "FLOAT_MUL [ .ox.. ]"),
        ("divf", 0, 1, "FLOAT_DIV [ ....z ]"),
        ("divf", 1, 1, "FLOAT_DIV [ ...i. ]"),
        ("mulf", 2, 2, "FLOAT_MUL [ u.x.. ]"),
    ]
    body = ""
    for i, (op, left, right, _) in enumerate(steps):
        body += f"""
      %i{i} = arith.constant {i} : index
      %r{i} = arith.{op} %v{left}, %v{right} : f32
      memref.store %r{i}, %out[%i{i}] : memref<5xf32>"""
    out = compiled(f"""
module attributes {{csl.target = #csl.target<"{arch}">}} {{
  csl.layout 1 x 1 fabric 8 x 3 at 4, 1 {{
    csl.tile_code @pe at <0, 0>
    csl.export_name "go" : () -> ()
  }}
  csl.program @pe {{
    csl.var @x : memref<3xf32> = dense<[3.0e38, 0.0, 1.0e-38]> : tensor<3xf32>
    csl.var @out : memref<5xf32>
    func.func @go() {{
      %x = csl.get_var @x : memref<3xf32>
      %out = csl.get_var @out : memref<5xf32>
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %v0 = memref.load %x[%c0] : memref<3xf32>
      %v1 = memref.load %x[%c1] : memref<3xf32>
      %v2 = memref.load %x[%c2] : memref<3xf32>{body}
      return
    }}
    csl.comptime {{
      csl.export_symbol @go
    }}
  }}
}}""")
    monkeypatch.setenv("SINGULARITYENV_SIMFABRIC_DEBUG", "inst_trace")
    runner = SdkRuntime(out)
    runner.load()
    runner.run()
    runner.launch("go", nonblock=False)
    runner.stop()
    launched = "T22" if arch == "wse2" else "T01"
    lines = (tmp_path / "sim.log").read_text().splitlines()
    executed = [
        line.split(f"{launched} ")[1] for line in lines if "[EX OP]" in line and "FLOAT" in line
    ]
    assert executed == [f"{text} U0" for *_, text in steps]


@pytest.mark.parametrize("arch", ["wse2", "wse3"])
@pytest.mark.rows("SIM-006", "SIM-007", "SIM-021")
def test_log_of_a_completion(compiled, monkeypatch, tmp_path, arch):
    monkeypatch.chdir(tmp_path)
    text = FLIPPED.replace("ARCH", arch).replace("COLOR", "color %k " if arch == "wse2" else "")
    text = text.replace("OUT", "" if arch == "wse2" else "color %c").replace("IN", "")
    text = text.replace(
        "!csl.dsd<mem1d> = !csl.dsd<fabin>",
        "!csl.dsd<mem1d> = !csl.dsd<fabin> async activate(%d)",
    ).replace(
        "      %in = csl.fabin_dsd",
        "      %d = csl.task_id @done : !csl.local_task_id\n      %in = csl.fabin_dsd",
    )
    text = text.replace(
        "    csl.var @a : memref<3xi16>\n    csl.task",
        """    csl.var @a : memref<3xi16>
    csl.task local @done() {
      %a = csl.get_var @a : memref<3xi16>
      %i = arith.constant 1 : index
      %x = memref.load %a[%i] : memref<3xi16>
      %y = arith.addi %x, %x : i16
      memref.store %y, %a[%i] : memref<3xi16>
      csl.return
    }
    csl.task""",
    )
    head, tail = text.rsplit("csl.bind_local_task @go to %id", 1)
    text = (
        f"{head}%ten = csl.constant 10 : !csl.local_task_id\n"
        f"csl.bind_local_task @done to %ten\ncsl.bind_local_task @go to %id{tail}"
    )
    lines = simulate(compiled(text), "inst_trace", tmp_path / "sim.log", monkeypatch)
    issued = [
        (int(m[1]), m[2])
        for m in (re.match(r"@(\d+) P5\.1: .*\[IS OP\] (.*)", line) for line in lines)
        if m
    ]
    moves = [cycle for cycle, what in issued if re.match("0x[0-9a-f]+: T09.UT2 MOV16 ", what)]
    assert len(moves) == 3
    # The task begins about three cycles after the last wavelet is taken.
    task = [cycle for cycle, what in issued if re.match("0x[0-9a-f]+: T10 ", what)]
    assert task[0] - moves[-1] in (3, 4)
    # One instruction of scalar code is issued in a cycle.
    scalar = [cycle for cycle, what in issued if ".UT" not in what]
    assert len(scalar) == len(set(scalar)) > 5
