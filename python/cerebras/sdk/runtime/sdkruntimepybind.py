# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""sequin.host under the vendor's name."""

from sequin.host.geometry import IntRectangle, IntVector
from sequin.host.layout import FP16TYPE, SdkLayout
from sequin.host.platform import (
    SdkExecutionPlatform,
    SdkTarget,
    SimfabConfig,
    get_platform,
    get_simulator,
    get_system,
)
from sequin.host.regions import CodeRegion, PortHandle
from sequin.host.routes import (
    Color,
    Edge,
    EdgeRouteInfo,
    Route,
    RoutingPosition,
    get_edge_routing,
)
from sequin.host.runtime import (
    MemcpyDataType,
    MemcpyOrder,
    SdkCompileArtifacts,
    SdkRuntime,
    Task,
)

__all__ = [
    "CodeRegion",
    "Color",
    "Edge",
    "EdgeRouteInfo",
    "FP16TYPE",
    "IntRectangle",
    "IntVector",
    "MemcpyDataType",
    "MemcpyOrder",
    "PortHandle",
    "Route",
    "RoutingPosition",
    "SdkCompileArtifacts",
    "SdkExecutionPlatform",
    "SdkLayout",
    "SdkRuntime",
    "SdkTarget",
    "SimfabConfig",
    "Task",
    "get_edge_routing",
    "get_platform",
    "get_simulator",
    "get_system",
]
