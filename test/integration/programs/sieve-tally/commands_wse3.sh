#!/usr/bin/env bash
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -e
cslc --arch=wse3 ./sieve_layout.csl --fabric-dims=15,5 --fabric-offsets=4,1 \
  --params=WIDTH:8,HEIGHT:3,LIMIT:40 --colors=OUT_COLOR:8 --params=MEMCPYD2H_DATA_1_ID:11 -o out --memcpy --channels=1
cs_python run.py --name out
