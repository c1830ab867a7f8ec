# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The older name of `cerebras.appliance`, and of `cerebras.sdk.client` as `sdk`."""

import sys

from cerebras.appliance import pb
from cerebras.appliance.pb.sdk import sdk_common_pb2
from cerebras.sdk import client as sdk
from sequin.host.former import warn_former

warn_former(
    "the package 'cerebras_appliance'", "", "",
    "there are 'cerebras.sdk.client' and 'cerebras.appliance'",
)

__all__ = ["pb", "sdk"]

for _name, _module in (
    ("pb", pb), ("pb.sdk", pb.sdk), ("pb.sdk.sdk_common_pb2", sdk_common_pb2), ("sdk", sdk),
):
    sys.modules[f"{__name__}.{_name}"] = _module
