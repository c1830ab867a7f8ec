//===- Source.h - Places and diagnostics of kernel source -------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The names under which the reader of Virtual ISA kernels uses the files,
// places and diagnostics that all front ends share.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_VISASOURCE_SOURCE_H
#define SEQUIN_VISASOURCE_SOURCE_H

#include "sequin/Support/SourceManager.h"

namespace sequin::visa_source {

using source::Diagnostic;
using source::Diagnostics;
using source::FileId;
using source::LineColumn;
using source::Loc;
using source::SourceManager;
using source::Span;

} // namespace sequin::visa_source

#endif // SEQUIN_VISASOURCE_SOURCE_H
