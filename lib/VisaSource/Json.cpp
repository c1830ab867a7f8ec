//===- Json.cpp - Programs of kernel source as JSON -----------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/VisaSource/Json.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"

using namespace sequin;
using namespace sequin::visa_source;
using llvm::StringRef;

namespace {

/// A name for each; the tree's printers need none.
StringRef stringify(MacroForm form) {
  static constexpr StringRef kNames[] = {"list", "repeat", "tokens"};
  return kNames[unsigned(form)];
}

class Writer {
public:
  Writer(llvm::raw_ostream &os, const Crates &program,
         const SourceManager &sources)
      : json(os), program(program), sources(sources) {}

  void write();

private:
  /// Remembers a node, what is below it and what its names stand for.
  void collect(const Node &node);
  void collectModule(const Module &module);
  void collectAll();
  bool isCollected(const Node &node) const {
    return node.id() < collected.size() && collected[node.id()];
  }
  void writeModule(const Module &module);
  void writeNode(const Node &node);
  void writeMeaning(const Meaning &meaning);
  void text(StringRef key, StringRef value) {
    if (!value.empty())
      json.attribute(key, llvm::json::fixUTF8(value));
  }

  /// Writes the members of a node.
  struct Members {
    Writer &writer;

    void operator()(const char *name, const Ident &ident) const {
      writer.text(name, ident.text);
    }
    void operator()(const char *name, llvm::ArrayRef<Ident> idents) const {
      writer.json.attributeArray(name, [&] {
        for (const Ident &ident : idents)
          writer.json.value(llvm::json::fixUTF8(ident.text));
      });
    }
    void operator()(const char *name, StringRef value) const {
      writer.text(name, value);
    }
    void operator()(const char *name, bool flag) const {
      if (flag)
        writer.json.attribute(name, true);
    }
    void operator()(const char *name, uint64_t value) const {
      writer.json.attribute(name, value);
    }
    void operator()(const char *name, std::optional<BinaryOp> op) const {
      if (op)
        writer.json.attribute(name, spelling(*op));
    }
    void operator()(const char *name, const ItemHead &head) const {
      (*this)("name", head.name);
      (*this)("attributes", head.attributes);
    }
    template <typename T>
    void operator()(const char *name, llvm::ArrayRef<const T *> list) const {
      if (list.empty())
        return;
      writer.json.attributeArray(name, [&] {
        for (const T *node : list)
          writer.writeReference(*node);
      });
    }
    template <typename T> void operator()(const char *name, const T &v) const {
      if constexpr (std::is_pointer_v<T>) {
        // The body of a kernel is not written.
        if (!v || !writer.isCollected(*v))
          return;
        writer.json.attributeBegin(name);
        writer.writeReference(*v);
        writer.json.attributeEnd();
      } else if constexpr (requires { spelling(v); }) {
        writer.json.attribute(name, spelling(v));
      } else if constexpr (requires { stringify(v); }) {
        writer.json.attribute(name, stringify(v));
      } else {
        writer.json.attribute(name, int64_t(v));
      }
    }
  };
  void writeReference(const Node &node) {
    json.object([&] { json.attribute("node", int64_t(node.id())); });
  }

  llvm::json::OStream json;
  const Crates &program;
  const SourceManager &sources;
  std::vector<const Node *> nodes;
  /// By number of node.
  std::vector<bool> collected;
  /// What names stand for, still to be collected.
  std::vector<const Node *> named;
};

} // namespace

/// The parts of a node that are written.
static void forEachPart(const Node &node,
                        llvm::function_ref<void(const Node &)> visit) {
  if (const auto *module = llvm::dyn_cast<ModItem>(&node)) {
    // Its items belong to the module.
    for (const Attribute *attribute : module->head.attributes)
      visit(*attribute);
    return;
  }
  const auto *function = llvm::dyn_cast<FnItem>(&node);
  bool isKernel =
      function && findAttribute(function->head.attributes, "device");
  forEachChild(node, [&](const Node &child) {
    if (!isKernel || &child != function->body)
      visit(child);
  });
}

void Writer::collect(const Node &node) {
  if (isCollected(node))
    return;
  if (node.id() >= collected.size())
    collected.resize(node.id() + 1);
  collected[node.id()] = true;
  nodes.push_back(&node);
  if (const Node *target = program.meaningOf(node).node)
    named.push_back(target);
  forEachPart(node, [&](const Node &part) { collect(part); });
  if (const auto *macro = llvm::dyn_cast<MacroExpr>(&node))
    if (const Expr *stands = program.expansionOf(*macro))
      collect(*stands);
}

void Writer::collectModule(const Module &module) {
  for (const Attribute *attribute : module.file->attributes)
    collect(*attribute);
  for (const Item *item : module.items)
    collect(*item);
}

void Writer::collectAll() {
  auto collectNamed = [&] {
    while (!named.empty()) {
      const Node *node = named.back();
      named.pop_back();
      collect(*node);
    }
  };
  for (const auto &module : program.modules())
    if (!module->isBlock() &&
        StringRef(module->path).split("::").first == "crate")
      collectModule(*module);
  collectNamed();
  // Methods of the types that were found.
  for (bool found = true; found;) {
    found = false;
    for (const auto &module : program.modules())
      for (const Item *item : module->items) {
        const auto *impl = llvm::dyn_cast<ImplItem>(item);
        const auto *self =
            impl ? llvm::dyn_cast_or_null<PathType>(impl->self) : nullptr;
        const Node *type =
            self && self->path ? program.meaningOf(*self->path).node : nullptr;
        if (!type || !isCollected(*type) || isCollected(*impl))
          continue;
        found = true;
        collect(*impl);
        collectNamed();
      }
  }
}

void Writer::writeModule(const Module &module) {
  json.object([&] {
    text("path", module.path);
    text("file", sources.path(module.file->file));
    // Of the file, where the module is one.
    bool isFile = !module.parent || module.parent->file != module.file;
    if (isFile && !module.file->attributes.empty())
      json.attributeArray("attributes", [&] {
        for (const Attribute *attribute : module.file->attributes)
          if (isCollected(*attribute))
            writeReference(*attribute);
      });
    json.attributeArray("items", [&] {
      for (const Item *item : module.items)
        if (isCollected(*item))
          writeReference(*item);
    });
  });
}

void Writer::writeMeaning(const Meaning &meaning) {
  json.attributeObject("means", [&] {
    text("kind", stringify(meaning.kind));
    if (meaning.node && isCollected(*meaning.node)) {
      json.attributeBegin("node");
      writeReference(*meaning.node);
      json.attributeEnd();
    }
    if (meaning.module)
      text("module", meaning.module->path);
    if (meaning.api)
      text("api", meaning.api->name);
    if (meaning.rest)
      json.attribute("rest", int64_t(meaning.rest));
  });
}

void Writer::writeNode(const Node &node) {
  json.object([&] {
    json.attribute("id", int64_t(node.id()));
    json.attribute("kind", stringify(node.kind()));
    json.attributeArray("at", [&] {
      LineColumn place = sources.lineColumn(node.begin());
      json.value(int64_t(sources.fileOf(node.begin())));
      json.value(int64_t(place.line));
      json.value(int64_t(place.column));
    });
    // Assertions quote what they assert.
    if (const auto *macro = llvm::dyn_cast<MacroExpr>(&node)) {
      text("source", SourceManager::textOf(node.span()));
      if (const Expr *stands = program.expansionOf(*macro))
        json.attribute("expansion", int64_t(stands->id()));
    }
    if (Meaning meaning = program.meaningOf(node))
      writeMeaning(meaning);
    json.attributeObject("members", [&] {
      if (const auto *module = llvm::dyn_cast<ModItem>(&node))
        Members{*this}("head", module->head);
      else
        dispatch(node, [&](const auto &n) { n.fields(Members{*this}); });
    });
  });
}

void Writer::write() {
  collectAll();
  llvm::sort(nodes,
             [](const Node *a, const Node *b) { return a->id() < b->id(); });
  json.object([&] {
    json.attributeArray("files", [&] {
      for (FileId file = 1; file <= sources.numFiles(); ++file)
        json.value(llvm::json::fixUTF8(sources.path(file)));
    });
    json.attributeArray("modules", [&] {
      for (const auto &module : program.modules())
        if (!module->isBlock())
          writeModule(*module);
    });
    json.attributeArray("nodes", [&] {
      for (const Node *node : nodes)
        writeNode(*node);
    });
    if (std::optional<Releases> release = program.release())
      text("release", *release == Releases::V06 ? "0.6" : "0.1");
  });
}

void visa_source::writeJson(const Crates &program, const SourceManager &sources,
                            llvm::raw_ostream &os) {
  Writer(os, program, sources).write();
  os << '\n';
}
