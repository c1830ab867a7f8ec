//===- EinsumModule.cpp - Programs from an einsum -------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EinsumModule.h"
#include "sequin/Pipelines/Einsum.h"
#include "sequin/Support/Excerpt.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::api;

static llvm::Expected<ElementType> parseType(StringRef flag, StringRef text) {
  if (std::optional<ElementType> type = parseElementType(text.trim()))
    return *type;
  return llvm::createStringError(
      flag + " '" + excerpt(text) +
      "' is no element type, known are i4, i8, i16, i32, f8e4m3, f8e5m2, bf16, "
      "f16 and f32");
}

llvm::Expected<OwningOpRef<ModuleOp>>
api::buildEinsum(MLIRContext &context, const CompileOptions &options) {
  EinsumSpec spec;
  spec.text = options.einsum;
  auto sizes = parseEinsumSizes(llvm::join(options.sizes, ","));
  if (!sizes)
    return sizes.takeError();
  spec.sizes = std::move(*sizes);
  SmallVector<StringRef> types;
  StringRef(options.dtype).split(types, ',');
  for (StringRef text : types) {
    auto type = parseType("--dtype", text);
    if (!type)
      return type.takeError();
    spec.operandTypes.push_back(*type);
  }
  if (!options.outputDtype.empty()) {
    auto type = parseType("--output-dtype", options.outputDtype);
    if (!type)
      return type.takeError();
    spec.resultType = *type;
  }
  return buildEinsumModule(&context, spec);
}
