#!/usr/bin/env bash
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -e
cs_python run.appliance.py --arch=wse3 -m 8 -k 12 -n 6 --compile-only
cs_python run.appliance.py --arch=wse3 -m 8 -k 12 -n 6 --run-only --simulator
