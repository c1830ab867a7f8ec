//===- StreamDialect.td - Definition of the stream dialect -*- tablegen -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_DIALECT_STREAM_IR_STREAMDIALECT
#define SEQUIN_DIALECT_STREAM_IR_STREAMDIALECT

include "mlir/IR/DialectBase.td"

def StreamDialect : Dialect {
  let name = "stream";
  let summary = "Axes, mappings and nested-loop descriptors as attributes";
  let description = [{
    The attributes that the dialects of both machines share: named axes with their
    sizes, a mapping expression over them, a nested strided pattern, and the
    nested-loop descriptor derived from a mapping. The dialect has no operations; `tcp` types carry its mappings, and a
    lowered configuration carries its sequencers. The meaning of each is the one
    of the stream core (`sequin/Stream`), which this dialect only wraps.
  }];
  let cppNamespace = "::sequin::stream";
  let useDefaultAttributePrinterParser = 1;
}

#endif // SEQUIN_DIALECT_STREAM_IR_STREAMDIALECT
