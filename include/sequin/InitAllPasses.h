//===- InitAllPasses.h - Every pass and pipeline of Sequin ------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_INITALLPASSES_H
#define SEQUIN_INITALLPASSES_H

#include "sequin/Conversion/CslToWafer/Passes.h"
#include "sequin/Conversion/LinalgToCsl/Passes.h"
#include "sequin/Conversion/LinalgToTcp/Passes.h"
#include "sequin/Conversion/NormalizeLinalg/Passes.h"
#include "sequin/Conversion/TcpToConfig/Passes.h"
#include "sequin/Conversion/TosaToLinalg/Passes.h"
#include "sequin/Dialect/Tcp/Transforms/TcpPasses.h"
#include "sequin/Pipelines/Pipelines.h"

namespace sequin {

/// Registers Sequin's own passes and the pipelines made of them.
inline void registerAllPasses() {
  csl_to_wafer::registerCslToWaferPasses();
  linalg_to_csl::registerLinalgToCslPasses();
  linalg_to_tcp::registerLinalgToTcpPasses();
  normalize_linalg::registerNormalizeLinalgPasses();
  tcp_to_config::registerTcpToConfigPasses();
  tosa_to_linalg::registerTosaToLinalgPasses();
  tcp::registerTcpPasses();
  registerPipelines();
}

} // namespace sequin

#endif // SEQUIN_INITALLPASSES_H
