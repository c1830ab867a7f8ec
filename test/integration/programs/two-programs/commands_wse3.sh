#!/usr/bin/env bash
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -e
cd host
cs_python ./drive.py --arch=wse3 --keep ../build -v
cd ..; rm -rf build
