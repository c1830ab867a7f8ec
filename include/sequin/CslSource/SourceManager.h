//===- SourceManager.h - CSL files, places and diagnostics ------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The names under which the front end of CSL uses the files, places and
// diagnostics that all front ends share. Diagnostics are printed in clang's
// form (SYN-093).
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_CSLSOURCE_SOURCEMANAGER_H
#define SEQUIN_CSLSOURCE_SOURCEMANAGER_H

#include "sequin/Support/SourceManager.h"

namespace sequin::csl_source {

using source::Diagnostic;
using source::Diagnostics;
using source::FileId;
using source::kMaxFileBytes;
using source::LineColumn;
using source::Loc;
using source::Severity;
using source::SourceManager;
using source::Span;
using source::suggestName;

} // namespace sequin::csl_source

#endif // SEQUIN_CSLSOURCE_SOURCEMANAGER_H
