# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""sequin.host.debug under the vendor's name."""

from sequin.host.debug import debug_util

__all__ = ["debug_util"]
