# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The older name of `cerebras.sdk.sdk_utils`."""

from cerebras.sdk.sdk_utils import *  # noqa: F403
