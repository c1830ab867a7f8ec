# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pages of programs that mean no good, that are empty, too large, or come to no end."""

import json
import subprocess

import pytest
from conftest import BUILD, sequin_run
from test_pages import check_legible, details

MARKUP = "</script><img src=x onerror='window.hacked=1'><script>window.hacked=1</script>"

PROGRAM = """
#name = loc("%s")
func.func @main(%%a: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
  %%e = tensor.empty() : tensor<64x64xbf16>
  %%r = linalg.add ins(%%a, %%a : tensor<64x64xbf16>, tensor<64x64xbf16>)
      outs(%%e : tensor<64x64xbf16>) -> tensor<64x64xbf16> loc(#name)
  return %%r : tensor<64x64xbf16>
}
// <script>window.hacked = 1</script>
"""


def texts(browser) -> str:
    return browser.run("return document.body.innerText")


def test_names_with_markup_are_names(browser, tmp_path):
    program = tmp_path / "<script>alert(1)<"
    program.mkdir()
    program = program / "b><img src=x onerror=window.hacked=1>.mlir"
    program.write_text(PROGRAM % MARKUP)
    sequin_run(program, "--target=rngd", "--timing-only", "--page", tmp_path / "p.html")
    browser.open(tmp_path / "p.html")
    browser.run("document.querySelector('#operations tbody tr').click()")
    check_legible(browser)
    assert browser.run("return window.hacked") is None
    assert browser.run("return document.querySelectorAll('img').length") == 0
    assert browser.run("return document.title") == program.name
    assert browser.run("return document.querySelector('h1').textContent") == program.name
    assert MARKUP in browser.run("return window.sequin.data.strings.join()")
    assert "img src=x" in details(browser)


def configuration(tmp_path) -> dict:
    """A real one to spoil: the product of the guide."""
    lowered = tmp_path / "c.mlir"
    for tool, *flags in (("sequin-opt", "--tcp-to-config", "--mlir-print-debuginfo", "examples/tcp/gemm.mlir", "-o",
                          str(lowered)),
                         ("sequin-translate", "--tcp-to-json", str(lowered), "-o", str(tmp_path / "c.json"))):
        subprocess.run([str(BUILD / "bin" / tool), *flags], check=True, timeout=120)
    return json.loads((tmp_path / "c.json").read_text())


def run_configuration(tmp_path, program, code=0) -> str:
    (tmp_path / "c.json").write_text(json.dumps(program))
    return sequin_run("c.json", "--timing-only", "--max-steps=1000000000000", "--page", "p.html",
                      code=code)


def test_a_trap_is_what_the_page_is_about(browser, tmp_path, picture):
    program = configuration(tmp_path)
    pass_ = next(c for c in program["commands"] if c["name"] == "commit")
    pass_["commit"]["sequencer"]["entries"][0][0] += 1
    said = run_configuration(tmp_path, program, code=3)
    browser.open(tmp_path / "p.html")
    check_legible(browser)
    banner = browser.run("return document.querySelector('.banner').innerText")
    assert "Command commit, stage commit" in banner
    assert banner.split("commit: ")[1].split(". Nothing")[0] in said
    assert details(browser).startswith("commit\n")
    picture("trap")


def test_an_empty_program(browser, tmp_path):
    program = configuration(tmp_path)
    run_configuration(tmp_path, {**program, "commands": [], "inputs": [], "outputs": []})
    browser.open(tmp_path / "p.html")
    check_legible(browser, least=5)
    assert "The program has no commands." in texts(browser)


def in_a_loop(program: dict, rounds: int) -> dict:
    host = [c for c in program["commands"] if c["kind"] == "transfer"]
    rest = [c for c in program["commands"] if c["kind"] != "transfer"]
    first = [c for c in host if c["direction"] == "to_device"]
    last = [c for c in host if c["direction"] != "to_device"]
    loop = {"kind": "loop", "name": "rounds", "count": rounds, "commands": rest}
    return {**program, "commands": [*first, loop, *last]}


def test_a_million_commands_are_refused_with_a_page(browser, tmp_path):
    (tmp_path / "c.json").write_text(json.dumps(in_a_loop(configuration(tmp_path), 1_000_000)))
    said = sequin_run("c.json", "--timing-only", "--page", "p.html", code=3, folder=tmp_path)
    browser.open(tmp_path / "p.html")
    check_legible(browser)
    assert "--max-steps raises" in said and "Nothing has run" in texts(browser)
    assert "1,000,000" in texts(browser)


@pytest.mark.parametrize("rounds", [40_000])
def test_as_many_commands_as_there_may_be(browser, tmp_path, rounds):
    program = in_a_loop(configuration(tmp_path), rounds)
    run_configuration(tmp_path, program)
    assert (tmp_path / "p.html").stat().st_size < 20_000_000
    browser.open(tmp_path / "p.html")
    assert browser.run("return window.sequin.run.size") > 5 * rounds
    assert browser.memory() < 2**30
    browser.run("window.sequin.run.time.focus(1e6, 1.1e6)")
    check_legible(browser)


def test_step_limit_on_the_wafer(browser, pages, tmp_path):
    data = pages("tree").parent / "d.npy"
    sequin_run("examples/csl/wse3/reduce_tree.mlir", "--input", f"data={data}", "--launch", "reduce",
               "--max-steps", "50", "--page", tmp_path / "p.html", code=3)
    browser.open(tmp_path / "p.html")
    check_legible(browser)
    assert "came to its limit" in texts(browser)


def test_a_wafer_on_which_nothing_runs(browser, tmp_path):
    sequin_run("examples/csl/wse3/reduce_tree.mlir", "--page", tmp_path / "p.html")
    browser.open(tmp_path / "p.html")
    assert browser.complaints() == []
    assert "Nothing ran." in texts(browser)
