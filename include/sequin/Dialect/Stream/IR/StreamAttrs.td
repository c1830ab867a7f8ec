//===- StreamAttrs.td - Axes, mappings and sequencers ------*- tablegen -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_DIALECT_STREAM_IR_STREAMATTRS
#define SEQUIN_DIALECT_STREAM_IR_STREAMATTRS

include "sequin/Dialect/Stream/IR/StreamDialect.td"
include "mlir/IR/AttrTypeBase.td"

class Stream_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<StreamDialect, name, traits> {
  let mnemonic = attrMnemonic;
}

def Stream_AxesAttr : Stream_Attr<"Axes", "axes"> {
  let summary = "Names and sizes of axes";
  let description = [{
    Declares the axes of a program, as the manual's `axes![A = 8, B = 512]`:

    ```mlir
    #axes = #stream.axes<A = 8, B = 512>
    ```

    Names start with an upper-case letter; sizes are positive; the order is that
    of the dimensions of a row-major tensor over all axes.
  }];
  let parameters = (ins ArrayRefParameter<"::mlir::StringAttr">:$names,
                        ArrayRefParameter<"int64_t">:$sizes);
  let assemblyFormat = "`<` custom<Axes>($names, $sizes) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The same table for the stream core.
    ::sequin::AxisSizes getTable() const;
    static AxesAttr get(::mlir::MLIRContext *context,
                        const ::sequin::AxisSizes &table);
  }];
}

def Stream_MappingAttr : Stream_Attr<"Mapping", "mapping"> {
  let summary = "A mapping expression";
  let description = [{
    The text of a mapping expression in the manual's notation without `m![]`,
    e.g. `#stream.mapping<"A / 8 # 256">`; inside types and operations that expect
    one, only the string is written. The sizes of its axes come from the
    `#stream.axes` of the type it stands in; the attribute itself checks the
    grammar.
  }];
  let parameters = (ins StringRefParameter<"canonical text">:$text);
  let assemblyFormat = "`<` custom<MappingText>($text) `>`";
  let extraClassDeclaration = [{
    /// The expression with its axes resolved.
    ::llvm::Expected<::sequin::Mapping>
    resolve(const ::sequin::AxisSizes &axes) const;
  }];
}

def Stream_SequencerAttr : Stream_Attr<"Sequencer", "sequencer"> {
  let summary = "A nested-loop descriptor";
  let description = [{
    Loops over a memory, outermost first, as `size : stride` with strides in
    elements, the number of innermost loops that walk one packet, and the byte
    address visited first:

    ```mlir
    #stream.sequencer<[32 : 32, 4 : 8, 8 : 1] packet 1 at 262144>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$sizes,
                        ArrayRefParameter<"int64_t">:$strides,
                        "int64_t":$packetEntries, "int64_t":$baseAddress);
  let assemblyFormat = [{
    `<` custom<Loops>($sizes, $strides) `packet` $packetEntries `at`
    $baseAddress `>`
  }];
  let genVerifyDecl = 1;
}

#endif // SEQUIN_DIALECT_STREAM_IR_STREAMATTRS
