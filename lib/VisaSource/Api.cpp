//===- Api.cpp - The crate of Virtual ISA kernels -------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/VisaSource/Api.h"

#include "sequin/Support/Excerpt.h"
#include "sequin/Support/SourceManager.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace sequin;
using namespace sequin::visa_source;
using llvm::StringRef;

static constexpr ApiType kTypes[] = {
#define VISA_API_TYPE(NAME, KIND, SECTION) {#NAME, ApiKind::KIND, SECTION},
#include "sequin/VisaSource/Api.def"
};

static constexpr ApiMethod kMethods[] = {
#define VISA_API_METHOD(RELEASES, TYPE, NAME, GENERICS, PARAMS, RESULT,        \
                        BACKING, OPERATION, SECTION)                           \
  {Releases::RELEASES, #TYPE,     #NAME,  GENERICS, PARAMS, RESULT,            \
   Backing::BACKING,   OPERATION, SECTION},
#include "sequin/VisaSource/Api.def"
};

static constexpr ApiValue kValues[] = {
#define VISA_API_VALUE(TYPE, NAME) {#TYPE, #NAME},
#include "sequin/VisaSource/Api.def"
};

llvm::ArrayRef<ApiType> visa_source::apiTypes() { return kTypes; }
llvm::ArrayRef<ApiMethod> visa_source::apiMethods() { return kMethods; }
llvm::ArrayRef<ApiValue> visa_source::apiValues() { return kValues; }

StringRef visa_source::stringify(Backing backing) {
  static constexpr StringRef kNames[] = {"operation", "part",    "sequence",
                                         "nothing",   "missing", "host"};
  return kNames[unsigned(backing)];
}

std::optional<Releases> visa_source::releaseOfCrate(StringRef crate) {
  if (crate == "furiosa_visa_std")
    return Releases::V01;
  if (crate == "furiosa_opt_std")
    return Releases::V06;
  return std::nullopt;
}

static llvm::SmallVector<StringRef, 4> splitList(StringRef text) {
  llvm::SmallVector<StringRef, 4> parts;
  text.split(parts, ", ", /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  return parts;
}

llvm::SmallVector<ApiGeneric, 5> ApiMethod::genericList() const {
  llvm::SmallVector<ApiGeneric, 5> result;
  for (StringRef part : splitList(generics)) {
    auto [name, what] = part.split(':');
    result.push_back({name, what});
  }
  return result;
}

llvm::SmallVector<StringRef, 4> ApiMethod::paramList() const {
  return splitList(params);
}

const ApiType *visa_source::findApiType(StringRef name) {
  static const auto index = [] {
    llvm::DenseMap<StringRef, const ApiType *> map;
    for (const ApiType &type : kTypes)
      map[type.name] = &type;
    return map;
  }();
  return index.lookup(name);
}

/// The rows of each name.
static const llvm::DenseMap<StringRef,
                            llvm::SmallVector<const ApiMethod *, 2>> &
methodsByName() {
  static const auto index = [] {
    llvm::DenseMap<StringRef, llvm::SmallVector<const ApiMethod *, 2>> map;
    for (const ApiMethod &method : kMethods)
      map[method.name].push_back(&method);
    return map;
  }();
  return index;
}

const ApiMethod *visa_source::findApiMethod(StringRef type, StringRef name,
                                            Releases release) {
  auto found = methodsByName().find(name);
  if (found == methodsByName().end())
    return nullptr;
  for (const ApiMethod *method : found->second)
    if (method->type == type && includes(method->releases, release))
      return method;
  return nullptr;
}

bool visa_source::isApiMethod(StringRef name) {
  return methodsByName().contains(name);
}

bool visa_source::isApiValue(StringRef type, StringRef name) {
  return llvm::any_of(kValues, [&](const ApiValue &value) {
    return value.type == type && value.name == name;
  });
}

static StringRef nameOf(Releases release) {
  return release == Releases::V01 ? "0.1" : "0.6";
}

std::string visa_source::describeMissing(StringRef type, StringRef method,
                                         Releases release) {
  std::string text =
      "'" + type.str() + "' has no method '" + excerpt(method) + "'";
  Releases other = release == Releases::V01 ? Releases::V06 : Releases::V01;
  if (findApiMethod(type, method, other))
    return text + " in release " + nameOf(release).str() +
           " of the crate, only in " + nameOf(other).str();
  llvm::SmallVector<StringRef, 4> owners;
  llvm::SmallVector<StringRef, 32> siblings;
  for (const ApiMethod &row : kMethods) {
    if (!includes(row.releases, release))
      continue;
    if (row.type == type)
      siblings.push_back(row.name);
    else if (row.name == method)
      owners.push_back(row.type);
  }
  if (!owners.empty())
    return text + ", which is one of " +
           llvm::join(llvm::map_range(owners,
                                      [](StringRef owner) {
                                        return "'" + owner.str() + "'";
                                      }),
                      ", ");
  if (auto near = source::suggestName(method, siblings))
    return text + ", did you mean '" + near->str() + "'?";
  return text;
}

llvm::SmallVector<std::string, 0> visa_source::checkApi() {
  llvm::SmallVector<std::string, 0> mistakes;
  llvm::DenseSet<StringRef> types;
  for (const ApiType &type : kTypes) {
    if (!types.insert(type.name).second)
      mistakes.push_back(type.name.str() + " has two rows");
    if (type.section.empty())
      mistakes.push_back(type.name.str() + " has no section");
  }
  for (const ApiMethod &method : kMethods) {
    std::string name = (method.type + "::" + method.name).str();
    auto wrong = [&](const llvm::Twine &what) {
      mistakes.push_back(name + " " + what.str());
    };
    if (!types.contains(method.type))
      wrong("is of an unknown type");
    if (!method.result.empty() && !types.contains(method.result))
      wrong("gives the unknown type " + method.result);
    if (method.section.empty())
      wrong("has no section");
    bool mayName = method.backing == Backing::Operation ||
                   method.backing == Backing::Part ||
                   method.backing == Backing::Sequence ||
                   method.backing == Backing::Missing;
    if (!method.operation.empty() && !mayName)
      wrong("has an operation and is backed by " + stringify(method.backing));
    if (method.operation.empty() && method.backing == Backing::Operation)
      wrong("names no operation");
    for (const ApiGeneric &generic : method.genericList())
      if (!generic.what.empty() && generic.what != "const" &&
          generic.what != "axis" && generic.what != "scalar")
        wrong("has a generic parameter of unknown kind " + generic.what);
    for (const ApiMethod &other : kMethods)
      if (&other < &method && other.type == method.type &&
          other.name == method.name &&
          (unsigned(other.releases) & unsigned(method.releases)) != 0)
        wrong("has two rows for one release");
  }
  for (const ApiValue &value : kValues) {
    const ApiType *type = findApiType(value.type);
    if (!type || (type->kind != ApiKind::Choice && type->kind != ApiKind::Host))
      mistakes.push_back(
          (value.type + "::" + value.name + " is of no choice").str());
  }
  return mistakes;
}
