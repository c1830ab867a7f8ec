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

def Stream_SkewAttr : Stream_Attr<"Skew", "skew"> {
  let summary = "A skewed axis";
  let description = [{
    An axis made from two others, whose coordinate is the difference or the sum of
    theirs, wrapping at the size of the first: `#stream.skew<"B'" = B - A>`. Names
    that are no identifiers of MLIR are quoted. Skewed axes are declared within
    `#stream.axes`.
  }];
  let parameters = (ins "::mlir::StringAttr":$name, "::mlir::StringAttr":$base,
                        "::mlir::StringAttr":$by, "bool":$plus);
  let hasCustomAssemblyFormat = 1;
}

def Stream_TableAttr : Stream_Attr<"Table", "table"> {
  let summary = "A table for lookups";
  let description = [{
    The entries of a table that mappings look up in, as in `A ? t`:
    `#stream.table<t = [3, 1, 4]>`. Tables are declared within `#stream.axes`.
  }];
  let parameters = (ins "::mlir::StringAttr":$name,
                        ArrayRefParameter<"int64_t">:$entries);
  let hasCustomAssemblyFormat = 1;
}

def Stream_AxesAttr : Stream_Attr<"Axes", "axes"> {
  let summary = "Names and sizes of axes, skewed axes and tables";
  let description = [{
    Declares the axes of a program, as the manual's `axes![A = 8, B = 512]`:

    ```mlir
    #axes = #stream.axes<A = 8, B = 512>
    #skewed = #stream.axes<A = 8, B = 8, "B'" = B - A, t = [3, 1, 4]>
    ```

    Names of axes start with an upper-case letter; sizes are positive; the order
    is that of the dimensions of a row-major tensor over all axes. A skewed axis
    names the diagonals of another; a table, whose name starts with a lower-case
    letter, is what mappings look up in (`A ? t`). They may be written in any
    order and are printed behind the axes.
  }];
  let parameters = (ins ArrayRefParameter<"::mlir::StringAttr">:$names,
                        ArrayRefParameter<"int64_t">:$sizes,
                        OptionalArrayRefParameter<"SkewAttr">:$skews,
                        OptionalArrayRefParameter<"TableAttr">:$tables);
  let assemblyFormat = "`<` custom<Axes>($names, $sizes, $skews, $tables) `>`";
  let genVerifyDecl = 1;
  let builders = [AttrBuilder<(ins "::llvm::ArrayRef<::mlir::StringAttr>":$names,
                                   "::llvm::ArrayRef<int64_t>":$sizes), [{
    return $_get($_ctxt, names, sizes, ::llvm::ArrayRef<SkewAttr>(),
                 ::llvm::ArrayRef<TableAttr>());
  }]>];
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

def Stream_PatternAttr : Stream_Attr<"Pattern", "pattern"> {
  let summary = "A nested strided pattern";
  let description = [{
    The elements that nested loops visit, outermost loop first, as
    `size : stride`. The stride is what one step of that loop alone adds, in
    elements; the offset is the element visited first:

    ```mlir
    #stream.pattern<[2 : 12, 4 : 1] offset 4>
    ```

    It is what a sequencer and a memory DSD have in common: a sequencer adds the
    packet and a byte address, a memory DSD stores strides adjusted for the loops
    that start again.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$sizes,
                        ArrayRefParameter<"int64_t">:$strides,
                        DefaultValuedParameter<"int64_t", "0">:$offset);
  let assemblyFormat =
    "`<` custom<Loops>($sizes, $strides) (`offset` $offset^)? `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// As the descriptor of a memory vector, unchecked against a machine.
    ::llvm::Expected<::sequin::MemDsd> getMemDsd(::sequin::DsdKind kind) const;
    static ::llvm::Expected<PatternAttr> get(::mlir::MLIRContext *context,
                                             const ::sequin::MemDsd &dsd);
    /// The loops of a sequencer, without its packet.
    static PatternAttr get(::mlir::MLIRContext *context,
                           const ::sequin::Sequencer &sequencer);
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
