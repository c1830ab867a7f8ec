//===- Plan.td - The plan dialect --------------------------- ---*- tablegen -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_DIALECT_PLAN_IR_PLAN
#define SEQUIN_DIALECT_PLAN_IR_PLAN

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "sequin/Dialect/Plan/IR/PlanEnums.td"
include "sequin/Dialect/Tcp/IR/TcpEnums.td"

def PlanDialect : Dialect {
  let name = "plan";
  let summary = "A program on tensors as groups, and how they are mapped";
  let description = [{
    Between linalg on tensors and kernels of the tensor unit. A `plan.program` has
    tensors in HBM and groups that run one after the other: each a nest of loops of
    its own that reads tensors at affine indices and writes one. Passes with the
    prefix `tcp-plan-` form the groups and decide one thing after the other; every
    decision is a typed attribute. `tcp-plan-emit-kernels` makes kernels of them.

    An attribute has named fields, of which those that have their default are
    not printed. `d0`, `d1` are the loops of a group, as in its affine maps. A
    group's decisions may be edited between two passes: verifiers refuse what does
    not fit together, and what they accept is taken as it is.
  }];
  let cppNamespace = "::sequin::plan";
  let useDefaultAttributePrinterParser = 1;
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

/// A struct of PlanTypes.h, by its list of fields.
class Plan_Fields<string name, string attrMnemonic, string struct>
    : AttrDef<PlanDialect, name> {
  let mnemonic = attrMnemonic;
  let parameters = (ins AttrParameter<"::sequin::plan::" # struct,
                                      "fields with their values",
                                      "const ::sequin::plan::" # struct # " &">
                        :$value);
  let assemblyFormat = "`<` custom<Fields>($value) `>`";
}

def Plan_LayoutAttr : Plan_Fields<"Layout", "layout", "Layout"> {
  let summary = "Where a tensor lies in HBM";
  let description = [{
    `order` of the dimensions from the outermost, `inner` the contiguous one;
    `allocated` positions and `strides` in elements by dimension; `digits` where the
    memory is in another order; `chip_dim` the dimension of which each chip has a
    block; `size` in elements and `address` in bytes.

    ```mlir
    #plan.layout<inner = 1, order = [0, 1], allocated = [8, 64], strides = [64, 1], size = 512>
    ```
  }];
}

def Plan_LoopAttr : Plan_Fields<"Loop", "loop", "Loop"> {
  let summary = "A loop of a group: its iterations, and how they are cut";
  let description = [{
    `extent` iterations, `reduced` if they are combined. `pinned_tile`,
    `pinned_parts` and `pinned_chips` are what the program fixes. Planned are `tile`
    iterations at once, in `parts` on as many slices, `local` of each.

    ```mlir
    #plan.loop<extent = 2048, tile = 512, parts = 32, local = 16, name = "M">
    ```
  }];
}

def Plan_TilingAttr : Plan_Fields<"Tiling", "tiling", "Tiling"> {
  let summary = "How a group's loops lie in packets and on slices";
  let description = [{
    The loop along `packet`s of `lanes` elements, the loop that slices are `dealt`
    in turn, loops of a contraction by role (`batch`, `m`, `n`, `k`), whether the
    result ends `exact`ly with the loops.
  }];
}

def Plan_RingAttr : Plan_Fields<"Ring", "ring", "RingPlan"> {
  let summary = "A contraction that runs as rings of slices";
}

def Plan_WeightStreamAttr
    : Plan_Fields<"WeightStream", "weight_stream", "WeightStreamPlan"> {
  let summary = "A contraction of weights that stream past activations";
}

def Plan_CollectiveAttr
    : Plan_Fields<"Collective", "collective", "Collective"> {
  let summary = "How a tensor comes to lie on chips in another way";
}

def Plan_RecordAttr : Plan_Fields<"Record", "record", "MappingRecord"> {
  let summary = "How a mapping was found, for people";
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// An element has a width: sizes in bytes follow from it, which `index` does not give.
def Plan_Element : AnyTypeOf<[AnySignlessInteger, AnyFloat]>;

class Plan_Op<string mnemonic, list<Trait> traits = []>
    : Op<PlanDialect, mnemonic, traits>;
class Plan_PartOf<string mnemonic, string parent, list<Trait> traits = []>
    : Plan_Op<mnemonic, [HasParent<parent>] # traits>;

def Plan_ProgramOp
    : Plan_Op<"program", [IsolatedFromAbove, NoTerminator, SingleBlock, Symbol,
                          SymbolTable]> {
  let summary = "A program on tensors as groups";
  let description = [{
    Tensors, then groups in the order they run. `returns` names the tensors that the
    host gets. `chips` is how many do a part each, `macs` the useful
    multiply-accumulates of the program as given. Tensors that are there at the same
    time must not overlap in HBM once they have addresses.

    ```mlir
    plan.program @main (tensor<8x64xbf16>) -> tensor<8x64xf32> returns [@t0] {
      plan.tensor @arg0 argument 0 : tensor<8x64xbf16>
      plan.tensor @t0 : tensor<8x64xf32>
      plan.group stream of "linalg.generic" loops [#plan.loop<extent = 8>, #plan.loop<extent = 64>] {
        %0 = plan.read @arg0 affine_map<(d0, d1) -> (d0, d1)> : bf16
        %1 = plan.head %0 : (bf16) -> f32
        %2 = plan.step arithmetic mul (%1) : (f32) -> f32
        plan.write %2 to @t0 affine_map<(d0, d1) -> (d0, d1)> : f32
      }
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       TypeAttrOf<FunctionType>:$function_type,
                       FlatSymbolRefArrayAttr:$outputs,
                       DefaultValuedAttr<I64Attr, "1">:$chips,
                       DefaultValuedAttr<I64Attr, "0">:$macs,
                       OptionalAttr<Plan_RecordAttr>:$record,
                       OptionalAttr<StrAttr>:$sym_visibility);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name $function_type `returns` $outputs (`chips` $chips^)? (`macs` $macs^)?
    (`record` $record^)? attr-dict-with-keyword $body
  }];
  let hasRegionVerifier = 1;
}

def Plan_TensorOp : Plan_PartOf<"tensor", "ProgramOp", [Symbol]> {
  let summary = "A tensor of the program";
  let description = [{
    An argument of the program, a constant, or what a group writes. Several tensors
    may be the same argument in several layouts. A group that scatters may write an
    argument: groups behind it read what it has written.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<I64Attr>:$argument,
                       OptionalAttr<ElementsAttr>:$values,
                       OptionalAttr<Plan_LayoutAttr>:$layout,
                       TypeAttrOf<RankedTensorOf<[Plan_Element]>>:$type);
  let assemblyFormat = [{
    $sym_name (`argument` $argument^)? (`constant` $values^)? (`layout` $layout^)?
    attr-dict `:` $type
  }];
  let hasVerifier = 1;
}

def Plan_GroupOp
    : Plan_Op<"group", [IsolatedFromAbove, NoTerminator, SingleBlock,
                        ParentOneOf<["ProgramOp", "GroupOp"]>]> {
  let summary = "One way from HBM to HBM";
  let description = [{
    A nest of `loops`. Its region reads tensors, combines what it has read as its
    kind says (`plan.head`), takes that through a chain of steps and writes it. A
    group of `rows` has stages instead, groups over the same loops that run one
    after the other, tile by tile.

    `of` names the operation that the group came from, which errors are about; `note`
    says for people what was decided where it was formed.
  }];
  let arguments = (ins Plan_GroupKind:$kind, OptionalAttr<StrAttr>:$origin,
                       OptionalAttr<StrAttr>:$note,
                       TypedArrayAttrBase<Plan_LoopAttr, "loops">:$loops,
                       OptionalAttr<Plan_TilingAttr>:$tiling,
                       OptionalAttr<Plan_RingAttr>:$ring,
                       OptionalAttr<Plan_WeightStreamAttr>:$weight_stream,
                       OptionalAttr<Plan_CollectiveAttr>:$collective,
                       OptionalAttr<Plan_RecordAttr>:$record);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $kind (`of` $origin^)? (`note` $note^)? `loops` $loops (`tiling` $tiling^)? (`ring` $ring^)?
    (`weight_stream` $weight_stream^)? (`collective` $collective^)?
    (`record` $record^)? attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Plan_ReadOp
    : Plan_PartOf<"read", "GroupOp",
                  [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Elements of a tensor by the loops of the group";
  let arguments = (ins FlatSymbolRefAttr:$tensor, AffineMapAttr:$map);
  let results = (outs Plan_Element:$result);
  let assemblyFormat = "$tensor $map attr-dict `:` type($result)";
}

def Plan_HeadOp : Plan_PartOf<"head", "GroupOp"> {
  let summary = "What the engines before the chain of steps leave";
  let description = [{
    By the group's kind: the element of a stream; the sum of products of the streamed
    and the stationary factor, and of scales of the sums; elements combined over the
    reduced loops; rows of a table at the indices of the second; rows that go to the
    indices of the second; the tensor that a collective moves.
  }];
  let arguments = (ins DefaultValuedAttr<Plan_Combiner, "Combiner::Add">:$combiner,
                       Variadic<Plan_Element>:$inputs);
  let results = (outs Plan_Element:$result);
  let assemblyFormat = [{
    (`combines` $combiner^)? $inputs attr-dict `:` functional-type($inputs, $result)
  }];
}

def Plan_StepOp : Plan_PartOf<"step", "GroupOp"> {
  let summary = "One step of the chain that every element goes through";
  let description = [{
    The stream is the first operand; `arithmetic` without a second one computes with
    the stream twice. A second operand is read, a constant, or the group's head.
  }];
  let arguments = (ins Plan_StepKind:$kind,
                       OptionalAttr<Plan_ArithmeticOp>:$arithmetic,
                       OptionalAttr<Tcp_FpUnaryOp>:$function,
                       OptionalAttr<Tcp_ArgMode>:$mode, Variadic<Plan_Element>:$inputs);
  let results = (outs Plan_Element:$result);
  let assemblyFormat = [{
    $kind ($arithmetic^)? ($function^)? ($mode^)? `(` $inputs `)` attr-dict `:`
    functional-type($inputs, $result)
  }];
  let hasVerifier = 1;
}

def Plan_WriteOp
    : Plan_PartOf<"write", "GroupOp",
                  [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "What the chain leaves, at elements of the result";
  let arguments = (ins Plan_Element:$value, FlatSymbolRefAttr:$tensor,
                       AffineMapAttr:$map);
  let assemblyFormat = "$value `to` $tensor $map attr-dict `:` type($value)";
}

#endif // SEQUIN_DIALECT_PLAN_IR_PLAN
