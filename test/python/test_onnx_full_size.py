# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks at the size that people use; onnx_full_size.py prints what each of them takes."""

import numpy as np
import pytest

pytest.importorskip("onnx", reason="needs python3-onnx")

import sequin  # noqa: E402
from onnx_exported import Exporter, gpt2  # noqa: E402
from onnx_full_size import (  # noqa: E402
    MOST_BYTES,
    NETWORKS,
    measure_alone,
)


@pytest.mark.parametrize("name", ["efficientnet-block", "lstm", "resnet18"])
def test_network(name):
    found = measure_alone(name)
    assert found["bytes"] <= MOST_BYTES, found
    assert 0 < found["of_bound"] <= 1 and found["cycles"] > 0


def test_import_of_weights_in_the_file(tmp_path):
    """GPT-2 small, half a gigabyte of it in one file."""

    class Ones(Exporter):
        def weight(self, name, *shape, scale=1.0):
            return self.constant(np.ones(shape, np.float32), name)

    network = NETWORKS["gpt2-small"]
    (tmp_path / "gpt2.onnx").write_bytes(gpt2(Ones(17), **network.options).bytes())
    model = sequin.import_onnx(tmp_path / "gpt2.onnx", network.sizes)
    assert sum(array.nbytes for array in model.weights.values()) > 400_000_000
