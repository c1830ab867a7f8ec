# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""sequin.import_visa: kernels in Rust, compiled and run."""

import numpy as np
import pytest

import sequin
from conftest import SOURCE

HELLO = SOURCE / "examples" / "visa" / "hello.rs"


def test_runs_a_kernel():
    program = sequin.import_visa(HELLO, entry="multiply")
    x, y = np.arange(2048), np.arange(2048)[::-1] - 1000
    result = program.run(x, y, verify=True)
    assert np.array_equal(result.output, x * y)
    assert "bit for bit" in result.verified
    assert result.report.cycles > 0


def test_given_addresses_take_as_long():
    cycles = [sequin.import_visa(HELLO, entry="scale_and_shift", addresses=addresses)
              .run(timing_only=True).report.cycles for addresses in ("allocate", "given")]
    assert cycles[0] == cycles[1]


def test_text_and_refusal():
    text = HELLO.read_text()
    assert sequin.import_visa(text, entry="gemv::matrix_vector").target == "rngd"
    with pytest.raises(sequin.CompileError) as caught:
        sequin.import_visa(text.replace(".fetch::<bf16, m![1], m![K]>", ".fech"),
                           entry="gemv::matrix_vector", name="mine.rs")
    error = caught.value
    assert error.text == "'BeginTensor' has no method 'fech', did you mean 'fetch'?"
    assert error.file == "mine.rs" and error.line > 1


def test_kernels_are_listed():
    with pytest.raises(sequin.CompileError, match="gemv::matrix_vector"):
        sequin.import_visa(HELLO)
    with pytest.raises(sequin.CompileError, match="allocate and given"):
        sequin.import_visa(HELLO, entry="multiply", addresses="mine")
