#!/usr/bin/env bash
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -e
cslc --arch=wse2 ./layout.csl --fabric-dims=8,6 --fabric-offsets=4,1 --params=height:4,count:12 \
--params=MEMCPYH2D_DATA_1_ID:10 --params=MEMCPYD2H_DATA_1_ID:11 --params=MEMCPYD2H_DATA_2_ID:12 \
-o out --memcpy --channels=1
cs_python run.py --name out
