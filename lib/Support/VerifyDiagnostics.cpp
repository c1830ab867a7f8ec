//===- VerifyDiagnostics.cpp - Expected diagnostics of tests --------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Support/VerifyDiagnostics.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace sequin;
using namespace sequin::source;
using llvm::StringRef;

namespace {

struct Expectation {
  FileId file = 0;
  unsigned line = 0;
  Severity severity = Severity::Error;
  StringRef text;
  bool met = false;
};

StringRef nameOf(Severity severity) {
  return severity == Severity::Error     ? "error"
         : severity == Severity::Warning ? "warning"
                                         : "note";
}

/// Reads what follows "expected-"; the rest behind it.
bool readExpectation(StringRef &rest, unsigned line, Expectation &result) {
  for (Severity severity :
       {Severity::Error, Severity::Warning, Severity::Note}) {
    if (!rest.consume_front(nameOf(severity)))
      continue;
    result.severity = severity;
    int offset = 0;
    if (rest.consume_front("@")) {
      bool down = rest.consume_front("+");
      bool up = !down && rest.consume_front("-");
      if ((!down && !up) || rest.consumeInteger(10, offset))
        return false;
      offset = up ? -offset : offset;
    }
    rest = rest.ltrim();
    size_t end = rest.find("}}");
    if (!rest.consume_front("{{") || end == StringRef::npos)
      return false;
    result.text = rest.take_front(end - 2);
    result.line = unsigned(int(line) + offset);
    rest = rest.drop_front(end);
    return true;
  }
  return false;
}

class Verifier {
public:
  Verifier(const SourceManager &sources, llvm::raw_ostream &os)
      : sources(sources), os(os) {
    for (FileId file = 1; file <= sources.numFiles(); ++file)
      readFile(file);
  }

  bool check(const Diagnostics &diagnostics) {
    for (const Diagnostic &d : diagnostics.all())
      meet(d);
    for (const Expectation &e : expectations)
      if (!e.met)
        say(e.file, e.line) << "expected " << nameOf(e.severity) << " '"
                            << e.text << "' was not reported\n";
    return good;
  }

private:
  void readFile(FileId file) {
    unsigned line = 1;
    StringRef rest = sources.text(file);
    for (; !rest.empty(); ++line) {
      auto [text, behind] = rest.split('\n');
      rest = behind;
      while (!text.empty()) {
        size_t found = text.find("expected-");
        if (found == StringRef::npos)
          break;
        text = text.drop_front(found + StringRef("expected-").size());
        Expectation e;
        e.file = file;
        if (readExpectation(text, line, e))
          expectations.push_back(e);
        else
          say(file, line) << "an expectation has the form expected-error@+1 "
                             "{{text}}\n";
      }
    }
  }

  void meet(const Diagnostic &d) {
    FileId file = sources.fileOf(d.loc);
    unsigned line = sources.lineColumn(d.loc).line;
    bool expected = d.severity == Severity::Note;
    for (Expectation &e : expectations)
      if (!e.met && e.file == file && e.line == line &&
          e.severity == d.severity && StringRef(d.message).contains(e.text)) {
        e.met = expected = true;
        break;
      }
    if (!expected)
      say(file, line) << "unexpected " << nameOf(d.severity) << " '"
                      << d.message << "'\n";
    for (const Diagnostic &note : d.notes)
      meet(note);
  }

  llvm::raw_ostream &say(FileId file, unsigned line) {
    good = false;
    if (file != 0)
      os << sources.path(file) << ':' << line << ": ";
    return os << "error: ";
  }

  const SourceManager &sources;
  llvm::raw_ostream &os;
  std::vector<Expectation> expectations;
  bool good = true;
};

} // namespace

bool source::verifyDiagnostics(const SourceManager &sources,
                               const Diagnostics &diagnostics,
                               llvm::raw_ostream &os) {
  return Verifier(sources, os).check(diagnostics);
}

std::vector<std::string> source::splitInput(StringRef text) {
  std::vector<std::string> parts;
  std::string part;
  unsigned line = 0;
  while (!text.empty()) {
    auto [first, rest] = text.split('\n');
    ++line;
    if (first.rtrim() == "// -----") {
      parts.push_back(std::move(part));
      part = std::string(line, '\n');
    } else {
      part.append(first.begin(), first.end());
      part += '\n';
    }
    text = rest;
  }
  parts.push_back(std::move(part));
  return parts;
}
