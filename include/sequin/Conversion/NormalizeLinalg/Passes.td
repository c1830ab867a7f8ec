//===- Passes.td - linalg to core operations ---------------*- tablegen -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_CONVERSION_NORMALIZELINALG_PASSES
#define SEQUIN_CONVERSION_NORMALIZELINALG_PASSES

include "mlir/Pass/PassBase.td"

def NormalizeLinalg : Pass<"normalize-linalg", "::mlir::ModuleOp"> {
  let summary = "Rewrite linalg programs in the operations that are lowered one "
                "by one";
  let description = [{
    Input: functions on static ranked tensors in linalg, tensor, arith and math, with
    calls between them. Output: the same functions in core operations, all on static
    ranked tensors of i4, i8, i16, i32, f8E4M3FN, f8E5M2, bf16, f16 and f32:

    | operation | form |
    |---|---|
    | contraction | `linalg.generic` of two inputs of one type of i4, i8, f8E4M3FN, f8E5M2, bf16; body `out + ext(a) * ext(b)` in i32 or f32; maps are projected permutations; every loop is in an input, every reduction loop in both |
    | scaled sum | `linalg.generic` of activations (f8E4M3FN, f8E5M2, bf16), f4E2M1FN weights and, maybe, scales; body `out + ext(x) * ext(w) * ext(scale)` in f32, maps and loops as of a contraction |
    | map | `linalg.generic`, loops parallel, inputs by projected permutations, output by the identity; body a chain: each step works on the value of the step before (on both sides, or with elements of inputs and constants), narrowing only as the last step |
    | reduce | `linalg.generic` of one input by the identity, output by a projected permutation; body `out op in` or `out op ext(in)` with op one of add, max, min in i32 or f32 |
    | window | `linalg.generic`, loops parallel, one input by an affine map (sums of loops times constants, and constants), output by the identity; body yields the element |
    | others | `tensor.pad` with a constant, static `tensor.extract_slice` and `tensor.insert_slice` of equal rank, `tensor.collapse_shape`, `tensor.expand_shape`, `tensor.gather` along the leading dimension with i32 indices, `tensor.scatter` along one dimension of several rows of whole bytes with one list of i32 indices, `tensor.empty`, `linalg.fill` with a constant, `arith.constant` |

    Truth values are i8 tensors of 0 and 1, also as arguments and results. i64 and index
    values are i32 where their range shows that they fit. An i64 argument or result becomes
    i32 in the function's type: an argument counts as any number of i32, and who passes an
    array refuses other numbers (sequin-run does).

    Calls are inlined and globals that nothing uses are dropped; so are assertions
    (`cf.assert`) in bodies: what they exclude has no meaning.

    What a position is chosen by starts from the least (greatest) number of its type.

    Operands that the contraction engine does not take are cut into digits, whose
    products are summed one after the other, the smallest first: f32 in three of bf16
    (products of rank 0 to 2 are taken, which keeps f32's accuracy), f16 in two, integers in
    as many of i8 as their range needs (exact modulo 2^32). Each such contraction
    carries `sequin.digit_product = "i,j"`, and the module counts the products beyond the
    first of each contraction in `sequin.digit_products`. Infinities and NaN give what
    they give in f32; an f32 from 0x1.ffp127 on, which rounds to an infinity in bf16,
    counts as one. Functions are computed in f32 as well: what overflows it on the way,
    as the power in `log2(exp2(x))` from x = 128 on, is infinite.

    f4E2M1FN is for weights: arguments, constants and views of them. Weights that are
    scaled and then multiplied, with reshapes between the two, and sums of groups that
    are scaled and then added become scaled sums; rounding scaled weights to less than f32
    must not lose anything.

    Computed indices are checked when the program runs: a gather, or an element that a body
    reads, traps where an index is not known to lie inside of its dimension and does not; a
    scatter traps as well where an index occurs twice.

    Rows that are inserted at a computed position, whole in all other dimensions, are a
    scatter along that dimension. A scatter along several dimensions, of half bytes, or of
    very many short rows is a gather by the inverse index: each place takes the largest
    position whose index names it, by comparing them all, and keeps its element where there
    is none.

    Comparisons are exact for zeros of either sign, infinities and NaN; two numbers count
    as equal where their difference is subnormal.

    What has no such form is refused with one error at the operation.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::tensor::TensorDialect"
  ];
  let options = [
    Option<"allowBf16", "allow-bf16", "bool", "false",
           "round f32 and f16 operands of contractions to bf16">,
    Option<"allowNarrow", "allow-narrow", "bool", "false",
           "the same, and saturate integer operands to i8">
  ];
}

def TensorizeScalars : Pass<"tensorize-scalars", "::mlir::ModuleOp"> {
  let summary = "Make tensors of the numbers that the host passes to a program";
  let description = [{
    Input: functions that nothing in the module calls, whose results are ranked tensors. An
    argument that is an integer, a float or an index becomes a tensor of rank 0, an index one
    of i32, and the number is extracted from it where the function begins. Other functions,
    and other arguments, stay as they are.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::tensor::TensorDialect"];
}

#endif // SEQUIN_CONVERSION_NORMALIZELINALG_PASSES
