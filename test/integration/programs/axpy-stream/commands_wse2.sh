#!/usr/bin/env bash
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -e
cslc ./layout.csl --fabric-dims=10,4 --fabric-offsets=4,1 \
  --params=width:3,height:2,L:6 \
  --params=MEMCPYH2D_DATA_1_ID:0,MEMCPYH2D_DATA_2_ID:1,MEMCPYD2H_DATA_1_ID:2,LAUNCH_ID:8 \
  -o out --memcpy --channels=1 --width-west-buf=0 --width-east-buf=0 --arch=wse2
cs_python run.py --name out
