//===- Dump.cpp - Syntax trees as an outline ------------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/VisaSource/Printer.h"

using namespace sequin;
using namespace sequin::visa_source;
using llvm::StringRef;

namespace {

/// Prints a node's facts on its line; the children follow.
class Facts {
public:
  explicit Facts(llvm::raw_ostream &os) : os(os) {}

  void operator()(const char *name, const Ident &ident) const {
    if (!ident.empty())
      os << ' ' << name << '=' << ident.text;
  }
  void operator()(const char *name, llvm::ArrayRef<Ident> idents) const {
    os << ' ' << name << '=';
    llvm::interleave(
        idents, os, [&](const Ident &ident) { os << ident.text; }, "::");
  }
  void operator()(const char *name, StringRef text) const {
    if (text.empty())
      return;
    os << ' ' << name << "=\"";
    os.write_escaped(text) << '"';
  }
  void operator()(const char *name, bool flag) const {
    if (flag)
      os << ' ' << name;
  }
  void operator()(const char *name, uint64_t value) const {
    os << ' ' << name << '=' << value;
  }
  void operator()(const char *name, std::optional<BinaryOp> op) const {
    if (op)
      os << ' ' << name << '=' << spelling(*op);
  }
  void operator()(const char *name, const ItemHead &head) const {
    (*this)("name", head.name);
    (*this)("visibility", head.visibility);
  }
  template <typename T> void operator()(const char *name, const T &v) const {
    if constexpr (std::is_enum_v<T>) {
      os << ' ' << name << '=';
      if constexpr (requires { spelling(v); })
        os << spelling(v);
      else
        os << unsigned(v);
    } else if constexpr (std::is_pointer_v<T>) {
      // Which of the optional children are there.
      if (v)
        os << ' ' << name;
    } else {
      // The lengths tell the lists of one node apart.
      os << ' ' << name << ':' << v.size();
    }
  }

private:
  llvm::raw_ostream &os;
};

class Dumper {
public:
  Dumper(llvm::raw_ostream &os, const SourceManager *sources)
      : os(os), sources(sources) {}

  void dump(const Node &node, unsigned depth) {
    os.indent(depth * 2) << stringify(node.kind());
    dispatch(node, [&](const auto &n) { n.fields(Facts(os)); });
    if (sources) {
      LineColumn from = sources->lineColumn(node.begin());
      LineColumn to = sources->lineColumn(node.end());
      os << ' ' << from.line << ':' << from.column << '-' << to.line << ':'
         << to.column;
    }
    os << '\n';
    forEachChild(node, [&](const Node &child) { dump(child, depth + 1); });
  }

private:
  llvm::raw_ostream &os;
  const SourceManager *sources;
};

} // namespace

void visa_source::dump(const SourceFile &file, llvm::raw_ostream &os,
                       const SourceManager *sources) {
  Dumper dumper(os, sources);
  for (const Attribute *attribute : file.attributes)
    dumper.dump(*attribute, 0);
  for (const Item *item : file.items)
    dumper.dump(*item, 0);
}
