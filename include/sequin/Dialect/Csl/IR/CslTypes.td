//===- CslTypes.td - Types of the csl dialect --------------*- tablegen -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_DIALECT_CSL_IR_CSLTYPES
#define SEQUIN_DIALECT_CSL_IR_CSLTYPES

include "sequin/Dialect/Csl/IR/CslEnums.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinTypeInterfaces.td"

class Csl_Type<string name, string typeMnemonic, list<Trait> traits = []>
    : TypeDef<CslDialect, name, traits> {
  let mnemonic = typeMnemonic;
}

/// A type of variables: memrefs may hold it.
class Csl_ValueType<string name, string typeMnemonic, list<Trait> traits = []>
    : Csl_Type<name, typeMnemonic,
               !listconcat(traits, [MemRefElementTypeInterface])>;

//===----------------------------------------------------------------------===//
// Identifiers
//===----------------------------------------------------------------------===//

class Csl_IdType<string name, string typeMnemonic, string what>
    : Csl_ValueType<name, typeMnemonic> {
  let summary = what;
  let description = "A 16-bit handle: " # what # ". Compared with `csl.same`, "
      # "read with `csl.get_int`.";
}

def Csl_ColorType : Csl_IdType<"Color", "color", "a routable color">;
def Csl_InputQueueType
    : Csl_IdType<"InputQueue", "input_queue", "an input queue">;
def Csl_OutputQueueType
    : Csl_IdType<"OutputQueue", "output_queue", "an output queue">;
def Csl_DataTaskIdType : Csl_IdType<"DataTaskId", "data_task_id",
    "a task id that wavelets activate">;
def Csl_LocalTaskIdType : Csl_IdType<"LocalTaskId", "local_task_id",
    "a task id that the program activates">;
def Csl_ControlTaskIdType : Csl_IdType<"ControlTaskId", "control_task_id",
    "a task id that control wavelets carry">;
def Csl_UtIdType : Csl_IdType<"UtId", "ut_id", "a microthread (WSE-3)">;
def Csl_DirectionType
    : Csl_IdType<"Direction", "direction", "a link of a router">;

//===----------------------------------------------------------------------===//
// Descriptors and registers
//===----------------------------------------------------------------------===//

def Csl_DsdType : Csl_ValueType<"Dsd", "dsd"> {
  let summary = "A data structure descriptor";
  let description = [{
    `!csl.dsd<mem1d>`: a memory vector, circular buffer or sequence of wavelets.
    It has no element type; the operation decides (DSD-066). A value: builtins
    that change a property make a new one.
  }];
  let parameters = (ins "::sequin::csl::DescriptorKind":$kind);
  let assemblyFormat = "`<` $kind `>`";
  let extraClassDeclaration = [{
    bool isMemory() const {
      return getKind() == DescriptorKind::Mem1d ||
             getKind() == DescriptorKind::Mem4d ||
             getKind() == DescriptorKind::Circbuf;
    }
    bool isFabric() const { return !isMemory(); }
  }];
}

def Csl_FifoType : Csl_Type<"Fifo", "fifo"> {
  let summary = "A FIFO in memory";
  let description = [{
    `!csl.fifo<i16>`: made by `csl.fifo`, with the element type of its buffer.
    Not a value of variables: a FIFO is comptime-known (FIF-006).
  }];
  let parameters = (ins "::mlir::Type":$elementType);
  let assemblyFormat = "`<` $elementType `>`";
  let genVerifyDecl = 1;
}

def Csl_DsrType : Csl_Type<"Dsr", "dsr"> {
  let summary = "A data structure register";
  let description = "`!csl.dsr<src1>`: a register of one of the files (DSR-002).";
  let parameters = (ins "::sequin::csl::DsrKind":$kind);
  let assemblyFormat = "`<` $kind `>`";
}
def Csl_XdsrType : Csl_Type<"Xdsr", "xdsr"> {
  let summary = "A register that extends a DSR";
}
def Csl_SrType : Csl_Type<"Sr", "sr"> {
  let summary = "A stride register";
}

//===----------------------------------------------------------------------===//
// Pointers, arrays, structs, enums, floats
//===----------------------------------------------------------------------===//

def Csl_PtrType : Csl_ValueType<"Ptr", "ptr"> {
  let summary = "A pointer into the PE's memory";
  let description = [{
    `!csl.ptr<f32>` is CSL's `*f32`, `!csl.ptr<many f32>` `[*]f32`,
    `!csl.ptr<const many f32>` `[*]const f32`, `!csl.ptr<!csl.array<4xf32>>`
    `*[4]f32`, `!csl.ptr<none>` `*anyopaque`, `!csl.ptr<const (i16) -> i16>` a
    function pointer. A byte address of 16 bits.
  }];
  let parameters = (ins "::mlir::Type":$pointee, "bool":$many,
                        "bool":$isConst);
  let builders = [
    TypeBuilderWithInferredContext<(ins "::mlir::Type":$pointee,
        CArg<"bool", "false">:$many, CArg<"bool", "false">:$isConst), [{
      return $_get(pointee.getContext(), pointee, many, isConst);
    }]>];
  let assemblyFormat = "`<` custom<Pointee>($pointee, $many, $isConst) `>`";
  let genVerifyDecl = 1;
}

def Csl_ArrayType : Csl_ValueType<"Array", "array"> {
  let summary = "An array as a value";
  let description = [{
    `!csl.array<4x5xf32>`: fixed size, row-major, elements are no arrays. What
    functions take and return and structs hold; a global array is accessed as a
    memref.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape,
                        "::mlir::Type":$elementType);
  let assemblyFormat = "`<` custom<SizesAndType>($shape, $elementType) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t getNumElements() const;
  }];
}

def Csl_StructType : Csl_ValueType<"Struct", "struct"> {
  let summary = "A struct or union";
  let description = [{
    `!csl.struct<"point" {x : i16, y : f32}>`, with `extern` (C layout) or
    `packed` (fields one after the other in bits, the first lowest) and `union`
    before the name. An anonymous struct has the name `""`; fields of a tuple
    are named `"0"`, `"1"` and so on.

    ```mlir
    !csl.struct<packed "word" {low : i8, high : i8}>
    !csl.struct<extern union "bits" {f : f32, u : i32}>
    ```
  }];
  let parameters = (ins StringRefParameter<"name">:$name,
                        "::sequin::csl::AggregateKind":$kind,
                        "bool":$isUnion,
                        ArrayRefParameter<"::mlir::StringAttr">:$fieldNames,
                        ArrayRefParameter<"::mlir::Type">:$fieldTypes);
  let assemblyFormat = [{
    `<` custom<StructBody>($name, $kind, $isUnion, $fieldNames, $fieldTypes) `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The index of a field, or std::nullopt.
    std::optional<unsigned> getFieldIndex(::llvm::StringRef field) const;
  }];
}

def Csl_EnumType : Csl_ValueType<"Enum", "enum"> {
  let summary = "Named integers";
  let description = [{
    `!csl.enum<"color_kind" : i16 {red = 0, white = 4, blue = 1}>`.
  }];
  let parameters = (ins StringRefParameter<"name">:$name,
                        "::mlir::IntegerType":$baseType,
                        ArrayRefParameter<"::mlir::StringAttr">:$caseNames,
                        ArrayRefParameter<"int64_t">:$caseValues);
  let assemblyFormat = [{
    `<` custom<EnumBody>($name, $baseType, $caseNames, $caseValues) `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    std::optional<int64_t> getValueOf(::llvm::StringRef name) const;
  }];
}

def Csl_CB16Type : Csl_ValueType<"CB16", "cb16"> {
  let summary = "A 16-bit float with 6 exponent bits";
  let description = [{
    1 sign, 6 exponent (bias 42) and 9 mantissa bits. `arith` has no such type:
    scalar code converts to f32, computes there and converts back
    (`csl.convert_cb16`), which rounds sums, products and quotients once.
  }];
}

//===----------------------------------------------------------------------===//
// Constraints
//===----------------------------------------------------------------------===//

class Csl_DsdOf<list<string> kinds, string what>
    : Type<And<[CPred<"::llvm::isa<::sequin::csl::DsdType>($_self)">,
                Or<!foreach(kind, kinds,
                   CPred<"::llvm::cast<::sequin::csl::DsdType>($_self)"
                         ".getKind() == ::sequin::csl::DescriptorKind::" # kind>)>]>,
           what, "::sequin::csl::DsdType">;

/// One kind, so that a format need not name the type.
class Csl_OneDsd<string kind, string what>
    : Csl_DsdOf<[kind], what>,
      BuildableType<"$_builder.getType<::sequin::csl::DsdType>("
                    "::sequin::csl::DescriptorKind::" # kind # ")">;

def Csl_Mem1dDsd : Csl_OneDsd<"Mem1d", "mem1d DSD">;
def Csl_Mem4dDsd : Csl_OneDsd<"Mem4d", "mem4d DSD">;
def Csl_CircbufDsd : Csl_OneDsd<"Circbuf", "circbuf DSD">;
def Csl_FabinDsd : Csl_OneDsd<"Fabin", "fabin DSD">;
def Csl_FaboutDsd : Csl_OneDsd<"Fabout", "fabout DSD">;
def Csl_MemoryDsd : Csl_DsdOf<["Mem1d", "Mem4d"], "mem1d or mem4d DSD">;

/// What @block and @unblock take on one machine or the other.
def Csl_Blockable : AnyTypeOf<[Csl_ColorType, Csl_InputQueueType,
    Csl_DataTaskIdType, Csl_LocalTaskIdType, Csl_UtIdType]>;
/// What `.unblock` takes.
def Csl_Unblockable : AnyTypeOf<[Csl_ColorType, Csl_InputQueueType,
    Csl_DataTaskIdType, Csl_LocalTaskIdType]>;
/// Ids with a number of their own.
def Csl_AnyId : AnyTypeOf<[Csl_ColorType, Csl_InputQueueType,
    Csl_OutputQueueType, Csl_DataTaskIdType, Csl_LocalTaskIdType,
    Csl_ControlTaskIdType, Csl_UtIdType, Csl_DirectionType]>;
/// A base address: a memref with its place, or a pointer.
def Csl_Base : AnyTypeOf<[Csl_PtrType, AnyMemRef]>;
/// `[*]u16`.
def Csl_WordsPtr
    : Type<CPred<"::llvm::isa<::sequin::csl::PtrType>($_self)">, "pointer",
           "::sequin::csl::PtrType">,
      BuildableType<"::sequin::csl::PtrType::get($_builder.getI16Type(), true)">;

#endif // SEQUIN_DIALECT_CSL_IR_CSLTYPES
