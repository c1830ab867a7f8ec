//===- ConfigAssembly.h - Parts of the configuration as text ----*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How the attributes of TcpConfigAttrs.td are written, read and checked. The
// fields are those of the configuration's description; an error in one of them
// is reported where it stands.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_DIALECT_TCP_IR_CONFIGASSEMBLY_H
#define SEQUIN_LIB_DIALECT_TCP_IR_CONFIGASSEMBLY_H

#include "mlir/IR/OpImplementation.h"
#include "sequin/Dialect/Tcp/IR/TcpConfigValue.h"
#include "llvm/ADT/StringMap.h"

namespace sequin::tcp {

/// Text in the form `<key = value, ...>` as JSON, and where each value stands,
/// by its path as FieldError names it.
class FieldText {
public:
  mlir::ParseResult parse(mlir::AsmParser &parser) {
    return parseValue(parser, json, "");
  }
  const llvm::json::Value &getJson() const { return json; }
  /// The place of the innermost value around `path` that has one.
  llvm::SMLoc getLoc(llvm::StringRef path) const;

private:
  mlir::ParseResult parseValue(mlir::AsmParser &parser,
                               llvm::json::Value &value,
                               const std::string &path);

  llvm::json::Value json = nullptr;
  llvm::StringMap<llvm::SMLoc> places;
};

template <typename AttrT, typename T>
mlir::Attribute parseConfig(mlir::AsmParser &parser) {
  llvm::SMLoc start = parser.getCurrentLocation();
  FieldText text;
  if (text.parse(parser))
    return {};
  T value;
  if (std::optional<config::FieldError> error =
          config::readFields(text.getJson(), value)) {
    auto diag = parser.emitError(
        text.getLoc(error->unknown.empty() ? error->path : error->unknown));
    if (!error->path.empty())
      diag << error->path << ": ";
    diag << error->message;
    return {};
  }
  return AttrT::getChecked([&] { return parser.emitError(start); },
                           parser.getContext(),
                           ConfigValue<T>(std::move(value)));
}

/// Prints fields as FieldText reads them.
class AsmSink : public config::FieldSink {
public:
  explicit AsmSink(mlir::AsmPrinter &printer, mlir::MLIRContext *context)
      : printer(printer), context(context) {}

  void beginStruct() override { open('<'); }
  void key(llvm::StringRef name) override;
  void endStruct() override { close('>'); }
  void beginList(size_t) override { open('['); }
  void endList() override { close(']'); }
  void number(int64_t value) override;
  void flag(bool value) override;
  void text(llvm::StringRef value) override;
  void enumerator(llvm::StringRef name) override;
  bool sequencer(const config::Sequencer &sequencer) override;

private:
  void open(char bracket);
  void close(char bracket);
  /// A comma, if another value stands before it in the list or struct.
  void separate();

  mlir::AsmPrinter &printer;
  mlir::MLIRContext *context;
  bool isFirst = true, hasKey = false;
};

template <typename T>
void printConfig(mlir::AsmPrinter &printer, mlir::MLIRContext *context,
                 const T &value) {
  AsmSink sink(printer, context);
  config::writeFields(value, sink);
}

/// The rules of a struct that need no machine: loops that run, packets that are
/// something. The simulator checks the rest.
using EmitError = llvm::function_ref<mlir::InFlightDiagnostic()>;
llvm::LogicalResult verifyConfig(EmitError, const config::Argument &);
llvm::LogicalResult verifyConfig(EmitError, const config::Constant &);
llvm::LogicalResult verifyConfig(EmitError, const config::Transfer &);
llvm::LogicalResult verifyConfig(EmitError, const config::DmaDescriptor &);
llvm::LogicalResult verifyConfig(EmitError, const config::FetchStage &);
llvm::LogicalResult verifyConfig(EmitError, const config::FetchMask &);
llvm::LogicalResult verifyConfig(EmitError, const config::SwitchStage &);
llvm::LogicalResult verifyConfig(EmitError, const config::CollectStage &);
llvm::LogicalResult verifyConfig(EmitError, const config::ContractStage &);
llvm::LogicalResult verifyConfig(EmitError, const config::VectorStage &);
llvm::LogicalResult verifyConfig(EmitError, const config::CastStage &);
llvm::LogicalResult verifyConfig(EmitError, const config::TransposeStage &);
llvm::LogicalResult verifyConfig(EmitError, const config::CommitStage &);
llvm::LogicalResult verifyConfig(EmitError, const config::ToTrfStage &);
llvm::LogicalResult verifyConfig(EmitError, const config::ToVrfStage &);
llvm::LogicalResult verifyConfig(EmitError, const config::AddressStep &);

} // namespace sequin::tcp

#endif // SEQUIN_LIB_DIALECT_TCP_IR_CONFIGASSEMBLY_H
