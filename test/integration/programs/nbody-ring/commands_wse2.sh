#!/usr/bin/env bash
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -e
cslc ./layout.csl --arch wse2 --fabric-dims=14,3 --fabric-offsets=4,1 -o out \
  --params=width:7,nb:4 --params=LAUNCH_ID:0 --memcpy --channels=1 --width-west-buf=0 --width-east-buf=0
cs_python run.py --name out
