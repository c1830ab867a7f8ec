# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What ran programs before SdkRuntime did, and is not here."""

raise ImportError(
    "cerebras.elf (CSELFRunner, ELFMemory) is older than SdkRuntime and not here; write "
    "SdkRuntime of cerebras.sdk.runtime.sdkruntimepybind with memcpy_h2d, launch and memcpy_d2h, "
    "and debug_util of cerebras.sdk.debug.debug_util to look at memory"
)
