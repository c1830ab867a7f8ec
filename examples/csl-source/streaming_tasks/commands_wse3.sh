#!/bin/sh
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -e
cslc ./layout.csl --arch=wse3 --fabric-dims=10,4 --fabric-offsets=4,1 \
  --params=width:3,MEMCPYH2D_DATA_1_ID:0,MEMCPYH2D_DATA_2_ID:1,MEMCPYD2H_DATA_1_ID:2,MEMCPYD2H_DATA_2_ID:3 \
  --memcpy --channels=1 -o out
cs_python run.py --name out
