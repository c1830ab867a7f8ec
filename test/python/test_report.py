# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reports: keys, summary, timeline, plots."""

import io
import json

import numpy as np
import pytest

import sequin

KEYS = (
    "target chips cycles seconds macs peak_macs_per_cycle mac_utilization hbm_bytes_read "
    "hbm_bytes_written hbm_utilization commands sim"
).split()
COMMAND_KEYS = "id name context start end stages".split()


@pytest.fixture(scope="module")
def report() -> sequin.Report:
    program = sequin.compile_einsum(
        "mk,kn->mn", {"m": 64, "k": 128, "n": 64}, dtype="bf16", target="rngd"
    )
    return program.run(np.ones((64, 128)), np.ones((128, 64))).report


def test_keys_are_those_of_sequin_run(report, sequin_run, tmp_path):
    path = tmp_path / "report.json"
    code, _, _ = sequin_run(
        *("--einsum", "mk,kn->mn", "--size", "m=64,k=128,n=64", "--dtype", "bf16"),
        *("--target", "rngd", "--report", path),
        inputs=[np.ones((64, 128)), np.ones((128, 64))],
    )
    assert code == 0
    written = json.loads(path.read_text())
    ours = report.to_dict()
    assert set(KEYS) <= set(ours)
    assert set(COMMAND_KEYS) <= set(ours["commands"][0])
    for keys in (written, ours):
        assert set(keys.pop("sim")) == {"wall_seconds", "macs_per_second"}
    assert ours == written


def test_numbers_agree_with_each_other(report):
    machine = sequin.machine(report.target)
    assert report.macs == 64 * 128 * 64
    assert report.peak_macs_per_cycle == machine["macs_per_cycle"]["bf16"]
    assert report.mac_utilization == pytest.approx(
        report.macs / (report.cycles * report.peak_macs_per_cycle)
    )
    moved = report.hbm_bytes_read + report.hbm_bytes_written
    assert report.hbm_utilization == pytest.approx(moved / (report.cycles * 1500))
    assert report.seconds == pytest.approx(report.cycles / (machine["clock_mhz"] * 1e6))
    assert report.cycles == max(command.end for command in report.commands)
    assert [command.id for command in report.commands] == list(range(len(report.commands)))
    assert report.sim.wall_seconds > 0
    for context in report.contexts:
        assert 0 < report.busy(context) <= report.cycles


def test_commands():
    command = sequin.Command(0, "x", "main", 10, 30, {"fetch": 5, "contract": 20})
    assert command.cycles == 20
    assert command.bound_by == "contract"
    assert sequin.Command(0, "x", "host", 0, 0).bound_by == ""


def test_save_and_load(report, tmp_path):
    report.save(tmp_path / "r.json")
    again = sequin.Report.load(tmp_path / "r.json")
    assert again == report
    assert again.summary() == report.summary()
    with pytest.raises(ValueError, match="only the report of a run has a timeline"):
        again.timeline()
    assert [p.name for p in tmp_path.iterdir()] == ["r.json"]


def test_unknown_keys_are_kept(report):
    keys = report.to_dict()
    keys["energy"] = 3
    keys["commands"][0]["voltage"] = 1
    keys["sim"]["threads"] = 2
    again = sequin.Report.from_dict(keys)
    assert again.extra == {"energy": 3}
    assert again.commands[0].extra == {"voltage": 1}
    assert again.to_dict() == keys
    del keys["cycles"]
    with pytest.raises(KeyError, match="cycles"):
        sequin.Report.from_dict(keys)


def make(commands, cycles=100):
    return sequin.Report(
        target="rngd",
        chips=1,
        cycles=cycles,
        seconds=cycles * 1e-9,
        macs=640,
        peak_macs_per_cycle=131072,
        mac_utilization=0.25,
        hbm_bytes_read=1000,
        hbm_bytes_written=24,
        hbm_utilization=0.5,
        commands=tuple(commands),
        sim=sequin.Simulation(0.002, 1.0),
    )


def test_summary():
    summary = make(
        [
            sequin.Command(0, "to_hbm", "host", 0, 0),
            sequin.Command(1, "to_dm", "dma", 0, 40, {"hbm": 40, "dm": 20}),
            sequin.Command(2, "to_dm.1", "dma", 30, 60, {"hbm": 30}),
            sequin.Command(3, "commit", "main", 60, 100, {"fetch": 40, "commit": 10}),
            sequin.Command(4, "commit[1]", "main", 60, 100, {"fetch": 10, "commit": 40}),
        ]
    ).summary()
    assert summary == (
        "machine  rngd, 1 chip\n"
        "time     100 cycles = 100 ns at 1,000 MHz\n"
        "MACs     640 = 25.00% of 131,072 per cycle\n"
        "HBM      1,000 bytes read, 24 written = 50.00% of the bandwidth\n"
        "busy     dma 60.0%, main 40.0%\n"
        "\n"
        "context command                      count    cycles   share  bound by\n"
        "dma     to_dm                            2        60   60.0%  hbm\n"
        "main    commit                           2        40   40.0%  -\n"
        "\n"
        "simulated in 2.000 ms"
    )


def test_summary_fits_a_screen():
    commands = [
        sequin.Command(i, f"a_name_that_is_too_long_for_the_column_{'x' * i}", "main", i, i + 1)
        for i in range(100)
    ]
    lines = make(commands).summary().split("\n")
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 80
    assert "more" in "".join(lines)


def test_summary_of_nothing():
    empty = make([], cycles=0).summary()
    assert "0 cycles" in empty
    assert str(make([], cycles=0)) == empty


def test_timeline(report, tmp_path):
    report.save_timeline(tmp_path / "t.json")
    events = json.loads((tmp_path / "t.json").read_text())["traceEvents"]
    shown = {event["name"] for event in events if event["ph"] == "X"}
    timed = {c.name for c in report.commands if c.context != "host"}
    assert timed <= shown


def png(figure) -> bytes:
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png")
    return buffer.getvalue()


def test_plot_roofline(report):
    figure = report.plot_roofline()
    (ax,) = figure.axes
    point = next(line for line in ax.lines if line.get_label() == "this run")
    moved = report.hbm_bytes_read + report.hbm_bytes_written
    assert point.get_xdata()[0] == pytest.approx(report.macs / moved)
    assert point.get_ydata()[0] == pytest.approx(report.macs / report.seconds)
    roof = next(line for line in ax.lines if "TB/s" in line.get_label())
    peak = report.peak_macs_per_cycle / report.cycles * report.cycles * 1e9
    assert max(roof.get_ydata()) == pytest.approx(peak)
    # The slope is the bandwidth.
    assert roof.get_ydata()[0] / roof.get_xdata()[0] == pytest.approx(1500e9)
    assert png(figure).startswith(b"\x89PNG")


def test_plot_timeline(report):
    figure = report.plot_timeline()
    (ax,) = figure.axes
    bars = sum(len(collection.get_paths()) for collection in ax.collections)
    assert bars == sum(1 for c in report.commands if c.context != "host" and c.cycles)
    assert [label.get_text() for label in ax.get_yticklabels()] == list(report.contexts)
    assert png(figure).startswith(b"\x89PNG")


def test_plots_of_nothing_and_into_given_axes(report):
    from matplotlib.figure import Figure

    empty = make([], cycles=0)
    assert png(empty.plot_roofline()) and png(empty.plot_timeline())
    figure = Figure()
    left, right = figure.subplots(1, 2)
    assert report.plot_roofline(left) is figure
    assert report.plot_timeline(right) is figure
