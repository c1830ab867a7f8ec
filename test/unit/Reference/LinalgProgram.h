//===- LinalgProgram.h - Runs a linalg program by its meaning ---*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_TEST_UNIT_REFERENCE_LINALGPROGRAM_H
#define SEQUIN_TEST_UNIT_REFERENCE_LINALGPROGRAM_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "sequin/Reference/Interpreter.h"
#include "sequin/Support/Arithmetic.h"
#include "gmock/gmock.h"
#include <cmath>
#include <numeric>

namespace sequin::reference {

/// What came out of a program; no values if it was refused.
struct Outcome {
  std::vector<double> values, tolerance; ///< of the first result
  ElementType type = ElementType::F32;
  std::string messages;
};

inline int64_t bytesOf(ElementType type) {
  return std::max(1u, getBitWidth(type) / 8);
}

inline Array array(ElementType type, llvm::SmallVector<int64_t, 4> shape,
                   std::vector<double> values) {
  Array result{type, std::move(shape), {}, {}};
  result.data.resize(values.size() * bytesOf(type));
  for (auto [i, value] : llvm::enumerate(values))
    storeElement(type, result.data.data(), i,
                 isFloat(type) ? encodeFloat(type, static_cast<float>(value))
                               : encodeInt(type, static_cast<int32_t>(value)));
  return result;
}

inline Array floats(std::vector<double> values) {
  int64_t size = values.size();
  return array(ElementType::F32, {size}, std::move(values));
}

inline Array integers(std::vector<double> values) {
  int64_t size = values.size();
  return array(ElementType::I32, {size}, std::move(values));
}

/// 0, 1, 2, ...
inline Array count(llvm::SmallVector<int64_t, 4> shape) {
  int64_t size = 1;
  for (int64_t dimension : shape)
    size *= dimension;
  std::vector<double> values(size);
  std::iota(values.begin(), values.end(), 0.0);
  return array(ElementType::F32, std::move(shape), values);
}

inline Outcome run(const std::string &text, llvm::ArrayRef<Array> inputs,
                   bool flushSubnormals = true) {
  mlir::MLIRContext context;
  context.loadDialect<mlir::arith::ArithDialect, mlir::cf::ControlFlowDialect,
                      mlir::func::FuncDialect, mlir::linalg::LinalgDialect,
                      mlir::math::MathDialect, mlir::scf::SCFDialect,
                      mlir::tensor::TensorDialect>();
  Outcome outcome;
  context.getDiagEngine().registerHandler([&](mlir::Diagnostic &diagnostic) {
    outcome.messages += diagnostic.str() + "\n";
  });
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  if (!module)
    return outcome;
  auto results = interpretLinalg(*module, "main", inputs, flushSubnormals);
  if (mlir::failed(results))
    return outcome;
  const Array &value = results->front().value;
  outcome.type = value.type;
  for (int64_t i = 0, n = value.data.size() / bytesOf(value.type); i < n; ++i) {
    uint32_t bits = loadElement(value.type, value.data.data(), i);
    if (isFloat(value.type))
      outcome.values.push_back(decodeFloat(value.type, bits));
    else
      outcome.values.push_back(decodeInt(value.type, bits));
  }
  outcome.tolerance = results->front().tolerance;
  return outcome;
}

/// "tensor<4xf32>".
inline std::string tensorOf(size_t size, const std::string &type) {
  return "tensor<" + std::to_string(size) + "x" + type + ">";
}

/// A function on vectors of `size` elements whose loop has `body`: %x, %y, ...
/// are elements of the arguments, %r is that of the result; `before` stands in
/// front of the loop.
inline std::string elementwise(size_t size, std::vector<std::string> types,
                               const std::string &resultType,
                               const std::string &body,
                               const std::string &before = "") {
  std::string arguments, names, operands, elements, maps, result;
  result = tensorOf(size, resultType);
  for (auto [i, type] : llvm::enumerate(types)) {
    std::string comma = i ? ", " : "";
    std::string name = "%arg" + std::to_string(i);
    arguments += comma + name + ": " + tensorOf(size, type);
    names += comma + name;
    operands += comma + tensorOf(size, type);
    elements += std::string("%") + "xyz"[i] + ": " + type + ", ";
    maps += "#id, ";
  }
  std::string ins =
      types.empty() ? "" : "ins(" + names + " : " + operands + ") ";
  return "#id = affine_map<(i) -> (i)>\nfunc.func @main(" + arguments +
         ") -> " + result + " {\n" + before +
         "\n%e = tensor.empty() : " + result +
         "\n%g = linalg.generic {indexing_maps = [" + maps +
         "#id], iterator_types = [\"parallel\"]} " + ins +
         "outs(%e : " + result + ") {\n^bb0(" + elements +
         "%out: " + resultType + "):\n" + body +
         "\nlinalg.yield %r : " + resultType + "\n} -> " + result +
         "\nreturn %g : " + result + "\n}\n";
}

/// A function that reduces a vector of `size` elements of `type` (%x) to one
/// (%out) with `body`, starting from the second argument.
inline std::string reduction(size_t size, const std::string &type,
                             const std::string &resultType,
                             const std::string &body) {
  std::string from = tensorOf(size, type), to = "tensor<" + resultType + ">";
  return "func.func @main(%a: " + from + ", %init: " + to + ") -> " + to +
         " {\n%g = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, "
         "affine_map<(i) -> ()>], iterator_types = [\"reduction\"]} ins(%a : " +
         from + ") outs(%init : " + to + ") {\n^bb0(%x: " + type +
         ", %out: " + resultType + "):\n" + body +
         "\nlinalg.yield %r : " + resultType + "\n} -> " + to +
         "\nreturn %g : " + to + "\n}\n";
}

} // namespace sequin::reference

#endif // SEQUIN_TEST_UNIT_REFERENCE_LINALGPROGRAM_H
