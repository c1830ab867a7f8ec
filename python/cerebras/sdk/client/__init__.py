# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""sequin.host.appliance under the vendor's name."""

from cerebras.sdk import sdk_utils
from sequin.host.appliance import SdkCompiler, SdkLauncher, SdkRuntime

__all__ = ["SdkCompiler", "SdkLauncher", "SdkRuntime", "sdk_utils"]
