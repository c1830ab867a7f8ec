//===- ResolvedMappings.cpp - Mappings with their axes --------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Dialect/Stream/IR/ResolvedMappings.h"
#include <mutex>

using namespace sequin;
using namespace sequin::stream;

llvm::Expected<Mapping> ResolvedMappings::get(AxesAttr axes,
                                              MappingAttr mapping) const {
  std::pair key(axes, mapping);
  {
    std::shared_lock lock(mutex);
    auto found = known.find(key);
    if (found != known.end())
      return found->second;
  }
  llvm::Expected<Mapping> resolved = mapping.resolve(axes.getTable());
  if (resolved) {
    std::unique_lock lock(mutex);
    known.try_emplace(key, *resolved);
  }
  return resolved;
}

llvm::Expected<Mapping> stream::resolve(AxesAttr axes, MappingAttr mapping) {
  return axes.getDialect().getRegisteredInterface<ResolvedMappings>()->get(
      axes, mapping);
}

Mapping stream::resolveVerified(AxesAttr axes, MappingAttr mapping) {
  return llvm::cantFail(resolve(axes, mapping));
}
