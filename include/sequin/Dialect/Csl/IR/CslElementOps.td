//===- CslElementOps.td - DSD operations ----------------- -*- tablegen -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_DIALECT_CSL_IR_CSLELEMENTOPS
#define SEQUIN_DIALECT_CSL_IR_CSLELEMENTOPS

include "sequin/Dialect/Csl/IR/CslOpBase.td"

/// Operands that an element operation may have; which of them go together is in
/// Support/DsdOps.def and checked by one verifier for all.
def Csl_DsdDestination
    : AnyTypeOf<[Csl_DsdType, Csl_FifoType, Csl_DsrType, Csl_PtrType]>;
def Csl_DsdSource
    : AnyTypeOf<[Csl_DsdType, Csl_FifoType, Csl_DsrType, I16, I32, F16, BF16,
                 Csl_CB16Type, F32]>;

class Csl_ElementOp<string mnemonic, string opcode>
    : Csl_RuntimeOp<mnemonic, [AttrSizedOperandSegments, Csl_AsyncOpInterface,
                               Csl_DsdOpInterface]> {
  let arguments = (ins Csl_DsdDestination:$dest,
      Variadic<Csl_DsdSource>:$sources, UnitAttr:$async,
      Optional<Csl_LocalTaskIdType>:$activate,
      Optional<Csl_Unblockable>:$unblock,
      OptionalAttr<Csl_OnControl>:$on_control,
      Optional<Csl_Unblockable>:$control_target, Optional<I16>:$index,
      OptionalAttr<Csl_Priority>:$priority,
      OptionalAttr<I64Attr>:$ut_id);
  let results = (outs I1:$ok);
  let assemblyFormat = [{
    $dest `=` $sources `:` qualified(type($dest)) `=` qualified(type($sources))
    (`async` $async^)? (`activate` `(` $activate^ `)`)?
    (`unblock` `(` $unblock^ `:` qualified(type($unblock)) `)`)?
    `` custom<OnControl>($on_control, $control_target, type($control_target))
    (`index` `(` $index^ `)`)? (`priority` $priority^)? (`ut_id` $ut_id^)?
    attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    static ::sequin::DsdOpcode getOpcode() {
      return ::sequin::DsdOpcode::}] # opcode # [{;
    }
    ::mlir::Value getDestination() { return getDest(); }
  }];
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::verify() {
      return verifyDsdOperation(*this);
    }
  }];
  let description = "@" # mnemonic # [{: `dest = sources`, in the order of the
    builtin's arguments. The result is false if a FIFO stopped it (AMB-010).

    ```mlir
    csl.fmacs %y = %y, %column, %x
      : !csl.dsd<mem1d> = !csl.dsd<mem1d>, !csl.dsd<mem1d>, f32
    csl.mov32 %out = %in : !csl.dsd<fabout> = !csl.dsd<mem1d> async activate(%id)
    ```
  }];
}

def Csl_Add16Op : Csl_ElementOp<"add16", "Add16"> {
  let summary = "16-bit integer sum";
}
def Csl_Addc16Op : Csl_ElementOp<"addc16", "Addc16"> {
  let summary = "16-bit integer sum with a carry from element to element";
}
def Csl_Sub16Op : Csl_ElementOp<"sub16", "Sub16"> {
  let summary = "16-bit integer difference";
}
def Csl_And16Op : Csl_ElementOp<"and16", "And16"> {
  let summary = "Bitwise and";
}
def Csl_Or16Op : Csl_ElementOp<"or16", "Or16"> {
  let summary = "Bitwise or";
}
def Csl_Xor16Op : Csl_ElementOp<"xor16", "Xor16"> {
  let summary = "Bitwise exclusive or";
}
def Csl_Sar16Op : Csl_ElementOp<"sar16", "Sar16"> {
  let summary = "Arithmetic shift right";
}
def Csl_Sll16Op : Csl_ElementOp<"sll16", "Sll16"> {
  let summary = "Shift left";
}
def Csl_Slr16Op : Csl_ElementOp<"slr16", "Slr16"> {
  let summary = "Logical shift right";
}
def Csl_ClzOp : Csl_ElementOp<"clz", "Clz"> {
  let summary = "Leading zeros";
}
def Csl_CtzOp : Csl_ElementOp<"ctz", "Ctz"> {
  let summary = "Trailing zeros";
}
def Csl_PopcntOp : Csl_ElementOp<"popcnt", "Popcnt"> {
  let summary = "Bits that are set";
}
def Csl_Mov16Op : Csl_ElementOp<"mov16", "Mov16"> {
  let summary = "Copy of 16 bits";
}
def Csl_Mov32Op : Csl_ElementOp<"mov32", "Mov32"> {
  let summary = "Copy of 32 bits";
}
def Csl_FmovhOp : Csl_ElementOp<"fmovh", "Fmovh"> {
  let summary = "Copy of fp16";
}
def Csl_FmovsOp : Csl_ElementOp<"fmovs", "Fmovs"> {
  let summary = "Copy of f32";
}
def Csl_FabshOp : Csl_ElementOp<"fabsh", "Fabsh"> {
  let summary = "fp16 magnitude";
}
def Csl_FabssOp : Csl_ElementOp<"fabss", "Fabss"> {
  let summary = "f32 magnitude";
}
def Csl_FneghOp : Csl_ElementOp<"fnegh", "Fnegh"> {
  let summary = "fp16 negation";
}
def Csl_FnegsOp : Csl_ElementOp<"fnegs", "Fnegs"> {
  let summary = "f32 negation";
}
def Csl_FaddhOp : Csl_ElementOp<"faddh", "Faddh"> {
  let summary = "fp16 sum";
}
def Csl_FaddsOp : Csl_ElementOp<"fadds", "Fadds"> {
  let summary = "f32 sum";
}
def Csl_FaddhsOp : Csl_ElementOp<"faddhs", "Faddhs"> {
  let summary = "f32 sum of an f32 and an fp16";
}
def Csl_FsubhOp : Csl_ElementOp<"fsubh", "Fsubh"> {
  let summary = "fp16 difference";
}
def Csl_FsubsOp : Csl_ElementOp<"fsubs", "Fsubs"> {
  let summary = "f32 difference";
}
def Csl_FmulhOp : Csl_ElementOp<"fmulh", "Fmulh"> {
  let summary = "fp16 product";
}
def Csl_FmulsOp : Csl_ElementOp<"fmuls", "Fmuls"> {
  let summary = "f32 product";
}
def Csl_FmaxhOp : Csl_ElementOp<"fmaxh", "Fmaxh"> {
  let summary = "fp16 maximum";
}
def Csl_FmaxsOp : Csl_ElementOp<"fmaxs", "Fmaxs"> {
  let summary = "f32 maximum";
}
def Csl_FmachOp : Csl_ElementOp<"fmach", "Fmach"> {
  let summary = "fp16 first + second * value, rounded once";
}
def Csl_FmachsOp : Csl_ElementOp<"fmachs", "Fmachs"> {
  let summary = "f32 first + fp16 second * fp16 value, rounded once";
}
def Csl_FmacsOp : Csl_ElementOp<"fmacs", "Fmacs"> {
  let summary = "f32 first + second * value, rounded once";
}
def Csl_FnormhOp : Csl_ElementOp<"fnormh", "Fnormh"> {
  let summary = "fp16 mantissa in [1, 2)";
}
def Csl_FnormsOp : Csl_ElementOp<"fnorms", "Fnorms"> {
  let summary = "f32 mantissa in [1, 2)";
}
def Csl_FscalehOp : Csl_ElementOp<"fscaleh", "Fscaleh"> {
  let summary = "fp16 times a power of two";
}
def Csl_FscalesOp : Csl_ElementOp<"fscales", "Fscales"> {
  let summary = "f32 times a power of two";
}
def Csl_Fh2sOp : Csl_ElementOp<"fh2s", "Fh2s"> {
  let summary = "fp16 to f32";
}
def Csl_Fs2hOp : Csl_ElementOp<"fs2h", "Fs2h"> {
  let summary = "f32 to fp16";
}
def Csl_Fh2xp16Op : Csl_ElementOp<"fh2xp16", "Fh2xp16"> {
  let summary = "fp16 to a 16-bit integer";
}
def Csl_Fs2xp16Op : Csl_ElementOp<"fs2xp16", "Fs2xp16"> {
  let summary = "f32 to a 16-bit integer";
}
def Csl_Xp162fhOp : Csl_ElementOp<"xp162fh", "Xp162fh"> {
  let summary = "16-bit integer to fp16";
}
def Csl_Xp162fsOp : Csl_ElementOp<"xp162fs", "Xp162fs"> {
  let summary = "16-bit integer to f32";
}

def Csl_DfiltOp : Csl_RuntimeOp<"dfilt", [AttrSizedOperandSegments,
    Csl_AsyncOpInterface, Csl_DsdOpInterface]> {
  let summary = "Drops data wavelets until control wavelets have come";
  let description = [{
    @dfilt: the queue of a fabin discards data until as many control wavelets as
    the extent says were seen. Always asynchronous; `.on_control` and `.index`
    do not exist.

    ```mlir
    csl.dfilt %in : !csl.dsd<fabin> async activate(%id)
    ```
  }];
  let arguments = (ins AnyTypeOf<[Csl_FabinDsd, Csl_DsrType]>:$input,
      UnitAttr:$async, Optional<Csl_LocalTaskIdType>:$activate,
      Optional<Csl_Unblockable>:$unblock,
      OptionalAttr<Csl_Priority>:$priority,
      OptionalAttr<I64Attr>:$ut_id);
  let assemblyFormat = [{
    $input `:` qualified(type($input)) (`async` $async^)? (`activate` `(`
    $activate^ `)`)?
    (`unblock` `(` $unblock^ `:` qualified(type($unblock)) `)`)? (`priority`
    $priority^)?
    (`ut_id` $ut_id^)? attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    static ::sequin::DsdOpcode getOpcode() {
      return ::sequin::DsdOpcode::Dfilt;
    }
    ::mlir::Value getDestination() { return {}; }
    ::mlir::OperandRange getSources() { return getODSOperands(0); }
    ::mlir::Value getIndex() { return {}; }
    std::optional<::sequin::csl::OnControl> getOnControl() { return {}; }
    ::mlir::Value getControlTarget() { return {}; }
  }];
}

def Csl_MapOp : Csl_RuntimeOp<"map", [AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Calls a function with every element";
  let description = [{
    @map: before each call the next element of every DSD or DSR is read, other
    operands are passed on; the result goes to the output. It ends when one of
    them is used up (BLT-061). DSRs are `src1` (output: `dest`) and were loaded
    with `single_step`.

    ```mlir
    csl.map @square(%in) to %out : (!csl.dsd<mem1d>) to !csl.dsd<mem1d>
    csl.map @add(%in, %x) : (!csl.dsd<fabin>, f32)
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<AnyType>:$inputs,
      Optional<AnyTypeOf<[Csl_DsdType, Csl_DsrType, Csl_PtrType]>>:$output);
  let assemblyFormat = [{
    $callee `(` $inputs `)` (`to` $output^)? attr-dict `:` `(`
    qualified(type($inputs)) `)`
    (`to` qualified(type($output))^)?
  }];
  let hasVerifier = 1;
}

#endif // SEQUIN_DIALECT_CSL_IR_CSLELEMENTOPS
