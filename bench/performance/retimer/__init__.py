# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A cycle model of TCP configurations, written from the manual and from nothing else.

The second opinion on the simulator's cycles. It reads a configuration (docs/Spec/Config.md) and
a machine's row as JSON, and shares no code with the simulator, with the compiler's cost model,
or with the other files of this folder.

nests     loop nests: the addresses they visit, the bytes they cover
passes    how long a pass of the tensor unit takes (Fetch ... Commit Engine)
hbm       where addresses lie in HBM, and how long its channels work (Memory Performance)
moves     how long a DMA command takes (DMA Engine; Memory Performance)
walk      how the engines of a DMA command keep each other waiting (the same)
touched   which bytes a command reads and writes
beside    what passes of the two contexts take from each other (TRF Cache; Bank Starvation)
schedule  what runs when (Scheduling)

Chapters in brackets are those of the TCP Virtual ISA manual. Where it is silent a function names
the decision of this project that it follows (docs/Decisions). Cycles are those of the core clock.
"""
