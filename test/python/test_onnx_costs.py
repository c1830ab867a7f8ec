# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a run costs by node and by layer, and how far long work is."""

import json
import os
import pty
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

pytest.importorskip("onnx", reason="needs python3-onnx")

import sequin  # noqa: E402
from onnx_exported import NETWORKS, Exporter  # noqa: E402
from onnx_models import Graph  # noqa: E402
from sequin.onnx.costs import layer_of, node_of  # noqa: E402


def timed(name: str):
    build, sizes = NETWORKS[name]
    model = sequin.import_onnx(build(Exporter(17)).bytes(), sizes)
    return model, model.compile("rngd", allow_bf16=True).run(timing_only=True)


@pytest.mark.parametrize("name", NETWORKS)
def test_parts_make_the_whole(name):
    model, (_, report) = timed(name)
    costs = report.extra["model"]
    total, layers, nodes = costs["total"], costs["layers"], costs["nodes"]
    # Every product belongs to a node that has commands; those of the vector engine, as of
    # depthwise convolutions, are none to the report.
    assert sum(model.macs.values()) == total["macs"] >= report.macs > 0
    for rows in (layers, nodes):
        assert sum(row["macs"] for row in rows) == total["macs"]
        assert sum(row["hbm_bytes_read"] for row in rows) == report.hbm_bytes_read
        assert sum(row["hbm_bytes_written"] for row in rows) == report.hbm_bytes_written
        assert max(row["cycles"] for row in rows) <= report.cycles <= sum(
            row["cycles"] for row in rows)
        for row in rows:
            # Nothing is faster than its bound.
            assert 0 <= row["bound_cycles"] <= row["cycles"]
            assert row["bound_by"].split(" ")[0] in ("dma", "main", "sub")
    assert total["cycles"] == report.cycles
    assert len({row["name"] for row in layers}) == len(layers) > 1


@pytest.mark.parametrize("name, unit, count", [
    ("gpt2", "token", 16), ("vit", "image", 2), ("lstm", "run", 1)])
def test_speed(name, unit, count):
    _, result = timed(name)
    speed = result.costs.throughput
    assert (speed.unit, speed.per_run) == (unit, count)
    clock = sequin.machine("rngd")["clock_mhz"] * 1e6
    assert speed.per_second == pytest.approx(count * clock / result.report.cycles)
    assert f"{unit}s per second" in str(result.costs)


def test_bound():
    """Of one product: its MACs at the machine's peak, its bytes at the HBM's bandwidth."""
    g = Graph(17)
    g.node("MatMul", g.input("x", [512, 512]), g.weight("w", 512, 512),
           outputs=[g.output("y")], name="/fc/MatMul")
    result = sequin.import_onnx(g.bytes()).compile(allow_bf16=True).run(timing_only=True)
    (node,), (layer,) = result.costs.nodes, result.costs.layers
    row, report = sequin.machine("rngd"), result.report
    moved = report.hbm_bytes_read + report.hbm_bytes_written
    least = max(512**3 / report.peak_macs_per_cycle,
                moved / row["hbm_utilization_bytes_per_cycle"])
    assert node.bound_cycles == round(least) and node.macs == 512**3
    assert node.share_of_bound == pytest.approx(node.bound_cycles / node.cycles)
    assert (node.name, layer.name, layer.nodes) == ("/fc/MatMul", "fc", 1)


@pytest.mark.parametrize("node, weights, layer", [
    ("/encoder/layer.0/attention/self/query/MatMul", ["onnx::MatMul_12"], "encoder/layer.0"),
    ("/layer1/layer1.0/conv1/Conv", [], "layer1/layer1.0"),
    ("/conv1/Conv", ["conv1.weight"], "conv1"),
    ("Conv_12", ["features.3.0.weight"], "features.3"),
    ("Conv_12", ["conv1.weight"], "conv1"),
    ("MatMul_4", ["onnx::MatMul_12"], "before"),
    ("Relu_4", [], "before"),
])
def test_layers(node, weights, layer):
    assert layer_of(node, weights, "before") == layer


def test_nodes_of_commands():
    assert node_of("/fc1/Gemm.to_dm") == node_of("/fc1/Gemm.to_dm.3[2]") == "/fc1/Gemm"
    assert node_of("layer.0.commit") == "layer.0"
    assert node_of("to_dm.12") == "(shared)"


# ===--- Progress ----------------------------------------------------------=== #


@pytest.fixture
def network(tmp_path):
    build, sizes = NETWORKS["gpt2"]
    (tmp_path / "net.onnx").write_bytes(build(Exporter(17)).bytes())
    np.save(tmp_path / "ids.npy", np.zeros((sizes["batch"], sizes["seq"]), np.int64))
    return [sys.executable, "-m", "sequin.onnx.tool", str(tmp_path / "net.onnx"), "--size",
            ",".join(f"{k}={v}" for k, v in sizes.items()), "--target", "rngd",
            "--input", str(tmp_path / "ids.npy")]


def test_none_when_piped(network):
    done = subprocess.run(network, capture_output=True, timeout=120, check=True)
    assert done.stderr == b""


def test_lines_when_asked_for(network):
    done = subprocess.run([*network, "--progress=always"], capture_output=True, text=True,
                          timeout=120, check=True)
    phases = {line.split(" ")[0].rstrip(":,") for line in done.stderr.splitlines()}
    assert {"import", "compile", "simulate"} <= phases, done.stderr
    assert "\r" not in done.stderr and "\x1b" not in done.stderr


def test_a_line_on_a_terminal(network):
    ours, theirs = pty.openpty()
    process = subprocess.Popen(network, stdout=subprocess.PIPE, stderr=theirs,
                               env={**os.environ, "TERM": "xterm"})
    os.close(theirs)
    shown = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # nobody is left who could write
            break
        if not part:
            break
        shown += part
    os.close(ours)
    assert process.wait(120) == 0
    process.stdout.close()
    text = shown.decode()
    assert "\n" not in text and text.endswith("\r\x1b[K")
    pieces = text.split("\r\x1b[K")
    assert any(re.match(r"simulate \d+ %, [\d,]+ of [\d,]+ cycles", p) for p in pieces), pieces


# ===--- Ctrl-C ------------------------------------------------------------=== #


def test_ctrl_c_in_a_simulation(tmp_path):
    """Within 0.2 s where nothing else is at work; here within a second."""
    g = Graph(17)
    h = g.input("x", [512, 2048])
    for i in range(6):
        h = g.node("MatMul", h, g.weight(f"w{i}", 2048, 2048))
    g.node("Identity", h, outputs=[g.output("y")])
    compiled = sequin.import_onnx(g.bytes()).compile("rngd")
    x = np.zeros((512, 2048), np.float32)
    for after in (0.2, 1.0, 2.0):
        previous = signal.signal(signal.SIGALRM, signal.default_int_handler)
        signal.setitimer(signal.ITIMER_REAL, after)
        begin = time.monotonic()
        try:
            with pytest.raises(KeyboardInterrupt):
                while True:
                    compiled.run(x=x)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, previous)
        assert time.monotonic() - begin - after < 1


def test_ctrl_c_in_the_compiler(network):
    """Nothing waits for a pass that is at work; what follows is as before."""
    build, _ = NETWORKS["gpt2"]
    text = sequin.import_onnx(build(Exporter(17), layers=12).bytes(), "batch=2,seq=8").mlir
    previous = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        for after in (0.05, 0.1, 0.3):
            signal.setitimer(signal.ITIMER_REAL, after)
            begin = time.monotonic()
            with pytest.raises(KeyboardInterrupt):
                while True:
                    sequin.compile(text, target="rngd")
            assert time.monotonic() - begin - after < 1
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)
    assert sequin.compile(text, target="rngd").run(timing_only=True).report.cycles > 0


def test_the_report_is_written(network, tmp_path):
    subprocess.run([*network, "--report", str(tmp_path / "r.json")], check=True, timeout=120,
                   capture_output=True)
    keys = json.loads((tmp_path / "r.json").read_text())["model"]
    assert set(keys) == {"total", "layers", "nodes", "seconds", "throughput"}
    assert sequin.Report.load(tmp_path / "r.json").extra["model"] == keys
