//===- CaseFile.h - Files of programs and what they do ----------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A case is a header of directives and sections of a program:
//
//     // CASE: name
//     // ROWS: DSD-036, FAB-013      what it shows
//     // ARCH: wse2 wse3             (both if left out)
//     // EXPECT 1 0: 4 5             a key, a place and a text
//     //main                         begins a section: main, top, comptime or
//                                    layout
//
// Other lines that begin with "// " are comments. A line of a section that
// begins with @wse2 or @wse3 is for that machine alone. The program must export
// an array `out` of 32 elements, of the type that OUT names.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_TEST_UNIT_CASEFILE_H
#define SEQUIN_TEST_UNIT_CASEFILE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <iosfwd>
#include <map>
#include <string>
#include <vector>

namespace sequin::testing {

struct Directive {
  std::string key, place, text;
};

struct Case {
  std::string name, file;
  std::vector<Directive> directives;
  std::map<std::string, std::string> sections;

  /// The texts of all directives with this key.
  std::vector<std::string> all(llvm::StringRef key) const;
  /// The text of the first, if there is one.
  std::string one(llvm::StringRef key, llvm::StringRef otherwise) const;
  std::vector<std::string> archs() const;
  /// Records what ROWS names as shown (Row.h).
  void recordRows() const;
  /// The type of an element of `out`.
  std::string element() const { return one("OUT", "i16"); }
  size_t elementBytes() const;
};

void PrintTo(const Case &test, std::ostream *os);
/// What the test of a case is called.
std::string nameOf(const Case &test);

/// The cases of all files in `folder` whose names end with `extension`, sorted
/// by file. What cannot be read, or has a directive that is not among `keys`
/// (CASE, ROWS, ARCH and OUT always are), ends the program.
std::vector<Case> readCases(llvm::StringRef folder, llvm::StringRef extension,
                            llvm::ArrayRef<llvm::StringRef> keys);

/// The lines of a section that are for `arch`.
std::string linesFor(llvm::StringRef section, llvm::StringRef arch);

/// "x y".
std::pair<int64_t, int64_t> placeOf(llvm::StringRef text);

/// The number at `data`, of type f16, f32, i16, u16, i32 or u32.
double decode(llvm::StringRef element, const uint8_t *data);

} // namespace sequin::testing

#endif // SEQUIN_TEST_UNIT_CASEFILE_H
