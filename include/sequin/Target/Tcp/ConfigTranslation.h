//===- ConfigTranslation.h - Configuration in IR and as structs -*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_TARGET_TCP_CONFIGTRANSLATION_H
#define SEQUIN_TARGET_TCP_CONFIGTRANSLATION_H

#include "sequin/Config/Config.h"
#include "sequin/Dialect/Tcp/IR/TcpDialect.h"

namespace sequin::tcp {

/// Builds the `tcp.config` operation that holds `program`; an error at the
/// command whose numbers its operation does not take.
mlir::FailureOr<ConfigOp> buildConfigOp(mlir::OpBuilder &builder,
                                        mlir::Location loc,
                                        const config::Program &program);

/// The structs of a `tcp.config` operation.
config::Program readConfigOp(ConfigOp op);

/// The program of a `.json` file as a module with one `tcp.config`, and back.
void registerConfigTranslations();

} // namespace sequin::tcp

#endif // SEQUIN_TARGET_TCP_CONFIGTRANSLATION_H
