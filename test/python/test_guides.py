# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The sessions in the guides are real: each ```pycon block is executed and compared."""

import doctest
import re

import pytest

from conftest import SOURCE

GUIDES = ["Python", "ReadingAReport", "WritingAKernel", "KernelsInRust", "JsonSchema",
          "ModelsFromOnnx", "ModelsFromTorch", "OtherFrontEnds"]
BLOCK = re.compile(r"^```pycon\n(.*?)^```$", re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("name", GUIDES)
def test_guide(name, monkeypatch):
    if name == "ModelsFromOnnx":
        pytest.importorskip("onnx", reason="needs python3-onnx")
    if name == "ModelsFromTorch":
        pytest.importorskip("torch", reason="needs python3-torch: tools/dev/deps --torch")
    path = SOURCE / "docs" / "Guides" / f"{name}.md"
    text = path.read_text()
    # Paths in the guides are those of the source tree.
    monkeypatch.chdir(SOURCE)
    # The blocks of a guide are one session; lines outside them become empty, so that
    # failures name the right line.
    session = []
    for start, block in ((m.start(1), m[1]) for m in BLOCK.finditer(text)):
        line = text.count("\n", 0, start)
        session.append("\n" * (line - sum(part.count("\n") for part in session)))
        session.append(block)
    assert session
    test = doctest.DocTestParser().get_doctest("".join(session), {}, name, str(path), 0)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.REPORT_NDIFF)
    output = []
    runner.run(test, out=output.append)
    assert runner.summarize(verbose=False).failed == 0, "".join(output)
