//===- Api.h - The crate of Virtual ISA kernels -----------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one table of what a kernel may use of its crate: types, their methods and
// the variants of its enumerations, for the manual's release (0.1, crate
// `furiosa_visa_std`) and the current one (0.6, `furiosa_opt_std`), each with
// the manual's section. The rows are in Api.def; findings of names and messages
// about them read it, and so do later phases, which find in it what operation
// stands behind a method.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_VISASOURCE_API_H
#define SEQUIN_VISASOURCE_API_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace sequin::visa_source {

/// A set of releases of the crate.
enum class Releases : uint8_t { V01 = 1, V06 = 2, Both = 3 };
inline bool includes(Releases set, Releases one) {
  return (unsigned(set) & unsigned(one)) == unsigned(one);
}

/// The release that a crate's name belongs to: `furiosa_visa_std` is 0.1,
/// `furiosa_opt_std` 0.6; none for another name.
std::optional<Releases> releaseOfCrate(llvm::StringRef crate);

enum class ApiKind : uint8_t {
  /// A tensor in a memory.
  Memory,
  /// A part of a tensor, named and not moved.
  View,
  /// A tensor between two engines.
  Stream,
  /// What gives access to engines.
  Context,
  /// An enumeration whose variants choose what an operation does.
  Choice,
  /// What an operand of the vector engine is wrapped in.
  Operand,
  /// Of host programs alone.
  Host
};

/// What stands behind a method in the `tcp` dialect.
enum class Backing : uint8_t {
  /// One operation.
  Operation,
  /// Something of the operation before or behind it.
  Part,
  /// Several operations; the importer says which.
  Sequence,
  /// Nothing is needed: it only names memory.
  Nothing,
  /// Nothing yet; `operation` may name the one that comes near.
  Missing,
  /// The host does it.
  Host
};
llvm::StringRef stringify(Backing backing);

struct ApiType {
  llvm::StringRef name;
  ApiKind kind;
  llvm::StringRef section;
};

/// A generic parameter that a call names: `Time`, or with what it is
/// behind a colon: `LENGTH:const`, `I:axis`, `D:scalar`; without, a mapping.
struct ApiGeneric {
  llvm::StringRef name;
  llvm::StringRef what;
};

struct ApiMethod {
  Releases releases;
  llvm::StringRef type;
  llvm::StringRef name;
  /// Separated by commas, as is `params`, which leaves `self` out.
  llvm::StringRef generics;
  llvm::StringRef params;
  /// The type of the value; empty for none, or one of the host.
  llvm::StringRef result;
  Backing backing;
  /// The mnemonic in the `tcp` dialect, or empty.
  llvm::StringRef operation;
  llvm::StringRef section;

  llvm::SmallVector<ApiGeneric, 5> genericList() const;
  llvm::SmallVector<llvm::StringRef, 4> paramList() const;
};

struct ApiValue {
  llvm::StringRef type;
  llvm::StringRef name;
};

llvm::ArrayRef<ApiType> apiTypes();
llvm::ArrayRef<ApiMethod> apiMethods();
llvm::ArrayRef<ApiValue> apiValues();

/// Null if there is none.
const ApiType *findApiType(llvm::StringRef name);
const ApiMethod *findApiMethod(llvm::StringRef type, llvm::StringRef name,
                               Releases release);
/// Whether any type has a method of that name.
bool isApiMethod(llvm::StringRef name);
bool isApiValue(llvm::StringRef type, llvm::StringRef name);

/// The message for a method that a type does not have: the type, what is near
/// by name, which other types have it, or the release that does.
std::string describeMissing(llvm::StringRef type, llvm::StringRef method,
                            Releases release);

/// Looks for mistakes in the table: names twice, types without a row, columns
/// that contradict each other. One sentence each; none if it is sound.
llvm::SmallVector<std::string, 0> checkApi();

} // namespace sequin::visa_source

#endif // SEQUIN_VISASOURCE_API_H
