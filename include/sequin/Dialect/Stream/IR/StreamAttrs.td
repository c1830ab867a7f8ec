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

    On its way there, as the loops by which an operation visits a tensor in the
    order of its stream, it is relative to the tensor: a loop is named by the terms
    of the stream that it walks, `offset` is the element visited first if that is
    not the tensor's first, and no address is given. `by` says how the loops were
    found: `terms` (one per term) or `search` (over the addresses) before they are
    fitted to the limits of an engine; then `fit` (as they were), `split` (loops
    that are too long are two), `merge` (contiguous pairs are one) or `refactor`
    (the boundaries between the loops moved).

    ```mlir
    #stream.sequencer<["N / 2" 4 : 4096, "N % 2" 2 : 2048, "C" 8 : 1] packet 1 by terms>
    #stream.sequencer<["N / 2 * N % 2" 8 : 2048, "C" 8 : 1] packet 1 by merge>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$sizes,
                        ArrayRefParameter<"int64_t">:$strides,
                        OptionalArrayRefParameter<"::mlir::StringAttr">:$terms,
                        "int64_t":$packetEntries,
                        DefaultValuedParameter<"int64_t", "0">:$offset,
                        OptionalParameter<"std::optional<int64_t>">:$address,
                        OptionalParameter<"::mlir::StringAttr">:$rule);
  let assemblyFormat = [{
    `<` custom<NamedLoops>($sizes, $strides, $terms) `packet` $packetEntries
    `` custom<LoopStart>($offset, $address, $rule) `>`
  }];
  let genVerifyDecl = 1;
  let builders = [
    // In a configuration.
    AttrBuilder<(ins "::llvm::ArrayRef<int64_t>":$sizes,
                     "::llvm::ArrayRef<int64_t>":$strides,
                     "int64_t":$packetEntries, "int64_t":$address), [{
      return $_get($_ctxt, sizes, strides, ::llvm::ArrayRef<::mlir::StringAttr>(),
                   packetEntries, 0, std::optional<int64_t>(address),
                   ::mlir::StringAttr());
    }]>,
    // Relative to a tensor; what is printed is the terms of the loops.
    AttrBuilder<(ins "const ::sequin::Sequencer &":$sequencer,
                     "::llvm::StringRef":$rule)>];
  let extraClassDeclaration = [{
    /// The loops for the stream core; its terms are the names.
    ::sequin::Sequencer getSequencer() const;
    /// Whether the loops are within the limits of their engine.
    bool isFitted() const;
  }];
}

def Stream_TransferAttr : Stream_Attr<"Transfer", "transfer"> {
  let summary = "Loops over two tensors together";
  let description = [{
    How a move visits its source and its destination, outermost loop first, as
    `size : stride -> stride`, each named by what it walks, in elements from the
    start of either tensor; chips, clusters and slices are far apart in one address
    space, as the DMA engines see them.

    ```mlir
    #stream.transfer<["A" 4 : 64 -> 4194304, 64 : 1 -> 1] from 0 to 0>
    ```

    Loops may advance along something else too: a list of indices (then `step` is
    how far an index moves the address that it is for), or a stream whose order is
    stated: `4 : 64 -> 128 along 1`.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$sizes,
                        ArrayRefParameter<"int64_t">:$sources,
                        ArrayRefParameter<"int64_t">:$destinations,
                        OptionalArrayRefParameter<"int64_t">:$alongs,
                        OptionalArrayRefParameter<"::mlir::StringAttr">:$terms,
                        "int64_t":$from, "int64_t":$to,
                        DefaultValuedParameter<"int64_t", "0">:$along,
                        DefaultValuedParameter<"int64_t", "0">:$step);
  let assemblyFormat = [{
    `<` custom<PairedLoops>($sizes, $sources, $destinations, $alongs, $terms)
    `from` $from `to` $to (`along` $along^)? (`step` $step^)? `>`
  }];
  let genVerifyDecl = 1;
}

#endif // SEQUIN_DIALECT_STREAM_IR_STREAMATTRS
