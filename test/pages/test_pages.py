# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pages of runs: they open, can be read, and their views show the same."""

import json
import re

import pytest
from conftest import HEIGHT, RUNS, WIDTH, sequin_run

TCP, WAFER = ("digits", "gemm", "chips"), ("stencil", "tree", "hang")

#: Boxes of all texts that are seen, those in canvases too.
TEXTS = """
const seen = [];
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  const node = walker.currentNode, parent = node.parentElement;
  if (!node.data.trim() || !parent.checkVisibility() || parent.closest('script, option, noscript, .tip')) continue;
  const range = document.createRange();
  range.selectNodeContents(node);
  for (const box of range.getClientRects()) {
    // What an ancestor cuts off is not seen.
    let [x, y, right, bottom] = [box.left, box.top, box.right, box.bottom];
    for (let at = parent; at; at = at.parentElement) {
      const style = getComputedStyle(at), outer = at.getBoundingClientRect();
      if (style.overflow === 'visible') continue;
      [x, y] = [Math.max(x, outer.left), Math.max(y, outer.top)];
      [right, bottom] = [Math.min(right, outer.right), Math.min(bottom, outer.bottom)];
    }
    // Headings of a table stay where they are while its rows move below them.
    if (right - x > 1 && bottom - y > 1 && !parent.closest('tbody, th'))
      seen.push([x, y, right, bottom, node.data.trim().slice(0, 40), parseFloat(getComputedStyle(parent).fontSize)]);
  }
}
for (const drawing of window.sequin.canvases) {
  const outer = drawing.canvas.getBoundingClientRect();
  if (outer.width) for (const label of drawing.labels)
    seen.push([outer.left + label.x, outer.top + label.y, outer.left + label.x + label.w, outer.top + label.y + label.h, label.text, 12]);
}
return seen;
"""


def overlaps(boxes):
    """Pairs of texts that lie on each other by more than a pixel."""
    found = []
    boxes = sorted(boxes)
    for i, a in enumerate(boxes):
        for b in boxes[i + 1:]:
            if b[0] >= a[2] - 1:
                break
            # A text that is cut has two boxes, one of them for the ellipsis.
            if min(a[3], b[3]) - max(a[1], b[1]) > 3 and a[4] != b[4]:
                found.append((a[4], b[4]))
    return found


def check_legible(browser, least=10):
    """At 1280 x 800: nothing beside the window, no text on another, none too small."""
    browser.settle()
    assert browser.run("return document.documentElement.scrollWidth") <= WIDTH
    boxes = browser.run(TEXTS)
    assert len(boxes) >= least
    assert overlaps(boxes) == []
    assert min(box[5] for box in boxes) >= 12
    assert browser.complaints() == []


@pytest.mark.parametrize("name", RUNS)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_opens_and_is_legible(browser, pages, picture, name, theme):
    browser.open(pages(name))
    if browser.run("return document.documentElement.dataset.theme") != theme:
        browser.run("document.getElementById('theme').click()")
    assert browser.run("return document.documentElement.dataset.theme") == theme
    check_legible(browser)
    picture(name if theme == "light" else f"{name}-dark")
    while browser.run("const y = scrollY; scrollBy(0, 600); return scrollY > y"):
        check_legible(browser)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_contrast_of_texts(browser, pages, theme):
    """4.5 to 1, as the accessibility guidelines ask."""
    browser.open(pages("digits"))
    if browser.run("return document.documentElement.dataset.theme") != theme:
        browser.run("document.getElementById('theme').click()")

    def luminance(name):
        text = browser.run("return getComputedStyle(document.documentElement)"
                           ".getPropertyValue(arguments[0]).trim()", f"--{name}")
        parts = [int(text[i:i + 2], 16) / 255 for i in (1, 3, 5)]
        r, g, b = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
        return 0.2126 * r + 0.7152 * g + 0.0722 * b

    for ink in ("ink", "faint", "accent"):
        for ground in ("panel", "ground"):
            low, high = sorted((luminance(ink), luminance(ground)))
            assert (high + 0.05) / (low + 0.05) >= 4.5, (ink, ground)


def command(browser, name: str) -> int:
    return browser.run("const run = window.sequin.run;"
                       "return run.byStart.find((i) => run.name(i) === arguments[0])", name)


def click_command(browser, item: int):
    """As a mouse does, in the middle of the command's bar."""
    browser.run("""
      const [timeline, run, item] = [window.sequin.timeline, window.sequin.run, arguments[0]];
      const canvas = timeline.drawing.canvas, box = canvas.getBoundingClientRect();
      const x = timeline.x((run.start[item] + run.end[item]) / 2, timeline.drawing.width);
      const y = timeline.top(timeline.trackOf(item)) + 10;
      for (const type of ['pointerdown', 'pointerup', 'click'])
        canvas.dispatchEvent(new PointerEvent(type, {clientX: box.left + x, clientY: box.top + y, bubbles: true}));
    """, item)
    browser.settle()


def details(browser) -> str:
    return browser.run("return document.querySelector('aside').innerText")


def test_a_click_on_a_command_shows_it_everywhere(browser, pages, picture):
    browser.open(pages("digits"))
    item = command(browser, "commit")
    click_command(browser, item)
    text = details(browser)
    assert text.startswith("commit\n") and "linalg.matmul mlp.mlir:18" in text
    assert re.search(r"RAW on vrf\[0, \d+\) by to_vrf\n", text)
    # Its picture: stages, slices and loops.
    assert browser.run("return document.querySelectorAll('aside .stage.bound').length") >= 1
    assert browser.run("return document.querySelectorAll('aside .loop').length") >= 4
    assert browser.run("return document.querySelectorAll('aside .order').length") >= 2
    row = browser.run("return document.querySelector('#operations tr[aria-selected=true]').innerText")
    assert "linalg.matmul" in row and "mlp.mlir:18" in row
    line = browser.run("return document.querySelector('#source .chosen').innerText")
    assert "linalg.matmul" in line
    assert browser.run("return window.sequin.run.selectedHoldings.size") >= 2
    assert browser.run("return document.querySelectorAll('#roofline .point.chosen').length") == 1
    check_legible(browser)
    picture("selection")
    # What it waited for is one click away.
    browser.run("[...document.querySelectorAll('aside dd button')].find((b) => b.textContent === 'to_vrf').click()")
    assert details(browser).startswith("to_vrf\n")
    browser.run("document.dispatchEvent(new KeyboardEvent('keydown', {key: 'Escape'}))")
    assert details(browser).startswith("Nothing selected")


def test_a_click_on_a_line_of_the_table_dims_the_others(browser, pages):
    browser.open(pages("gemm"))
    browser.run("document.querySelector('#operations tbody tr').click()")
    faded = browser.run("const run = window.sequin.run; return run.byStart.map((i) => run.isFaded(i))")
    assert faded.count(False) == 1 and faded.count(True) == 4
    assert "tcp.to_hbm" in details(browser)
    browser.run("document.querySelector('#source .timed').click()")
    assert browser.run("return document.querySelector('#source .chosen') !== null")
    browser.run("document.querySelector('#operations th:nth-child(4) button').click()")
    order = browser.run("return document.querySelector('#operations th:nth-child(4)').ariaSort")
    assert order == "ascending"


def test_a_click_on_memory_and_on_the_roofline(browser, pages):
    browser.open(pages("digits"))
    browser.run("""
      const memory = window.sequin.memory, [, x, y, w, h] = memory.bars[0];
      const canvas = memory.drawing.canvas, box = canvas.getBoundingClientRect();
      for (const type of ['pointerdown', 'pointerup', 'click'])
        canvas.dispatchEvent(new PointerEvent(type, {clientX: box.left + x + w / 2, clientY: box.top + y + h / 2, bubbles: true}));
    """)
    browser.settle()
    assert details(browser).startswith("to_dm\n")
    browser.run("document.querySelector('#memory [data-value=\"1\"]').click()")
    browser.settle()
    assert "HBM" in browser.run("return document.querySelector('#memory .note').innerText")
    browser.run("document.querySelector('#roofline circle').dispatchEvent(new MouseEvent('click', {bubbles: true}))")
    assert browser.run("return window.sequin.run.operation !== null && window.sequin.run.solo")


def test_zoom_and_search(browser, pages):
    browser.open(pages("digits"))
    browser.run("""
      const canvas = window.sequin.timeline.drawing.canvas, box = canvas.getBoundingClientRect();
      canvas.dispatchEvent(new WheelEvent('wheel', {deltaY: -200, clientX: box.left + 400, clientY: box.top + 60, cancelable: true}));
    """)
    begin, end, full = browser.run("const t = window.sequin.run.time; return [t.begin, t.end, t.full]")
    assert 0 < begin < end < full
    browser.run("""
      const box = document.querySelector('input[type=search]');
      box.value = 'to_trf';
      box.dispatchEvent(new Event('input'));
      box.dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter'}));
    """)
    browser.settle()
    assert browser.run("return window.sequin.run.matches.size") == 3
    assert details(browser).startswith("to_trf\n")
    check_legible(browser)


def test_the_wafer_shows_a_pe_and_a_line(browser, pages, picture):
    browser.open(pages("stencil"))
    browser.run("""
      const fabric = window.sequin.fabric, {cell, left, top} = fabric.geometry();
      const box = fabric.drawing.canvas.getBoundingClientRect();
      fabric.drawing.canvas.dispatchEvent(new MouseEvent('click',
        {clientX: box.left + left + 2.5 * cell, clientY: box.top + top + 1.5 * cell, bubbles: true}));
    """)
    browser.settle()
    assert "PE (2, 1)" in details(browser)
    assert "PE (2, 1)" in browser.run("return document.querySelector('#threads .hint').innerText")
    assert browser.run("return window.sequin.timeline.tracks.length") >= 2
    browser.run("document.querySelector('#operations tbody tr').click()")
    assert browser.run("return document.querySelector('#source .chosen') !== null")
    check_legible(browser)
    picture("stencil-pe")
    browser.run("const s = document.querySelector('.player input'); s.value = 1; s.dispatchEvent(new Event('input'))")
    assert re.search(r"cycles \d", browser.run("return document.querySelector('.player output').innerText"))
    check_legible(browser)


def test_a_hang_names_who_waits_for_whom(browser, pages):
    browser.open(pages("hang"))
    text = details(browser)
    assert text.startswith("Who waits for whom") and "needs PE (4, 0)" in text
    assert "reduce_tree.mlir:60" in text and "likely cause: nothing was sent" in text
    assert "Nothing moves since cycle" in browser.run("return document.querySelector('.banner').innerText")
    browser.run("document.querySelector('.waits div button').click()")
    assert "PE (4, 0)" in browser.run("return document.querySelector('#threads .hint').innerText")


def test_sums_over_pes_are_the_report_s(browser, pages, tmp_path):
    """What the page draws over time adds up to what the report counts."""
    browser.open(pages("stencil"))
    data = browser.run("const {data} = window.sequin; return {work: data.activity.work.reduce((a, b) => a + b, 0),"
                       "moved: data.activity.moved.reduce((a, b) => a + b, 0),"
                       "pes: data.pes.main.reduce((a, b) => a + b, 0) + data.pes.issue.reduce((a, b) => a + b, 0),"
                       "colors: data.pes.colors.flatMap((c) => c.filter((_, i) => i % 2)).reduce((a, b) => a + b, 0)}")
    assert data["work"] == data["pes"] and data["moved"] == data["colors"] > 0


def test_a_page_changes_no_time(tmp_path):
    reports = []
    for flags in ([], ["--page", tmp_path / "p.html"]):
        path = tmp_path / "r.json"
        sequin_run("examples/digits/mlp.mlir", "--target=rngd", "--timing-only", "--report", path, *flags)
        reports.append({**json.loads(path.read_text()), "sim": None})
    assert reports[0] == reports[1]
    first = (tmp_path / "p.html").read_text()
    sequin_run("examples/digits/mlp.mlir", "--target=rngd", "--timing-only", "--page", tmp_path / "p.html",
               "--report", tmp_path / "r.json")
    # The same but for the command line and what the simulation took.
    assert abs(len((tmp_path / "p.html").read_text()) - len(first)) < 200


def test_nothing_comes_from_elsewhere(pages):
    text = pages("digits").read_text()
    assert not re.search(r"<(?:script|link|img|iframe)[^>]*\b(?:src|href)=\"(?!data:)", text)
    assert len(text) < 400_000 and HEIGHT == 800
