# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Host programs for the wafer-scale machines: what the vendor's scripts import from
`cerebras.sdk`, driving the fabric simulator (docs/Guides/HostRuntime.md).

The modules of the package `cerebras` only repeat names from here.
"""
