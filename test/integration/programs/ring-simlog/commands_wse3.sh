#!/usr/bin/env bash
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -e
export SINGULARITYENV_SIMFABRIC_DEBUG=landing
cslc ring.csl --arch=wse3 --fabric-dims=11,4 --fabric-offsets=4,1 --params=N:4,LAPS:3 -o out --memcpy --channels=1
cs_python run.py --name out
