# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# steps.sh <folder> <output folder> <names ...>: --tcp-to-config of every program, its
# passes one at a time with a file behind each, and both compared.
set -e
folder=$1
out=$2
shift 2
for name in "$@"; do
  sequin-opt "$folder/$name.mlir" --tcp-to-config --mlir-print-debuginfo -o "$out/whole.mlir"
  sequin-opt "$folder/$name.mlir" --tcp-check-machine --mlir-print-debuginfo -o "$out/0.mlir"
  sequin-opt "$out/0.mlir" --tcp-derive-sequencers --mlir-print-debuginfo -o "$out/1.mlir"
  sequin-opt "$out/1.mlir" --stream-merge-entries --mlir-print-debuginfo -o "$out/2.mlir"
  sequin-opt "$out/2.mlir" --convert-tcp-to-config --mlir-print-debuginfo -o "$out/3.mlir"
  cmp "$out/whole.mlir" "$out/3.mlir"
  sequin-opt "$out/3.mlir" | sequin-translate --tcp-to-json -o "$out/3.json"
  sequin-translate --json-to-tcp "$out/3.json" | sequin-translate --tcp-to-json -o "$out/again.json"
  cmp "$out/3.json" "$out/again.json"
done
