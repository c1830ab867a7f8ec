# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The older name of `cerebras.sdk.sdk_utils`."""

from cerebras.sdk.sdk_utils import *  # noqa: F403
from sequin.host.former import warn_former

warn_former(
    "the module 'cerebras.sdk.runtime.runtime_utils'", "0.9", "1.0",
    "it is 'cerebras.sdk.sdk_utils'",
)
