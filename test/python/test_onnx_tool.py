# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""sequin-model from a shell: what it writes, what it ends with."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("onnx", reason="needs python3-onnx")

import sequin  # noqa: E402
from onnx_models import Graph  # noqa: E402

PACKAGES = Path(sequin.__file__).resolve().parents[1]


@pytest.fixture
def tool(build, monkeypatch):
    """Runs the program: what it ended with, its output and its errors."""
    monkeypatch.setenv("PATH", f"{build / 'bin'}{os.pathsep}{os.environ['PATH']}")
    path = os.pathsep.join([str(Path(sequin.__path__[0]).parent), str(PACKAGES)])
    monkeypatch.setenv("PYTHONPATH", path)

    def run(*arguments):
        done = subprocess.run([sys.executable, "-m", "sequin.onnx.tool", *map(str, arguments)],
                              capture_output=True, text=True, timeout=120)
        assert "Traceback" not in done.stderr
        if done.returncode:
            assert "error: " in done.stderr or done.returncode > 2
        return done.returncode, done.stdout, done.stderr

    return run


@pytest.fixture
def network(tmp_path):
    g = Graph(17)
    x = g.input("x", ["batch", 16])
    h = g.node("Gemm", x, g.weight("w", 8, 16), g.weight("b", 8), transB=1, name="/fc1")
    h = g.node("Relu", h, name="/relu")
    g.node("Gemm", h, g.weight("v", 4, 8), outputs=[g.output("y")], transB=1, name="/fc2")
    path = tmp_path / "net.onnx"
    path.write_bytes(g.bytes())
    return g, path


def expected(g: Graph, x: np.ndarray) -> np.ndarray:
    w = g.weights
    return np.maximum(x @ w["w"].T + w["b"], 0) @ w["v"].T


def test_run(tool, network, tmp_path):
    g, path = network
    x = np.random.default_rng(0).standard_normal((3, 16)).astype(np.float32)
    np.save(tmp_path / "x.npy", x)
    code, out, _ = tool(path, "--size", "batch=3", "--target", "rngd", "--verify", "--input",
                        tmp_path / "x.npy",
                        "--output", f"y={tmp_path / 'y.npy'}", "--report", tmp_path / "r.json",
                        "--timeline", tmp_path / "t.json", "--emit-mlir", tmp_path / "net.mlir")
    assert code == 0 and "/fc1" in out and "equal the reference interpreter's" in out
    np.testing.assert_allclose(np.load(tmp_path / "y.npy"), expected(g, x), rtol=1e-5, atol=1e-5)
    assert json.loads((tmp_path / "r.json").read_text())["target"] == "rngd"
    assert (tmp_path / "t.json").exists()
    assert 'loc("/relu")' in (tmp_path / "net.mlir").read_text()


def test_run_on_a_wafer(tool, network, tmp_path):
    g, path = network
    x = np.random.default_rng(0).standard_normal((8, 16)).astype(np.float32)
    np.save(tmp_path / "x.npy", x)
    code, _, errors = tool(path, "--size", "batch=8", "--target", "wse3", "--grid", "4,4",
                           "--input", tmp_path / "x.npy", "--output", tmp_path / "y.npy")
    assert code == 0, errors
    np.testing.assert_allclose(np.load(tmp_path / "y.npy"), expected(g, x), rtol=1e-4, atol=1e-4)


def test_timing_only(tool, network):
    code, out, _ = tool(network[1], "--size", "batch=3", "--target", "rngd", "--timing-only")
    assert code == 0 and "cycles" in out


def test_check_only(tool, tmp_path, network):
    assert tool(network[1], "--size", "batch=1", "--check-only", "--target", "wse3")[0] == 0
    g = Graph(17)
    g.node("Det", g.input("x", [4, 4]), outputs=[g.output("y")], name="/det")
    (tmp_path / "det.onnx").write_bytes(g.bytes())
    code, out, errors = tool(tmp_path / "det.onnx", "--check-only")
    assert code == 1 and "/det" in out and "1 of 1 nodes are not supported" in errors


def test_check_for_a_machine(tool, tmp_path):
    """All that a lowering refuses, each with its node; what follows is looked at too."""
    g = Graph(17)
    x = g.input("x", [1, 3, 8, 8])
    for i in range(2):
        x = g.node("Conv", x, g.weight(f"w{i}", 3, 3, 3, 3), pads=[1] * 4, name=f"/conv{i}")
        x = g.node("Relu", x, name=f"/relu{i}")
    g.node("Identity", x, outputs=[g.output("y")], name="/end")
    (tmp_path / "conv.onnx").write_bytes(g.bytes())
    for target in ("rngd", "wse3"):
        code, out, errors = tool(tmp_path / "conv.onnx", "--check-only", "--target", target)
        assert code == (target == "wse3"), errors
        if code:
            assert "/conv0, /conv1" in out and "is refused for wse3: 'tensor.concat' op" in out
            assert "relu" not in out
            assert "2 of 5 nodes are not supported" in errors
    assert sorted(p.name for p in tmp_path.iterdir()) == ["conv.onnx"]


@pytest.mark.parametrize("arguments", [
    ["--what"],
    [],
    ["--target", "gpu"],
    ["--target", "rngd", "--size", "batch"],
    ["--target", "rngd", "--size", "batch=1", "--timing-only", "--input", "x.npy"],
    ["--target", "rngd", "--size", "batch=1", "--input", "a.npy", "--input", "b.npy"],
    ["--target", "rngd", "--size", "batch=1", "--value", "x.npy"],
    ["--target", "wse3", "--size", "batch=1"],
])
def test_wrong_usage(tool, network, arguments):
    code, _, errors = tool(network[1], *arguments)
    assert code == 2 and errors.startswith("error: ") and errors.count("\n") == 1


def test_refused_input_writes_nothing(tool, network, tmp_path):
    np.save(tmp_path / "x.npy", np.zeros((2, 15), np.float32))
    before = sorted(tmp_path.iterdir())
    for arguments in (["--input", tmp_path / "x.npy"], ["--input", tmp_path / "none.npy"], [],
                      ["--input", network[1]]):
        code, _, errors = tool(network[1], "--size", "batch=2", "--target", "rngd", "--output",
                               tmp_path / "y.npy",
                               "--report", tmp_path / "r.json", *arguments)
        assert code == 1 and errors.startswith("error: ") and errors.count("\n") == 1
    assert tool(tmp_path / "none.onnx", "--target", "rngd")[0] == 1
    assert sorted(tmp_path.iterdir()) == before


def test_nodes_are_the_operations_of_reports_and_pages(tool, tmp_path):
    g = Graph(17)
    h = g.node("MatMul", g.input("x", [4, 64]), g.weight("w", 64, 64), name="dense")
    g.node("Exp", h, outputs=[g.output("y")], name="<b>exp</b>")
    (tmp_path / "m.onnx").write_bytes(g.bytes())
    code, _, errors = tool(tmp_path / "m.onnx", "--target", "rngd", "--timing-only", "--report",
                           tmp_path / "r.json", "--page", tmp_path / "p.html")
    assert code == 0, errors
    report = json.loads((tmp_path / "r.json").read_text())
    assert ("dense", "MatMul") in {(s["location"], s["operation"]) for s in report["sources"]}
    page = (tmp_path / "p.html").read_text()
    assert "<title>m.onnx</title>" in page and "<b>exp" not in page


def test_values_for_good(tool, tmp_path):
    g = Graph(17)
    x, shape = g.input("x", [6]), g.input("shape", [2], "int64")
    g.node("Reshape", x, shape, outputs=[g.output("y")])
    (tmp_path / "view.onnx").write_bytes(g.bytes())
    np.save(tmp_path / "x.npy", np.arange(6, dtype=np.float32))
    np.save(tmp_path / "shape.npy", np.int64([2, -1]))
    code, _, errors = tool(tmp_path / "view.onnx", "--target", "rngd", "--value",
                           f"shape={tmp_path / 'shape.npy'}",
                           "--input", tmp_path / "x.npy", "--output", tmp_path / "y.npy")
    assert code == 0, errors
    np.testing.assert_array_equal(np.load(tmp_path / "y.npy"), [[0, 1, 2], [3, 4, 5]])


@pytest.mark.parametrize("number, code", [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_signals(tmp_path, number, code, build, tool):
    g = Graph(17)
    h = g.input("x", [1024, 2048])
    for i in range(12):
        h = g.node("MatMul", h, g.weight(f"w{i}", 2048, 2048))
    g.node("Identity", h, outputs=[g.output("y")])
    (tmp_path / "long.onnx").write_bytes(g.bytes())
    np.save(tmp_path / "x.npy", np.zeros((1024, 2048), np.float32))
    process = subprocess.Popen(
        [sys.executable, "-m", "sequin.onnx.tool", str(tmp_path / "long.onnx"), "--target", "rngd",
         "--input", str(tmp_path / "x.npy"), "--output", str(tmp_path / "y.npy")],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    time.sleep(4)
    process.send_signal(number)
    _, errors = process.communicate(timeout=60)
    assert process.returncode in (code, -number), errors
    assert b"Traceback" not in errors and not (tmp_path / "y.npy").exists()
