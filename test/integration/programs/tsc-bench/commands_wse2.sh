#!/usr/bin/env bash
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -e
cslc ./src/layout.csl --arch=wse2 --fabric-dims=11,5 --fabric-offsets=4,1 --params=width:4,height:3 --params=K:40 -o=out \
 --memcpy --channels=1 --width-west-buf=0 --width-east-buf=0
cs_python ./run.py --latestlink out
