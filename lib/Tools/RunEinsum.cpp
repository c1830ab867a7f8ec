//===- RunEinsum.cpp - Programs from --einsum -----------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunEinsum.h"
#include "sequin/Pipelines/Einsum.h"
#include "sequin/Support/Excerpt.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::tools;

static llvm::Expected<ElementType> parseType(StringRef flag, StringRef text) {
  if (std::optional<ElementType> type = parseElementType(text.trim()))
    return *type;
  return llvm::createStringError(
      flag + " '" + excerpt(text) +
      "' is no element type, known are i4, i8, i16, i32, f8e4m3, f8e5m2, bf16, "
      "f16 and f32");
}

static llvm::Expected<OwningOpRef<ModuleOp>>
buildFromFlags(MLIRContext &context, const RunOptions &options) {
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

FailureOr<OwningOpRef<ModuleOp>> tools::buildEinsum(MLIRContext &context,
                                                    const RunOptions &options,
                                                    llvm::raw_ostream &log) {
  auto module = buildFromFlags(context, options);
  if (module)
    return std::move(*module);
  log << "error: " << llvm::toString(module.takeError()) << "\n";
  return failure();
}
