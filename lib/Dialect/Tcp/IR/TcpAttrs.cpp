//===- TcpAttrs.cpp - Attributes of the tcp dialect -----------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConfigAssembly.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "sequin/Dialect/Stream/IR/ResolvedMappings.h"
#include "sequin/Dialect/Tcp/IR/TcpDialect.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::tcp;
using namespace sequin::stream;

#include "sequin/Dialect/Tcp/IR/TcpEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "sequin/Dialect/Tcp/IR/TcpAttrs.cpp.inc"

void TcpDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "sequin/Dialect/Tcp/IR/TcpAttrs.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// TargetAttr
//===----------------------------------------------------------------------===//

LogicalResult TargetAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 StringRef machine, int64_t chips, Mode) {
  const TcpMachine *row = lookupTcpMachine(machine);
  if (!row)
    return emitError() << "unknown machine \"" << machine << "\", known are "
                       << knownMachineNames();
  if (chips < 1 || chips > row->maxChips)
    return emitError() << "target has " << chips << " chips, machine \""
                       << machine << "\" allows 1 to " << row->maxChips;
  return success();
}

const TcpMachine *TargetAttr::getRow() const {
  return lookupTcpMachine(getMachine());
}

//===----------------------------------------------------------------------===//
// GridAttr
//===----------------------------------------------------------------------===//

/// Verifiers walk the positions of a level. Every machine has far fewer, whose
/// own number is checked when a kernel is configured for it.
static constexpr int64_t kMostGridPositions = 1 << 16;

LogicalResult GridAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               AxesAttr axes, MappingAttr chip,
                               MappingAttr cluster, MappingAttr slice) {
  std::pair<StringRef, MappingAttr> levels[] = {
      {"chip", chip}, {"cluster", cluster}, {"slice", slice}};
  for (auto [name, mapping] : levels) {
    auto resolved = stream::resolve(axes, mapping);
    if (!resolved)
      return emitError() << name << " mapping \"" << mapping.getText()
                         << "\": " << llvm::toString(resolved.takeError());
    if (resolved->size() > kMostGridPositions)
      return emitError() << name << " mapping \"" << mapping.getText()
                         << "\" has " << resolved->size()
                         << " positions, a grid has at most "
                         << kMostGridPositions << " at each level";
  }
  return success();
}

Mapping GridAttr::getChipMapping() const {
  return resolveVerified(getAxes(), getChip());
}
Mapping GridAttr::getClusterMapping() const {
  return resolveVerified(getAxes(), getCluster());
}
Mapping GridAttr::getSliceMapping() const {
  return resolveVerified(getAxes(), getSlice());
}
