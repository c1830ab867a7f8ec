# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The enumerations of sequin.host.runtime under the name that scripts for a cluster use."""

from sequin.host.runtime import MemcpyDataType, MemcpyOrder

__all__ = ["MemcpyDataType", "MemcpyOrder"]
