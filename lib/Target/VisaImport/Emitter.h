//===- Emitter.h - Operations of kernels ------------------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes the operations of the tcp dialect that calls of the crate's methods
// stand for, and knows which value a tensor has at any time: a Buffer is what
// the source names, its value changes with every write. What the operations'
// verifiers say is said at the place of the call.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_TARGET_VISAIMPORT_EMITTER_H
#define SEQUIN_LIB_TARGET_VISAIMPORT_EMITTER_H

#include "Context.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Verifier.h"
#include "sequin/Dialect/Tcp/IR/TcpDialect.h"

namespace sequin::visa_import {

struct ApiCall;

class Emitter {
public:
  Emitter(mlir::MLIRContext &context, const Reporter &reporter, AxisTable &axes)
      : builder(&context), reporter(reporter), axes(axes) {}

  /// Where operations go.
  mlir::OpBuilder builder;
  /// Of one network of the machine: what an index on the chip is held in.
  int64_t scratchpadBytes = INT64_MAX;

  /// The type of a tensor or stream in the dialect; null after an error.
  mlir::Type lower(const TypeRef &type, Span place,
                   tcp::Context execution = tcp::Context::Main);
  /// The crate's type of a stream.
  TypeRef typeOfStream(StringRef name, mlir::Value stream) const;
  /// A view's type, with its tiles.
  static TypeRef typeOfView(const Value &view);
  /// Of a buffer, or of a view.
  static TypeRef typeOfTensor(const Value &tensor) {
    return tensor.kind == Value::Kind::View ? typeOfView(tensor)
                                            : tensor.buffer->type;
  }

  /// The operation of a call; an Error after one was reported.
  Value emit(ApiCall &call);

  /// What a tensor or view holds now; null after an error.
  mlir::Value read(const Value &tensor, Span place);
  /// A tensor that names an address.
  Value fromAddress(const TypeRef &type, int64_t address, Span place);

private:
  /// The operation of a call on a stream; none if it is another's.
  std::optional<Value> emitStream(ApiCall &call);

  using Attributes = llvm::SmallVector<mlir::NamedAttribute, 8>;

  // EmitMemory
  Value move(ApiCall &call, StringRef to);
  Value moveIntoView(ApiCall &call, StringRef memory);
  Value shuffleChips(ApiCall &call);
  Value sliceOfChips(ApiCall &call);
  Value parallelCopy(ApiCall &call);
  Value copySlicesApart(ApiCall &call);
  /// Calls of release 0.6 have the tensor as receiver.
  static void putTensorFirst(ApiCall &call);
  /// A stream of `word`, a tensor of one element, as long as a tensor of
  /// `type`.
  mlir::Value repeatWord(Span place, mlir::Value word, tcp::DmType type);
  /// The elements of a tensor of `type`, each from a word, with gaps behind
  /// every eight.
  mlir::Value castWords(Span place, mlir::Value word, tcp::DmType type);
  Value fill(ApiCall &call);
  Value restate(ApiCall &call);
  Value rename(ApiCall &call);
  static bool isWritable(const Value &view);
  /// A view to write to under other axes.
  Value renameMutable(ApiCall &call, const TypeRef &type);
  Value reshape(ApiCall &call);
  Value shuffleClusters(ApiCall &call);
  Value sliceOfClusters(ApiCall &call);
  /// Moves the part of `from` at an offset to a part of `into`, in HBM.
  mlir::Operation *moveParts(Span place, mlir::Value from, mlir::Type part,
                             int64_t offset, mlir::Value into,
                             mlir::Type target, int64_t targetOffset);
  /// What is on the clusters and slices of a DM tensor, in HBM.
  mlir::Value flatten(Span place, mlir::Value source, const TypeRef &type);
  /// The type and the offset that a tile leaves of what lies in HBM level by
  /// level; false after an error.
  bool addTile(TypeRef &type, int64_t &offset, const Tile &tile);
  mlir::Operation *moveTo(Span place, const TypeRef &type, mlir::Value value);
  /// A tile of chips, clusters or slices, as a tensor of its own.
  mlir::Value stageTile(mlir::Value source, const TypeRef &type,
                        const Tile &tile);
  /// Writes to a view that has tiles of chips, clusters or slices.
  bool storeTiles(Span place, mlir::Value input, const Value &destination);
  Value stageIntoView(ApiCall &call, mlir::Value input,
                      const Value &destination);
  /// Has the pass that wrote the tensor commit the slices of a tile only; null
  /// after an error.
  mlir::Value commitSlices(Buffer &buffer, const Tile &tile);
  /// The first slices, copied in the sub context; null after an error.
  mlir::Value copySlices(mlir::Value source, const Tile &tile);
  /// The elements of a DM tensor as flits in the sub context; `isLive`: without
  /// the padding of its innermost dimension.
  mlir::Value readFlits(Span place, mlir::Value source, StringRef element,
                        bool isLive = false);
  /// A pass of the sub context that copies `source`, or the `slices` of it, to
  /// a tensor of its own or into `destination`; null after an error.
  mlir::Value copyPass(Span place, mlir::Value source, StringRef element,
                       int64_t address, const Value *destination,
                       StringRef slices = {});
  Value tile(ApiCall &call, StringRef level);
  std::string wholeDigit(StringRef index) const;
  Value view(ApiCall &call, bool isMut);
  Value bufferOf(mlir::Value value, TypeRef type, Span made, int64_t address);
  /// The whole of `buffer` is `value` from now on.
  void replace(Buffer &buffer, mlir::Value value);
  /// What `buffer` holds after a write of so many elements; null after an
  /// error.
  mlir::Value write(Span place, Buffer &buffer, mlir::Value value,
                    int64_t elements);
  /// A value in the memory of `value`, of another type.
  mlir::Value nameAnew(Span place, mlir::Type type, mlir::Value value);
  mlir::Value readTiles(const Value &view, Span place);

  // EmitIndirect
  Value gather(ApiCall &call);
  /// The index tensor of a call, as row numbers in HBM; null after an error.
  mlir::Value rowsOf(ApiCall &call, bool isScaled, int64_t bytes,
                     const TypeRef &grid);
  mlir::Value rowsFromDm(Span place, const Value &index);
  bool fitsScratchpad(ApiCall &call, const Value &index);
  Value scatter(ApiCall &call);
  /// Whether the key of a scatter lies inside of each cluster.
  bool checkKey(ApiCall &call, const TypeRef &source);
  /// Of a table whose rows are groups of positions of an axis (`W / 16`), which
  /// the other tensor walks inside (`W % 16`): both under two axes in its
  /// place. The types themselves if there is no such axis.
  std::pair<TypeRef, TypeRef> splitRows(const TypeRef &table,
                                        const TypeRef &other);
  /// The axis that `table` has and `other` does not, and the bytes of one step
  /// along it.
  std::optional<std::pair<std::string, int64_t>>
  indexedAxis(const TypeRef &table, const TypeRef &other, Span place);
  /// The index tensor with its byte offsets divided by `bytes`.
  mlir::Value rowNumbers(Span place, const Value &index, int64_t bytes,
                         const TypeRef &grid);

  // EmitStream
  Value begin(ApiCall &call);
  Value beginInterleaved(ApiCall &call);
  /// Whether two tensor types say the same in other words.
  bool areSame(const TypeRef &a, const TypeRef &b) const;
  Value fetch(ApiCall &call);
  /// Adds what a fetch adapter does to a fetch.
  Value adaptFetch(ApiCall &call);
  mlir::Attribute lookupTable(mlir::Type key, const TypeRef &value,
                              ApiCall &call);
  /// Makes the operation of a fetch; false after an error.
  bool finishFetch(Value &stream);
  Value switchSlices(ApiCall &call);
  Value collect(ApiCall &call);
  Value toTrf(ApiCall &call);
  Value toVrf(ApiCall &call);
  Value align(ApiCall &call);
  /// A fetch of i4 or i8, and what is behind it, again with i5 or i9; null if
  /// it is no such.
  mlir::Value withZeroPoint(Span place, mlir::Value stream);
  /// Of a stream and weights of which one has a zero point, gives the other one
  /// of 0.
  void matchWidths(ApiCall &call, mlir::Value &stream, mlir::Value &weights);
  Value contract(ApiCall &call);
  Value contractTime(ApiCall &call);
  Value accumulate(ApiCall &call);
  /// Whether the time of contract_time is what contract_lane goes on with.
  bool checkLaneTime(ApiCall &call, bool isInterleaved, StringRef time);
  Value cast(ApiCall &call);
  Value transpose(ApiCall &call);
  Value commitTrim(ApiCall &call);
  Value commitCast(ApiCall &call);
  mlir::Value clampNegative(ApiCall &call, mlir::Value stream);
  /// Whether the elements of a commit are the packets that commit_trim keeps.
  bool checkTrimmed(ApiCall &call, StringRef element);
  Value commit(ApiCall &call);
  Value commitView(ApiCall &call);
  /// Makes one tile of a tile and a tile of it; false if that is none.
  bool joinTiles(Tile &tile, const Tile &inner) const;
  mlir::Value commitInto(Span place, mlir::Value stream,
                         const Value &destination);
  /// Time and packet of a stream whose packets become flits.
  std::pair<std::string, std::string> flitsOf(StringRef time, StringRef packet,
                                              int64_t perFlit);
  /// A collect that keeps the stream as it is, for calls right behind a fetch.
  mlir::Value insertCollect(ApiCall &call, mlir::Value fetched);

  // EmitVector
  Value vectorPlain(ApiCall &call, StringRef operation);
  Value branch(ApiCall &call);
  Value unzip(ApiCall &call);
  Value regroup(ApiCall &call, StringRef operation);
  Value vectorOperation(ApiCall &call, bool isZip);
  Value vectorUnary(ApiCall &call);
  /// One of several operands of an operation, and who takes it.
  struct OperandSlot {
    std::optional<uint16_t> ids;
    std::optional<tcp::GroupId> group;
    const Value *operand;
  };
  /// Of an operand for several conditions; none after an error.
  std::optional<std::vector<OperandSlot>> slotsOf(const Value &operand,
                                                  Span place);
  void addIds(uint16_t ids, Attributes &attributes);
  /// The condition of an operand of release 0.6; false after an error.
  bool addGuard(const Value &guard, Span place, Attributes &attributes);
  Value convert(ApiCall &call);
  Value interSliceReduce(ApiCall &call);
  Value intraSliceReduce(ApiCall &call);
  Value filter(ApiCall &call);
  Value reinterpret(ApiCall &call);
  mlir::Attribute comparison(const Value &value, bool ofFloat, Span place);
  /// The operands of a vector operation: false after an error.
  bool operandsOf(ApiCall &call, size_t first, size_t perGroup,
                  llvm::SmallVectorImpl<mlir::Value> &values,
                  Attributes &attributes);
  bool addOperand(ApiCall &call, const Value &operand, Span place,
                  llvm::SmallVectorImpl<mlir::Attribute> &sources,
                  llvm::SmallVectorImpl<mlir::Value> &values,
                  Attributes &attributes);

  // Common
  mlir::MLIRContext &context() { return *builder.getContext(); }
  mlir::NamedAttribute named(StringRef name, mlir::Attribute value) {
    return builder.getNamedAttr(name, value);
  }
  stream::MappingAttr mappingAttr(StringRef text);
  mlir::NamedAttribute mapping(StringRef name, StringRef text) {
    return named(name, mappingAttr(text));
  }
  /// A generic argument of a call: written, or of the type that is expected.
  /// None after an error.
  std::optional<std::string> mappingArg(ApiCall &call, StringRef name);
  std::optional<int64_t> constantArg(ApiCall &call, StringRef name);
  mlir::Type scalarArg(ApiCall &call, StringRef name);
  std::optional<std::string> axisArg(ApiCall &call, StringRef name);
  std::optional<int64_t> addressArg(ApiCall &call);
  bool takesContext(ApiCall &call, size_t index,
                    llvm::ArrayRef<StringRef> names);
  mlir::Type elementType(const TypeRef &scalar, Span place);
  std::optional<int64_t> sizeOf(StringRef mapping, Span place);
  Value fail(Span place, const llvm::Twine &message);
  /// An operation whose result types follow from what it takes, verified; null
  /// after an error.
  template <typename OpTy>
  mlir::Operation *infer(Span place, mlir::ValueRange operands,
                         llvm::ArrayRef<mlir::NamedAttribute> attributes);
  template <typename OpTy>
  mlir::Operation *make(Span place, mlir::Type result,
                        mlir::ValueRange operands,
                        llvm::ArrayRef<mlir::NamedAttribute> attributes);
  template <typename OpTy>
  Value stage(ApiCall &call, mlir::ValueRange operands,
              llvm::ArrayRef<mlir::NamedAttribute> attributes);
  mlir::Operation *finish(mlir::OperationState &state);

  const Reporter &reporter;
  AxisTable &axes;
  /// Of the operand slot whose operation is being made.
  std::optional<uint16_t> slotIds;
  std::optional<tcp::GroupId> slotGroup;
};

template <typename OpTy>
mlir::Operation *
Emitter::infer(Span place, mlir::ValueRange operands,
               llvm::ArrayRef<mlir::NamedAttribute> attributes) {
  mlir::Location loc = reporter.locate(place);
  mlir::OperationState state(loc, OpTy::getOperationName());
  mlir::DictionaryAttr dictionary = builder.getDictionaryAttr(attributes);
  auto &properties = state.getOrAddProperties<typename OpTy::Properties>();
  if (mlir::failed(OpTy::setPropertiesFromAttr(
          properties, dictionary, [&] { return mlir::emitError(loc); })))
    return nullptr;
  llvm::SmallVector<mlir::Type, 2> types;
  if (mlir::failed(OpTy::inferReturnTypes(&context(), loc, operands, dictionary,
                                          state.getRawProperties(), {}, types)))
    return nullptr;
  state.addOperands(operands);
  state.addTypes(types);
  return finish(state);
}

template <typename OpTy>
mlir::Operation *
Emitter::make(Span place, mlir::Type result, mlir::ValueRange operands,
              llvm::ArrayRef<mlir::NamedAttribute> attributes) {
  mlir::OperationState state(reporter.locate(place), OpTy::getOperationName());
  state.addOperands(operands);
  state.addAttributes(attributes);
  if (result)
    state.addTypes(result);
  return finish(state);
}

} // namespace sequin::visa_import

#endif // SEQUIN_LIB_TARGET_VISAIMPORT_EMITTER_H
