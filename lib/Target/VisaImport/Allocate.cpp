//===- Allocate.cpp - Memory of a kernel by lifetime ----------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Allocate.h"
#include "sequin/Dialect/Tcp/IR/TcpDialect.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::tcp;
using namespace sequin::visa_import;

namespace {

/// Whole requests of HBM; beats of DM.
constexpr int64_t kHbmAlignment = 256;
constexpr int64_t kSramAlignment = 64;

/// One memory: who lives where, and where the search for room begins.
class Memory {
public:
  Memory(StringRef name, int64_t size, int64_t alignment)
      : name(name), size(size), alignment(alignment) {}

  struct Tenant {
    Value value;
    int64_t begin, end, last;
  };

  /// Room for `bytes` from time `now` to `last`; none if there is none.
  std::optional<int64_t> take(Value value, int64_t bytes, int64_t now,
                              int64_t last) {
    llvm::erase_if(tenants,
                   [&](const Tenant &tenant) { return tenant.last < now; });
    int64_t room = llvm::alignTo(std::max<int64_t>(bytes, 1), alignment);
    std::optional<int64_t> at = find(room, cursor);
    if (!at)
      at = find(room, 0);
    // The last tensor of all need not be aligned at its end.
    if (!at)
      at = find(std::max<int64_t>(bytes, 1), 0);
    if (!at)
      return std::nullopt;
    tenants.push_back({value, *at, *at + room, last});
    cursor = *at + room;
    return at;
  }

  ArrayRef<Tenant> living() const { return tenants; }

  StringRef name;
  int64_t size;

private:
  std::optional<int64_t> find(int64_t room, int64_t from) const {
    int64_t at = from;
    for (bool moved = true; moved;) {
      moved = false;
      if (at > size - room)
        return std::nullopt;
      for (const Tenant &tenant : tenants)
        if (tenant.begin < at + room && at < tenant.end) {
          at = llvm::alignTo(tenant.end, alignment);
          moved = true;
        }
    }
    return at;
  }

  int64_t alignment, cursor = 0;
  std::vector<Tenant> tenants;
};

class Allocator {
public:
  Allocator(func::FuncOp kernel, const TcpMachine &machine)
      : kernel(kernel), machine(machine),
        hbm("HBM", machine.hbmBytes, kHbmAlignment),
        dm("DM", machine.dmBytesPerSlice, kSramAlignment),
        vrf("VRF", machine.vrfBytesPerSlice, kSramAlignment) {}

  FailureOr<ArgumentAddresses> run();

private:
  int64_t lastUse(Value value, llvm::SmallPtrSetImpl<void *> &seen);
  int64_t endOfPass(Operation *user) const;
  LogicalResult place(Operation *op);
  LogicalResult placeTrf(ToTrfOp op);
  FailureOr<int64_t> take(Memory &memory, Value value, int64_t bytes,
                          int64_t now, int64_t last, Location loc);

  func::FuncOp kernel;
  const TcpMachine &machine;
  Memory hbm, dm, vrf;
  llvm::DenseMap<Operation *, int64_t> positions;
  /// Live tensors in the TRF, by half.
  struct Half {
    Value value;
    int64_t last = -1;
  } halves[2];
};

} // namespace

int64_t Allocator::endOfPass(Operation *user) const {
  int64_t last = positions.lookup(user);
  while (user->getNumResults() > 0 &&
         isa<StreamType>(user->getResult(0).getType()) &&
         user->getResult(0).hasOneUse()) {
    user = *user->getResult(0).user_begin();
    last = std::max(last, positions.lookup(user));
  }
  return last;
}

/// Whether the result of `user` is another name of `value`, in whole or part.
static bool isOtherName(Operation *user, Value value) {
  if (isa<TileOp, ViewOp, BitcastOp>(user))
    return true;
  if (isa<ToHbmViewOp, CommitViewOp, CommitPackedOp, ScatterOp>(user))
    return user->getOperands().back() == value || user->getOperand(1) == value;
  return false;
}

int64_t Allocator::lastUse(Value value, llvm::SmallPtrSetImpl<void *> &seen) {
  int64_t last = -1;
  if (!seen.insert(value.getAsOpaquePointer()).second)
    return last;
  for (Operation *user : value.getUsers()) {
    last = std::max(last, endOfPass(user));
    if (isOtherName(user, value))
      last = std::max(last, lastUse(user->getResult(0), seen));
  }
  return last;
}

FailureOr<int64_t> Allocator::take(Memory &memory, Value value, int64_t bytes,
                                   int64_t now, int64_t last, Location loc) {
  if (auto address = memory.take(value, bytes, now, last))
    return *address;
  StringRef unit = &memory == &hbm ? " per chip" : " per slice";
  InFlightDiagnostic diag = emitError(loc)
                            << "this tensor has " << bytes << " bytes" << unit
                            << " and " << memory.name << " " << memory.size
                            << ", of which others that are still needed take ";
  int64_t taken = 0;
  for (const Memory::Tenant &tenant : memory.living())
    taken += tenant.end - tenant.begin;
  diag << taken;
  SmallVector<const Memory::Tenant *> largest;
  for (const Memory::Tenant &tenant : memory.living())
    largest.push_back(&tenant);
  llvm::sort(largest, [](const auto *a, const auto *b) {
    return a->end - a->begin > b->end - b->begin ||
           (a->end - a->begin == b->end - b->begin && a->begin < b->begin);
  });
  for (const Memory::Tenant *tenant : ArrayRef(largest).take_front(3))
    diag.attachNote(tenant->value.getLoc())
        << "a tensor of " << tenant->end - tenant->begin << " bytes";
  return diag;
}

LogicalResult Allocator::placeTrf(ToTrfOp op) {
  int64_t now = positions.lookup(op);
  llvm::SmallPtrSet<void *, 8> seen;
  int64_t last = std::max(now, lastUse(op.getResult(), seen));
  int64_t bytes = op.getResult().getType().getByteSize();
  bool fitsHalf = bytes <= machine.trfBytesPerRow / 2;
  bool free[2] = {halves[0].last < now, halves[1].last < now};
  bool wantsFull = op.getAddress() == TrfAddress::Full;
  // As written if it can be; a Full one beside another becomes a half.
  TrfAddress address = op.getAddress();
  bool asWritten =
      wantsFull ? free[0] && free[1] : free[address == TrfAddress::SecondHalf];
  if (!asWritten || (wantsFull && fitsHalf && !(free[0] && free[1]))) {
    if (!fitsHalf || (!free[0] && !free[1])) {
      InFlightDiagnostic diag =
          emitError(op.getLoc())
          << "this tensor has " << bytes << " bytes per row and the TRF "
          << machine.trfBytesPerRow << " in two halves, which "
          << (fitsHalf ? "are both" : "is partly") << " still needed";
      for (const Half &half : halves)
        if (half.last >= now)
          diag.attachNote(half.value.getLoc()) << "a tensor in the TRF";
      return diag;
    }
    address = free[0] ? TrfAddress::FirstHalf : TrfAddress::SecondHalf;
  }
  // A later tensor may need room before this one is read for the last time.
  if (address == TrfAddress::Full && fitsHalf) {
    for (Operation *next = op->getNextNode(); next;
         next = next->getNextNode()) {
      if (positions.lookup(next) > last)
        break;
      if (isa<ToTrfOp>(next)) {
        address = TrfAddress::FirstHalf;
        break;
      }
    }
  }
  op.setAddress(address);
  for (unsigned i = 0; i < 2; ++i)
    if (address == TrfAddress::Full ||
        (address == TrfAddress::SecondHalf) == (i == 1))
      halves[i] = {op.getResult(), last};
  return success();
}

LogicalResult Allocator::place(Operation *op) {
  if (auto trf = dyn_cast<ToTrfOp>(op))
    return placeTrf(trf);
  auto attribute = op->getAttrOfType<IntegerAttr>("address");
  if (!attribute || op->getNumResults() == 0)
    return success();
  Value value = op->getResults().back();
  Memory *memory = nullptr;
  int64_t bytes = 0;
  if (auto type = dyn_cast<HbmType>(value.getType())) {
    memory = &hbm;
    bytes = type.getByteSize();
  } else if (auto type = dyn_cast<DmType>(value.getType())) {
    memory = &dm;
    bytes = type.getByteSize();
  } else if (auto type = dyn_cast<VrfType>(value.getType())) {
    memory = &vrf;
    bytes = type.getByteSize();
  } else {
    return success();
  }
  int64_t now = positions.lookup(op);
  llvm::SmallPtrSet<void *, 8> seen;
  int64_t last = std::max(now, lastUse(value, seen));
  FailureOr<int64_t> address =
      take(*memory, value, bytes, now, last, op->getLoc());
  if (failed(address))
    return failure();
  op->setAttr("address", IntegerAttr::get(attribute.getType(), *address));
  return success();
}

FailureOr<ArgumentAddresses> Allocator::run() {
  Block &body = kernel.getBody().front();
  int64_t position = 0;
  for (Operation &op : body)
    positions[&op] = position++;
  ArgumentAddresses addresses;
  for (BlockArgument argument : body.getArguments()) {
    // The host's own: it lies there throughout.
    auto type = cast<HbmType>(argument.getType());
    FailureOr<int64_t> address =
        take(hbm, argument, type.getByteSize(), 0, position, argument.getLoc());
    if (failed(address))
      return failure();
    addresses.push_back(*address);
  }
  for (Operation &op : body)
    if (failed(place(&op)))
      return failure();
  return addresses;
}

FailureOr<ArgumentAddresses> visa_import::allocate(func::FuncOp kernel,
                                                   const TcpMachine &machine) {
  return Allocator(kernel, machine).run();
}

FailureOr<ArgumentAddresses>
visa_import::placeArguments(func::FuncOp kernel, const TcpMachine &machine) {
  int64_t top = 0;
  kernel.walk([&](Operation *op) {
    auto address = op->getAttrOfType<IntegerAttr>("address");
    if (!address || op->getNumResults() == 0)
      return;
    if (auto type = dyn_cast<HbmType>(op->getResult(0).getType()))
      top = std::max(top, address.getInt() + type.getByteSize());
  });
  ArgumentAddresses addresses;
  for (BlockArgument argument : kernel.getBody().front().getArguments()) {
    top = llvm::alignTo(top, kHbmAlignment);
    addresses.push_back(top);
    top += cast<HbmType>(argument.getType()).getByteSize();
    if (top > machine.hbmBytes)
      return emitError(argument.getLoc())
             << "the arguments do not fit in HBM behind byte "
             << addresses.front() << ", the last that the kernel names";
  }
  return addresses;
}
