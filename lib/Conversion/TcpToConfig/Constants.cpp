//===- Constants.cpp - Host tensors that a program brings along -----------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Derivation.h"
#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::derivation;

config::Constant derivation::describeConstant(tcp::ConstantOp op,
                                              std::string name) {
  auto value = cast<DenseElementsAttr>(op.getValue());
  config::Constant constant;
  constant.name = std::move(name);
  constant.type = *tcp::getElementKind(value.getElementType());
  llvm::append_range(constant.shape, value.getType().getShape());
  if (getBitWidth(constant.type) >= 8) {
    // One element if all are equal.
    for (char byte : value.getRawData())
      constant.data.push_back(static_cast<uint8_t>(byte));
    return constant;
  }
  // Numbers of less than a byte are a signed byte.
  auto add = [&](const llvm::APInt &bits) {
    constant.data.push_back(static_cast<uint8_t>(bits.getSExtValue()));
  };
  if (value.isSplat())
    add(value.getSplatValue<llvm::APInt>());
  else
    for (const llvm::APInt &element : value.getValues<llvm::APInt>())
      add(element);
  return constant;
}
