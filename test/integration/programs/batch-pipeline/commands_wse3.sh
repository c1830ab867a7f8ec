#!/usr/bin/env bash
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -e
cslc --arch=wse3 ./layout.csl --fabric-dims=16,3 --fabric-offsets=6,1 --params=P:5,B:32 \
  -o out --memcpy --channels=1 --width-west-buf=2 --width-east-buf=1
cs_python run.py --name out --batches 9
