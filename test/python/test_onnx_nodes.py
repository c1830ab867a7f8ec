# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX's own node tests: how many pass, that none is wrong, that the page says so."""

import pytest

pytest.importorskip("onnx", reason="needs python3-onnx")

import onnx_node_tests as nodes  # noqa: E402


@pytest.fixture(scope="module")
def results():
    return [nodes.run(case) for case in nodes.cases()]


def test_first_tier(results):
    counted = [r for r in results if r.first_tier and r.outcome != "left out"]
    passed = sum(r.outcome == "pass" for r in counted)
    assert len(counted) >= 600
    assert passed >= 0.98 * len(counted)


def test_none_is_wrong(results):
    assert [(r.name, r.reason) for r in results if r.outcome in ("wrong", "crash")] == []


def test_page_is_what_happens(results):
    assert nodes.COVERAGE.read_text() == nodes.page(results)
