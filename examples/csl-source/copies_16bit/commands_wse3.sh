#!/bin/sh
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -e
cslc ./layout.csl --arch=wse3 --fabric-dims=13,5 --fabric-offsets=6,1 \
  --params=width:3,height:3,N:4 \
  --width-west-buf=2 --width-east-buf=1 \
  --memcpy --channels=2 -o out
cs_python run.py --name out
