//===- Hygiene.h - Names that a macro declares ------------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_VISASOURCE_HYGIENE_H
#define SEQUIN_LIB_VISASOURCE_HYGIENE_H

#include "sequin/VisaSource/Lexer.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace sequin::visa_source {

/// The variables that patterns in the body of a macro declare.
llvm::StringSet<> declaredNames(llvm::ArrayRef<Token> body);

/// Of these, those that the call names too, with names that neither has.
llvm::StringMap<std::string> freshNames(llvm::ArrayRef<Token> body,
                                        llvm::ArrayRef<Token> input);

/// Token `i` of the body, with its name anew if it is a variable's.
std::string writtenAnew(llvm::ArrayRef<Token> body, size_t i,
                        const llvm::StringMap<std::string> &fresh);

} // namespace sequin::visa_source

#endif // SEQUIN_LIB_VISASOURCE_HYGIENE_H
