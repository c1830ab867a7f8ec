# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a program runs on: the simulator, as there is no system here."""

from __future__ import annotations

import os
from dataclasses import dataclass
from enum import Enum

from sequin._boundary import host_call, host_class
from sequin.errors import HostError

__all__ = [
    "SdkExecutionPlatform",
    "SdkTarget",
    "SimfabConfig",
    "get_platform",
    "get_simulator",
    "get_system",
]

MOST_THREADS = 64


class SdkTarget(Enum):
    """A generation of the wafer-scale engine."""

    WSE2 = 0
    WSE3 = 1

    @property
    def machine(self) -> str:
        """The name of the machine's row."""
        return self.name.lower()


def check_threads(name: str, count: int) -> int:
    """A number of threads that the simulator may use at most."""
    if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= MOST_THREADS:
        raise HostError(f"{name} is {count!r}, expected a number from 1 to {MOST_THREADS}")
    return count


@host_class
@dataclass
class SimfabConfig:
    """How the simulator runs."""

    num_threads: int = 16
    suppress_trace: bool = False
    dump_core: bool = False
    """Whether stop() writes the core file."""
    core_path: str | os.PathLike[str] | None = None
    """Where to; None is out.core."""

    def __post_init__(self) -> None:
        check_threads("num_threads", self.num_threads)


class SdkExecutionPlatform:
    """Where a program runs; made by get_platform, get_simulator and get_system."""

    def __init__(self, config: SimfabConfig, target: SdkTarget) -> None:
        self.config = config
        self.target = target

    def is_simulation(self) -> bool:
        """Whether it is a simulator; always, here."""
        return True

    def is_system(self) -> bool:
        """Whether it is a real system; never, here."""
        return False

    def __repr__(self) -> str:
        return f"<simulator of {self.target.name}>"


def refuse_system(address: str) -> HostError:
    return HostError(
        f"cmaddr is {address!r}, but this runtime drives a simulator and reaches no system; "
        "leave cmaddr out or empty"
    )


@host_call
def get_platform(
    cmaddr: str | None = None,
    config: SimfabConfig | None = None,
    target: SdkTarget = SdkTarget.WSE3,
) -> SdkExecutionPlatform:
    """The platform at an address, which must be None or empty: the simulator."""
    if cmaddr:
        raise refuse_system(cmaddr)
    return get_simulator(config, target)


@host_call
def get_simulator(
    config: SimfabConfig | None = None, target: SdkTarget = SdkTarget.WSE3
) -> SdkExecutionPlatform:
    """The simulator of a target."""
    if isinstance(config, SdkTarget):
        config, target = None, config
    if not isinstance(target, SdkTarget):
        raise HostError(f"target is {target!r}, expected one of {', '.join(map(str, SdkTarget))}")
    return SdkExecutionPlatform(config or SimfabConfig(), target)


@host_call
def get_system(cmaddr: str) -> SdkExecutionPlatform:
    """Refused: there is no system."""
    raise refuse_system(cmaddr)
