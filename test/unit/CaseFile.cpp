//===- CaseFile.cpp - Files of programs and what they do ------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CaseFile.h"
#include "Row.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <cstring>
#include <ostream>

using namespace sequin::testing;
using llvm::StringRef;

static std::vector<std::string> split(StringRef text, char separator) {
  llvm::SmallVector<StringRef> parts;
  text.split(parts, separator, -1, /*KeepEmpty=*/false);
  std::vector<std::string> result;
  for (StringRef part : parts)
    result.push_back(part.trim().str());
  return result;
}

std::vector<std::string> Case::all(StringRef key) const {
  std::vector<std::string> found;
  for (const Directive &directive : directives)
    if (directive.key == key)
      found.push_back(directive.text);
  return found;
}

std::string Case::one(StringRef key, StringRef otherwise) const {
  std::vector<std::string> found = all(key);
  return found.empty() ? otherwise.str() : found.front();
}

std::vector<std::string> Case::archs() const {
  return split(one("ARCH", "wse2 wse3"), ' ');
}

void Case::recordRows() const {
  for (const std::string &line : all("ROWS"))
    for (const std::string &row : split(line, ','))
      SEQUIN_ROW(row);
}

size_t Case::elementBytes() const {
  return StringRef(element()).ends_with("32") ? 4 : 2;
}

void sequin::testing::PrintTo(const Case &test, std::ostream *os) {
  *os << test.name;
}

std::string sequin::testing::nameOf(const Case &test) {
  return test.file + "_" + test.name;
}

/// The key at the start of a comment "KEY place: text"; empty if it is none.
static StringRef findKey(StringRef comment) {
  StringRef key = comment.take_while(
      [](char c) { return llvm::isUpper(c) || llvm::isDigit(c) || c == '-'; });
  StringRef after = comment.substr(key.size());
  bool isKey = key.size() > 2 && comment.contains(':') &&
               (after.starts_with(":") || after.starts_with(" "));
  return isKey ? key : StringRef();
}

static void readFile(const std::string &file, llvm::ArrayRef<StringRef> keys,
                     std::vector<Case> &cases) {
  auto buffer = llvm::MemoryBuffer::getFile(file);
  if (!buffer)
    llvm::report_fatal_error(("cannot read " + file).c_str());
  std::string section;
  llvm::SmallVector<StringRef> lines;
  (*buffer)->getBuffer().split(lines, '\n');
  size_t first = cases.size();
  for (auto [number, line] : llvm::enumerate(lines)) {
    auto fail = [&, at = number](const std::string &message) {
      llvm::report_fatal_error(
          (file + ":" + std::to_string(at + 1) + ": " + message).c_str(),
          /*gen_crash_diag=*/false);
    };
    StringRef text = line;
    if (text.consume_front("// ")) {
      StringRef key = findKey(text);
      if (key.empty())
        continue;
      auto [head, value] = text.split(':');
      if (key == "CASE") {
        cases.emplace_back();
        cases.back().name = value.trim().str();
        cases.back().file = llvm::sys::path::stem(file).str();
        section.clear();
        continue;
      }
      if (!llvm::is_contained({"ROWS", "ARCH", "OUT"}, key) &&
          !llvm::is_contained(keys, key))
        fail("no such directive: " + key.str());
      if (cases.size() == first)
        fail("a directive of no case");
      cases.back().directives.push_back({key.str(),
                                         head.substr(key.size()).trim().str(),
                                         value.trim().str()});
      continue;
    }
    if (text.consume_front("//")) {
      text = text.trim();
      if (llvm::is_contained({"main", "top", "comptime", "layout"}, text))
        section = text.str();
      else
        fail("no such section: " + text.str());
      continue;
    }
    if (cases.size() > first && !section.empty())
      cases.back().sections[section] += (line + "\n").str();
  }
}

std::vector<Case> sequin::testing::readCases(StringRef folder,
                                             StringRef extension,
                                             llvm::ArrayRef<StringRef> keys) {
  std::vector<std::string> files;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator i(folder, error), end;
       i != end && !error; i.increment(error))
    if (StringRef(i->path()).ends_with(extension))
      files.push_back(i->path());
  if (error || files.empty())
    llvm::report_fatal_error(
        ("no " + extension + " files in " + folder).str().c_str());
  llvm::sort(files);
  std::vector<Case> cases;
  for (const std::string &file : files)
    readFile(file, keys, cases);
  return cases;
}

std::string sequin::testing::linesFor(StringRef section, StringRef arch) {
  std::string result;
  llvm::SmallVector<StringRef> lines;
  section.split(lines, '\n');
  for (StringRef line : lines) {
    StringRef rest = line.ltrim();
    if (rest.starts_with("@wse2 ") || rest.starts_with("@wse3 ")) {
      if (rest.substr(1, 4) != arch)
        continue;
      rest = rest.drop_front(6);
    }
    result += (rest + "\n").str();
  }
  return result;
}

std::pair<int64_t, int64_t> sequin::testing::placeOf(StringRef text) {
  auto [x, y] = text.trim().split(' ');
  int64_t a = 0, b = 0;
  x.getAsInteger(10, a);
  y.getAsInteger(10, b);
  return {a, b};
}

double sequin::testing::decode(StringRef element, const uint8_t *data) {
  uint32_t bits = 0;
  std::memcpy(&bits, data, element.ends_with("32") ? 4 : 2);
  if (element == "f32")
    return llvm::bit_cast<float>(bits);
  if (element == "f16")
    return llvm::APFloat(llvm::APFloat::IEEEhalf(), llvm::APInt(16, bits))
        .convertToFloat();
  if (element == "i32")
    return static_cast<int32_t>(bits);
  return element == "i16" ? static_cast<int16_t>(bits)
                          : static_cast<double>(bits);
}
