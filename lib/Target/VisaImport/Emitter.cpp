//===- Emitter.cpp - Types and calls as operations ------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "Evaluator.h"
#include "llvm/ADT/StringSwitch.h"

using namespace sequin;
using namespace sequin::visa_import;
using Kind = Value::Kind;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

mlir::Type Emitter::elementType(const TypeRef &scalar, Span place) {
  StringRef name = scalar ? StringRef(scalar->name) : StringRef();
  // Its codes; what they stand for is in the tables that look them up.
  if (name == "f4e2m1")
    return builder.getIntegerType(4);
  std::optional<ElementType> kind = parseElementType(name);
  if (kind && !isStreamOnly(*kind))
    switch (*kind) {
    case ElementType::F8E4M3:
      return mlir::Float8E4M3FNType::get(&context());
    case ElementType::F8E5M2:
      return mlir::Float8E5M2Type::get(&context());
    case ElementType::BF16:
      return builder.getBF16Type();
    case ElementType::F16:
      return builder.getF16Type();
    case ElementType::F32:
      return builder.getF32Type();
    default:
      return builder.getIntegerType(getBitWidth(*kind));
    }
  reporter.error(place) << "element type '" << str(scalar)
                        << "' is not one of the machine's: i4, i8, i16, i32, "
                           "f8e4m3, f8e5m2, bf16, f16, f32";
  return nullptr;
}

stream::MappingAttr Emitter::mappingAttr(StringRef text) {
  auto parsed = MappingExpr::parse(text);
  // The evaluator has resolved it.
  std::string canonical = parsed ? (*parsed)->str() : text.str();
  llvm::consumeError(parsed.takeError());
  return stream::MappingAttr::get(&context(), canonical);
}

std::optional<int64_t> Emitter::sizeOf(StringRef text, Span place) {
  llvm::Expected<Mapping> mapping = Mapping::parse(text, axes.sizes());
  if (mapping)
    return mapping->size();
  fail(place, llvm::toString(mapping.takeError()));
  return std::nullopt;
}

static std::optional<tcp::Stage> stageOf(StringRef name) {
  using tcp::Stage;
  return llvm::StringSwitch<std::optional<Stage>>(name)
      .Case("BeginTensor", Stage::Begin)
      .Cases({"FetchTensor", "FetchMaskTensor", "FetchTableLookupTensor",
              "FetchCastTensor", "FetchZeroPointSubTensor"},
             Stage::Fetch)
      .Case("ContractOuterTensor", Stage::Align)
      .Cases({"ContractPacketTensor", "ContractTimeTensor"}, Stage::Contract)
      .Case("ContractTensor", Stage::Accumulate)
      .Case("SwitchTensor", Stage::Switch)
      .Case("CollectTensor", Stage::Collect)
      .Case("AlignedPair", Stage::Align)
      .Case("ContractionTensor", Stage::Contract)
      .Case("AccumulationTensor", Stage::Accumulate)
      .Case("CastTensor", Stage::Cast)
      .Case("TransposeTensor", Stage::Transpose)
      .Case("VectorInitTensor", Stage::VectorInit)
      .Case("VectorBranchTensor", Stage::VectorBranch)
      .Case("VectorLogicTensor", Stage::VectorLogic)
      .Case("VectorFxpTensor", Stage::VectorFxp)
      .Case("VectorFxpToFpTensor", Stage::VectorFxpToFp)
      .Case("VectorNarrowTensor", Stage::VectorNarrow)
      .Case("VectorFpTensor", Stage::VectorFp)
      .Case("VectorIntraSliceReduceTensor", Stage::VectorIntraSliceReduce)
      .Case("VectorFpDivTensor", Stage::VectorFpDiv)
      .Case("VectorWidenTensor", Stage::VectorWiden)
      .Case("VectorFpToFxpTensor", Stage::VectorFpToFxp)
      .Case("VectorClipTensor", Stage::VectorClip)
      .Case("VectorFilterTensor", Stage::VectorFilter)
      .Case("VectorInterSliceReduceTensor", Stage::VectorInterFirst)
      .Case("VectorFinalTensor", Stage::VectorFinal)
      .Default(std::nullopt);
}

mlir::Type Emitter::lower(const TypeRef &type, Span place,
                          tcp::Context execution) {
  if (!type || type->kind != Type::Kind::Tensor) {
    fail(place, "'" + str(type) + "' is no tensor");
    return nullptr;
  }
  llvm::ArrayRef<StringRef> names = parametersOf(type->name);
  for (auto [name, arg] : llvm::zip(names, type->args))
    if (!arg) {
      fail(place,
           "'" + name + "' of this " + type->name + " is not known; write it");
      return nullptr;
    }
  mlir::Type element = elementType(type->args[0], place);
  if (!element)
    return nullptr;
  auto emitError = [&] { return reporter.error(place); };
  stream::AxesAttr attr = axes.getAttr(context());
  auto map = [&](StringRef name) {
    return mappingAttr(*getMapping(type, name));
  };
  StringRef name = type->name;
  if (name == "HostTensor")
    return tcp::HostType::getChecked(emitError, &context(), element, attr,
                                     map("Element"));
  if (name.starts_with("HbmTensor"))
    return tcp::HbmType::getChecked(emitError, &context(), element, attr,
                                    map("Chip"), map("Element"));
  auto grid = tcp::GridAttr::getChecked(
      emitError, &context(), attr, map("Chip"), map("Cluster"), map("Slice"));
  if (!grid)
    return nullptr;
  if (name.starts_with("DmTensor"))
    return tcp::DmType::getChecked(emitError, &context(), element, grid,
                                   map("Element"));
  if (name == "VrfTensor")
    return tcp::VrfType::getChecked(emitError, &context(), element, grid,
                                    map("Element"));
  if (name == "TrfTensor")
    return tcp::TrfType::getChecked(emitError, &context(), element, grid,
                                    map("Row"), map("Element"));
  std::optional<tcp::Stage> stage =
      stageOf(type->text.empty() ? name : StringRef(type->text));
  if (!stage) {
    fail(place, "'" + str(type) + "' is no stream that an argument can be");
    return nullptr;
  }
  bool hasRows = llvm::is_contained(names, "Row");
  return tcp::StreamType::getChecked(
      emitError, &context(), execution, *stage, element, grid,
      hasRows ? map("Row") : stream::MappingAttr(), map("Time"), map("Packet"));
}

TypeRef Emitter::typeOfStream(StringRef name, mlir::Value value) const {
  auto type = mlir::cast<tcp::StreamType>(value.getType());
  std::vector<TypeRef> args;
  auto element = tcp::getElementKind(type.getElementType());
  args.push_back(makeScalar(element ? getName(*element) : ""));
  auto add = [&](stream::MappingAttr mapping) {
    args.push_back(makeMapping(mapping ? mapping.getText().str() : "1"));
  };
  add(type.getGrid().getChip());
  add(type.getGrid().getCluster());
  add(type.getGrid().getSlice());
  if (llvm::is_contained(parametersOf(name), "Row"))
    add(type.getRow());
  add(type.getTime());
  add(type.getPacket());
  return makeTensor(name, std::move(args));
}

TypeRef Emitter::typeOfView(const Value &view) {
  auto type = std::make_shared<Type>(*view.buffer->type);
  type->name = view.name;
  for (const Tile &tile : view.tiles)
    for (auto [arg, name] : llvm::zip(type->args, parametersOf(type->name)))
      if (name == tile.level)
        arg = makeMapping(tile.mapping);
  return type;
}

//===----------------------------------------------------------------------===//
// Arguments of calls
//===----------------------------------------------------------------------===//

Value Emitter::fail(Span place, const llvm::Twine &message) {
  reporter.error(place) << message.str();
  return {};
}

std::optional<std::string> Emitter::mappingArg(ApiCall &call, StringRef name) {
  if (auto found = call.types.find(name); found != call.types.end())
    return found->second->text;
  // Release 0.6 has lanes where the manual has rows.
  if (name == "Row")
    if (auto found = call.types.find("Lane"); found != call.types.end())
      return found->second->text;
  if (auto mapping = getMapping(call.expected, name))
    return mapping->str();
  fail(call.place, "'" + name + "' of '" + call.row->name +
                       "' is not known; write " + call.row->name + "::<" +
                       call.row->generics + ">() or the type of its value");
  return std::nullopt;
}

std::optional<int64_t> Emitter::constantArg(ApiCall &call, StringRef name) {
  if (auto found = call.constants.find(name); found != call.constants.end())
    return found->second;
  fail(call.place, "'" + name + "' of '" + call.row->name +
                       "' is not known; write " + call.row->name + "::<" +
                       call.row->generics + ">()");
  return std::nullopt;
}

mlir::Type Emitter::scalarArg(ApiCall &call, StringRef name) {
  if (auto found = call.types.find(name); found != call.types.end())
    return elementType(found->second, call.place);
  if (TypeRef type = getParameter(call.expected, name))
    return elementType(type, call.place);
  fail(call.place, "'" + name + "' of '" + call.row->name +
                       "' is not known; write " + call.row->name + "::<" +
                       call.row->generics + ">() or the type of its value");
  return nullptr;
}

std::optional<std::string> Emitter::axisArg(ApiCall &call, StringRef name) {
  if (auto found = call.types.find(name); found != call.types.end())
    return found->second->name;
  fail(call.place, "axis '" + name + "' of '" + call.row->name +
                       "' is not known; write " + call.row->name + "::<" +
                       call.row->generics + ">()");
  return std::nullopt;
}

std::optional<int64_t> Emitter::addressArg(ApiCall &call) {
  auto params = call.row->paramList();
  // Without one, memory is assigned, or byte 0 if addresses are kept.
  if (params.empty() || params.back() != "address" ||
      call.args.size() < params.size())
    return 0;
  const Value &value = call.args.back();
  if (value.kind != Kind::Int) {
    fail(call.argPlaces.back(),
         "an address is an integer, found " + describe(value));
    return std::nullopt;
  }
  if (value.integer < 0) {
    fail(call.argPlaces.back(),
         "an address begins at 0, found " + llvm::Twine(value.integer));
    return std::nullopt;
  }
  return value.integer;
}

bool Emitter::takesContext(ApiCall &call, size_t index,
                           llvm::ArrayRef<StringRef> names) {
  const Value &value = call.args[index];
  if (value.kind == Kind::Context &&
      llvm::is_contained(names, StringRef(value.name)))
    return true;
  fail(call.argPlaces[index], "'" + call.row->name + "' takes '&mut ctx." +
                                  llvm::join(names, "' or '&mut ctx.") +
                                  "', found " + describe(value));
  return false;
}

mlir::Operation *Emitter::finish(mlir::OperationState &state) {
  mlir::Operation *op = builder.create(state);
  if (mlir::succeeded(mlir::verify(op, /*verifyRecursively=*/false)))
    return op;
  op->erase();
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

std::optional<Value> Emitter::emitStream(ApiCall &call) {
  StringRef name = call.row->name;
  StringRef base = name;
  base.consume_back("_with_mode");
  if (call.receiver.fetch && !name.starts_with("fetch_") &&
      !finishFetch(call.receiver))
    return Value();
  using Handler = Value (Emitter::*)(ApiCall &);
  auto handler =
      llvm::StringSwitch<Handler>(base)
          .Cases({"fetch", "fetch_with_zero_point", "fetch_with_zero_points"},
                 &Emitter::fetch)
          .Cases({"fetch_cast", "fetch_table_lookup", "fetch_zero_point_sub"},
                 &Emitter::adaptFetch)
          .Case("contract_outer", &Emitter::align)
          .Case("contract_packet", &Emitter::contract)
          .Case("contract_time", &Emitter::contractTime)
          .Case("contract_lane", &Emitter::accumulate)
          .Case("commit_trim", &Emitter::commitTrim)
          .Cases({"commit_cast", "commit_cast_relu"}, &Emitter::commitCast)
          .Case("vector_intra_slice_tag", &Emitter::branch)
          .Case("switch", &Emitter::switchSlices)
          .Case("collect", &Emitter::collect)
          .Case("to_trf", &Emitter::toTrf)
          .Case("to_vrf", &Emitter::toVrf)
          .Case("align", &Emitter::align)
          .Case("contract", &Emitter::contract)
          .Case("accumulate", &Emitter::accumulate)
          .Case("cast", &Emitter::cast)
          .Case("transpose", &Emitter::transpose)
          .Case("commit", &Emitter::commit)
          .Case("commit_view", &Emitter::commitView)
          .Case("vector_intra_slice_branch", &Emitter::branch)
          .Case("vector_intra_slice_unzip", &Emitter::unzip)
          .Case("vector_fp_unary", &Emitter::vectorUnary)
          .Cases({"vector_fxp_to_fp", "vector_fp_to_fxp"}, &Emitter::convert)
          .Case("vector_inter_slice_reduce", &Emitter::interSliceReduce)
          .Case("vector_intra_slice_reduce", &Emitter::intraSliceReduce)
          .Case("vector_filter", &Emitter::filter)
          .Case("vector_reinterpret", &Emitter::reinterpret)
          .Default(nullptr);
  if (handler)
    return (this->*handler)(call);
  StringRef operation = call.row->operation;
  if (llvm::is_contained({"vector_split", "vector_trim_way4", "vector_concat",
                          "vector_pad_way8"},
                         operation))
    return regroup(call, operation);
  if (llvm::is_contained({"vector_init", "vector_final", "vector_stash"}, name))
    return vectorPlain(call, name);
  if (base.starts_with("vector_"))
    return vectorOperation(call, base.ends_with("_zip"));
  return std::nullopt;
}

Value Emitter::emit(ApiCall &call) {
  StringRef type = call.row->type, name = call.row->name;
  if (type == "FpDivBinaryOp" && name == "with_mode") {
    Value op = call.receiver;
    op.name = "FpDivOp";
    op.fields.push_back({"mode", std::make_shared<Value>(call.args.front())});
    return op;
  }
  if (type == "Branched") {
    // A further slot.
    Value operand = call.receiver;
    for (const Value &arg : call.args)
      operand.fields.push_back({name, std::make_shared<Value>(arg)});
    return operand;
  }
  if (call.receiver.kind == Kind::Stream)
    if (std::optional<Value> value = emitStream(call))
      return *value;
  if (name == "view" || name == "view_mut")
    return view(call, name == "view_mut");
  if (name == "tile")
    return tile(call, "Element");
  if (name == "slice_tile")
    return tile(call, "Slice");
  if (name == "cluster_tile")
    return tile(call, "Cluster");
  if (name == "chip_tile")
    return tile(call, "Chip");
  if (name == "to_dm" || name == "to_hbm")
    return move(call, name == "to_dm" ? "DmTensor" : "HbmTensor");
  if (name == "to_hbm_view")
    return moveIntoView(call, "HbmTensor");
  if (name == "to_dm_view")
    return moveIntoView(call, "DmTensor");
  if (name == "to_dm_pcopy" || name == "to_dm_view_pcopy")
    return parallelCopy(call);
  if (name == "dm_chip_shuffle" || name == "hbm_chip_shuffle")
    return shuffleChips(call);
  if (name.starts_with("dma_gather"))
    return gather(call);
  if (name.starts_with("dma_scatter"))
    return scatter(call);
  if (name == "memset")
    return fill(call);
  if (name == "pad" || name == "unpad")
    return restate(call);
  if (name == "dm_cluster_shuffle")
    return shuffleClusters(call);
  if (name == "reshape")
    return type.starts_with("Hbm") ? rename(call) : reshape(call);
  if (name == "parallel_copy_chip_slice")
    return sliceOfChips(call);
  if (name == "parallel_copy_cluster_slice")
    return sliceOfClusters(call);
  if (name == "begin")
    return begin(call);
  if (name == "begin_interleaved")
    return beginInterleaved(call);
  return fail(call.place, "'" + name + "' of " + type +
                              " is not imported yet (manual, section \"" +
                              call.row->section + "\")");
}
