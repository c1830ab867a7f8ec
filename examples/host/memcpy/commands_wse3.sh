#!/bin/sh
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -e
cslc ./layout.csl --arch=wse3 --fabric-dims=11,5 --fabric-offsets=4,1 \
  --params=width:4,height:3,size:10 \
  --params=MEMCPYH2D_DATA_1_ID:2 --params=MEMCPYD2H_DATA_1_ID:3 \
  --memcpy --channels=1 -o out_wse3
cs_python run.py --name out_wse3
