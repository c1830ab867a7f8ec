//===- JsonText.cpp - JSON from files of anybody --------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Support/JsonText.h"
#include "llvm/ADT/Twine.h"

using namespace sequin;

/// Whether brackets nest too deep. Text that is not JSON may be misjudged only
/// if it is refused anyway.
static bool nestsTooDeep(llvm::StringRef text) {
  int64_t depth = 0;
  bool inString = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (inString) {
      if (c == '\\')
        ++i;
      else if (c == '"')
        inString = false;
    } else if (c == '"') {
      inString = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kMaxNesting)
        return true;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return false;
}

llvm::Expected<llvm::json::Value> sequin::parseJson(llvm::StringRef text) {
  if (nestsTooDeep(text))
    return llvm::createStringError("arrays and objects nest more than " +
                                   llvm::Twine(kMaxNesting) + " deep");
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(text);
  if (!value)
    return llvm::createStringError("not valid JSON: " +
                                   llvm::toString(value.takeError()));
  return value;
}

void sequin::writeWithList(
    llvm::raw_ostream &os, const llvm::json::Object &fields,
    llvm::StringRef list,
    llvm::function_ref<void(llvm::json::OStream &)> writeElements) {
  llvm::SmallVector<llvm::StringRef> keys = {list};
  for (const auto &field : fields)
    keys.push_back(field.first);
  llvm::sort(keys);
  llvm::json::OStream json(os, /*IndentSize=*/2);
  json.object([&] {
    for (llvm::StringRef key : keys)
      if (key == list)
        json.attributeArray(key, [&] { writeElements(json); });
      else
        json.attribute(key, *fields.get(key));
  });
  os << '\n';
}
