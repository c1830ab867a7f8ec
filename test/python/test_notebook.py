# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What notebooks show of objects, and the pages of programs."""

import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser

import pytest

import sequin

SVG = "{http://www.w3.org/2000/svg}"
MARKUP = "</script><script>alert(1)</script>"


class Wellformed(HTMLParser):
    """Elements are closed in the order in which they were opened; texts are kept."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.text = [], [], ""
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


@pytest.fixture(scope="module")
def program():
    return sequin.compile_einsum("mk,kn->mn", "m=64,k=128,n=64", dtype="bf16")


@pytest.fixture(scope="module")
def report(program):
    return program.run(timing_only=True).report


def test_report(report):
    shown = Wellformed(report._repr_html_())
    assert f"{report.cycles:,} cycles" in shown.text
    assert "linalg.generic" in shown.text
    assert "script" not in shown.tags and "svg" in shown.tags


def test_plain_report_is_ten_lines(report):
    lines = repr(report).splitlines()
    assert len(lines) <= 10
    assert lines[0] == f"<sequin.Report: {len(report.commands)} commands"
    assert lines[-1].endswith(">") and max(map(len, lines)) < 100


def test_timeline(report):
    picture = ElementTree.fromstring(report.timeline()._repr_svg_())
    bars = picture.findall(f"{SVG}rect")[1:]
    timed = [c for c in report.commands if c.context != "host"]
    assert len(bars) == len(timed)
    assert {bar.find(f"{SVG}title").text.split(",")[0] for bar in bars} == {c.name for c in timed}
    assert isinstance(report.timeline(), str)


def test_a_timeline_of_many_commands_has_few_bars():
    command = {"context": "dma", "stages": {}, "chips": [0]}
    commands = [{**command, "id": i, "name": f"c.{i}", "start": 10 * i, "end": 10 * i + 9}
                for i in range(100_000)]
    keys = dict.fromkeys(("target", "chips", "cycles", "seconds", "macs", "peak_macs_per_cycle",
                          "mac_utilization", "hbm_bytes_read", "hbm_bytes_written",
                          "hbm_utilization"), 1)
    report = sequin.Report.from_dict({**keys, "target": "rngd", "cycles": 10**6, "commands": commands,
                                      "sim": {"wall_seconds": 0, "macs_per_second": 0}})
    assert len(report._repr_html_()) < 100_000


def test_program_mapping_derivation(program):
    shown = Wellformed(program._repr_html_())
    assert "64 × 128" in shown.text and "rngd" in shown.text
    mapping = sequin.Mapping("B / 64, B % 32", axes={"B": 128})
    assert ElementTree.fromstring(mapping._repr_svg_()).tag == f"{SVG}svg"
    derivation = sequin.Mapping("B", axes={"B": 64}).derive(buffer="B % 8, B / 8")
    assert "× 8" in Wellformed(derivation._repr_html_()).text


def test_errors_show_what_the_tools_print():
    with pytest.raises(sequin.CompileError) as caught:
        sequin.compile(f"func.func @main() {{ {MARKUP}", target="rngd")
    shown = Wellformed(caught.value._repr_html_())
    assert "script" not in shown.tags
    assert shown.text == "CompileError" + str(caught.value)


def test_nothing_of_a_program_is_markup():
    text = f"""
    func.func @main(%a: tensor<64xi8>) -> tensor<64xi8> {{
      %e = tensor.empty() : tensor<64xi8>
      %r = linalg.add ins(%a, %a : tensor<64xi8>, tensor<64xi8>)
          outs(%e : tensor<64xi8>) -> tensor<64xi8> loc("{MARKUP}")
      return %r : tensor<64xi8>
    }}"""
    report = sequin.compile(text, target="rngd").run(timing_only=True).report
    assert report.sources[0]["location"] == MARKUP
    shown = Wellformed(report._repr_html_())
    assert "script" not in shown.tags and MARKUP in shown.text


def test_page(program, report, tmp_path):
    page = program.page(title="a & b < c")
    assert "<title>a &amp; b &lt; c</title>" in page.html
    page.save(tmp_path / "p.html")
    assert (tmp_path / "p.html").read_text() == page.html
    shown = Wellformed(page._repr_html_())
    assert shown.tags == ["iframe"]
    assert report.page().title == "a run on rngd"
    report.save(tmp_path / "r.json")
    with pytest.raises(ValueError, match="only the report of a run has a page"):
        sequin.Report.load(tmp_path / "r.json").page()


def test_matplotlib_stays_optional():
    code = ("import sys, sequin; p = sequin.compile_einsum('mk,kn->mn', 'm=8,k=64,n=8', dtype='bf16');"
            "p.page(); p.run(timing_only=True).report._repr_html_(); assert 'matplotlib' not in sys.modules")
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)
