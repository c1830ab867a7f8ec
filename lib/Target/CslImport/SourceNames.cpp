//===- SourceNames.cpp - Operations in the words of CSL -------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Target/CslImport/SourceNames.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "sequin/Dialect/Csl/IR/CslDialect.h"
#include "llvm/ADT/StringSwitch.h"

using namespace sequin;
using Argument = mlir::DiagnosticArgument;

/// What a CSL program calls an operation; empty if nothing comes to mind.
static std::string nameOf(llvm::StringRef op) {
  std::string name =
      llvm::StringSwitch<std::string>(op)
          .Case("csl.layout", "the layout")
          .Case("csl.program", "the program")
          .Case("csl.var", "the variable")
          .Case("csl.param", "the parameter")
          .Case("csl.task", "the task")
          .Case("csl.comptime", "the comptime block")
          .Case("csl.tile_code", "@set_tile_code")
          .Case("csl.color_config", "@set_color_config")
          .Case("csl.local_color_config", "@set_local_color_config")
          .Case("csl.fifo", "@allocate_fifo")
          .Cases({"csl.mem1d_dsd", "csl.mem4d_dsd", "csl.circbuf_dsd",
                  "csl.fabin_dsd", "csl.fabout_dsd"},
                 "@get_dsd")
          .Case("csl.sim_print", "the print")
          .Case("csl.register_address", "the register")
          .Case("csl.stream", "the stream of the host")
          .Cases({"csl.address_of", "csl.as_memref", "csl.element_ptr",
                  "csl.field_ptr"},
                 "the pointer")
          .Cases({"csl.load", "memref.load"}, "the load")
          .Cases({"csl.store", "memref.store"}, "the store")
          .Case("csl.ptr_cast", "@ptrcast")
          .Cases({"csl.ptr_to_int", "csl.int_to_ptr", "csl.to_enum",
                  "csl.convert_cb16"},
                 "the cast")
          .Cases({"csl.call_indirect", "func.call"}, "the call")
          .Cases({"csl.aggregate", "csl.splat"}, "the value")
          .Cases({"csl.get_field", "csl.set_field"}, "the field")
          .Case("memref.alloca", "the local variable")
          .Cases({"csl.get_element", "csl.set_element"}, "the element")
          .Cases({"csl.constant", "csl.make_id", "csl.task_id"}, "the id")
          .Cases({"csl.return", "func.return"}, "the return")
          .Case("func.func", "the function")
          .Cases({"cf.br", "cf.cond_br", "cf.switch"}, "the branch")
          .Default("");
  if (name.empty() && op.consume_front("csl."))
    name = ("@" + op).str();
  return name;
}

/// How a CSL program writes a type; empty if it has no word for it.
static std::string spell(mlir::Type type) {
  using namespace sequin::csl;
  if (auto dsd = mlir::dyn_cast<DsdType>(type))
    return (stringifyDescriptorKind(dsd.getKind()) + "_dsd").str();
  if (auto dsr = mlir::dyn_cast<DsrType>(type))
    return ("dsr_" + stringifyDsrKind(dsr.getKind())).str();
  if (mlir::isa<FifoType>(type))
    return "fifo";
  if (mlir::isa<ColorType>(type))
    return "color";
  if (mlir::isa<CB16Type>(type))
    return "cb16";
  if (auto pointer = mlir::dyn_cast<PtrType>(type)) {
    std::string pointee = spell(pointer.getPointee());
    return pointee.empty()
               ? ""
               : (pointer.getMany() ? "[*]" : "*") +
                     std::string(pointer.getIsConst() ? "const " : "") +
                     pointee;
  }
  if (auto memref = mlir::dyn_cast<mlir::MemRefType>(type)) {
    std::string element = spell(memref.getElementType());
    if (element.empty() || !memref.hasStaticShape() || !memref.getRank())
      return element;
    std::string text = "[";
    llvm::raw_string_ostream os(text);
    llvm::interleaveComma(memref.getShape(), os);
    return text + "]" + element;
  }
  if (type.isInteger(1))
    return "bool";
  if (type.isInteger() || mlir::isa<mlir::FloatType>(type)) {
    std::string text;
    llvm::raw_string_ostream os(text);
    type.print(os);
    return text;
  }
  return "";
}

/// The attribute keeps the text for as long as the diagnostic may be read.
static Argument makeText(const std::string &text, mlir::MLIRContext *context) {
  return Argument(mlir::StringAttr::get(context, text).getValue());
}

static void renameIn(mlir::Diagnostic &diagnostic) {
  auto isText = [](const Argument &argument, llvm::StringRef text) {
    return argument.getKind() == Argument::DiagnosticArgumentKind::String &&
           (text.empty() || argument.getAsString() == text);
  };
  mlir::MLIRContext *context = diagnostic.getLocation().getContext();
  llvm::MutableArrayRef<Argument> parts = diagnostic.getArguments();
  for (Argument &part : parts)
    if (part.getKind() == Argument::DiagnosticArgumentKind::Type)
      if (std::string type = spell(part.getAsType()); !type.empty())
        part = makeText("'" + type + "'", context);
  if (parts.size() < 3 || !isText(parts[0], "'") || !isText(parts[1], "") ||
      !isText(parts[2], "' op "))
    return;
  std::string name = nameOf(parts[1].getAsString());
  if (name.empty())
    return;
  parts[0] = Argument(llvm::StringRef());
  parts[1] = makeText(name, context);
  parts[2] = Argument(llvm::StringRef(" "));
}

void csl_import::nameAsInSource(mlir::Diagnostic &diagnostic) {
  renameIn(diagnostic);
  for (mlir::Diagnostic &note : diagnostic.getNotes())
    renameIn(note);
}
