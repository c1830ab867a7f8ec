#!/usr/bin/python3
# ===- streams_across.py - Weights that lie across their sum --------------=== #
#
# Part of the Sequin project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------=== #
"""Compares products of a few rows and a row-major [k, n] matrix with NumPy, exactly: bf16, f8
and i8; in one load and several; with operands of the vector engine behind the sums.

Every mapping must say that it is so. Exit status: 0 if all agree, 1 if not.
"""

import sys

from ring_chunks import Product, check

FREE = (0, 0, 0)
ACROSS = ("across the sum", "of the sum")
PRODUCTS = [
    Product(1, 2048, 2048, "bf16", FREE, ACROSS),
    Product(1, 768, 1024, "bf16", FREE, ACROSS, bias=True),
    Product(1, 4096, 3840, "bf16", FREE, ACROSS, residual=True),
    Product(2, 3840, 1024, "f8E4M3FN", FREE, ACROSS),
    Product(4, 2048, 1024, "i8", FREE, ACROSS, bias=True, residual=True),
    Product(8, 1024, 2048, "bf16", FREE, ACROSS),
    Product(8, 2048, 512, "f8E4M3FN", FREE, ACROSS, bias=True),
]

if __name__ == "__main__":
    sys.exit(check(PRODUCTS, ["--argument-layout=row-major"]))
