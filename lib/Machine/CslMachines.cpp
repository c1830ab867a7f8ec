//===- CslMachines.cpp - Rows of the wafer-scale machine table ------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The numbers. Their meaning and unit stand at the fields in CslMachine.h; here
// every one has its source: a page of the Cerebras SDK manual, or the ruling of
// this project where the manual is silent.
//
//===----------------------------------------------------------------------===//

#include "sequin/Machine/CslMachine.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace sequin;

// Data Structure Descriptors, One-Dimensional Memory Vectors (stride i8, offset
// i16, extent u16); Two-, Three-, or Four-Dimensional Memory Vectors (stride
// i16, up to four dimensions); Circular Buffers (wraparound u16). The page
// makes no difference between the architectures. The extent of a circbuf_dsd is
// held to the u16 that @set_dsd_length has for it.
static constexpr DsdLimits kDsd = {
    .mem4dDimensions = 4,
    .mem1dStrideBits = 8,
    .mem4dStrideBits = 16,
    .offsetBits = 16,
    .extentBits = 16,
    .wraparoundBits = 16,
};

static constexpr CslMachine kWse2 = {
    .name = "wse2",
    // Working With Code Samples: the fabric dimensions of a whole machine.
    .fabricWidth = 757,
    .fabricHeight = 996,
    // Appendix, SIMD Mode: eight banks of 6 KB.
    .memoryBytesPerPe = 48 << 10,
    .dsd = kDsd,
    // Ruling, after published reduces: 1 cycle a hop.
    .hopCycles = 1,
    // Ruling, after a published trace: 1 + N cycles.
    .fmacsStartCycles = 1,
};

static constexpr CslMachine kWse3 = {
    .name = "wse3",
    // Working With Code Samples: the fabric dimensions of a whole machine.
    .fabricWidth = 762,
    .fabricHeight = 1172,
    // Appendix, SIMD Mode: eight banks of 6 KB.
    .memoryBytesPerPe = 48 << 10,
    .dsd = kDsd,
    // Debugging, router landing log, and ruling: 2 cycles a hop.
    .hopCycles = 2,
    // Ruling, after a published trace: 1 + N cycles.
    .fmacsStartCycles = 1,
};

static constexpr const CslMachine *kMachines[] = {&kWse2, &kWse3};

llvm::ArrayRef<const CslMachine *> sequin::cslMachines() { return kMachines; }

const CslMachine *sequin::lookupCslMachine(llvm::StringRef name) {
  for (const CslMachine *machine : kMachines)
    if (machine->name == name)
      return machine;
  return nullptr;
}

std::string sequin::knownCslMachineNames() {
  return llvm::join(llvm::map_range(kMachines,
                                    [](const CslMachine *machine) {
                                      return llvm::StringRef(machine->name);
                                    }),
                    ", ");
}

llvm::json::Value sequin::toJSON(const CslMachine &machine) {
  const DsdLimits &dsd = machine.dsd;
  return llvm::json::Object{
      {"name", machine.name},
      {"fabric_width", machine.fabricWidth},
      {"fabric_height", machine.fabricHeight},
      {"pes", machine.pes()},
      {"memory_bytes_per_pe", machine.memoryBytesPerPe},
      {"dsd",
       llvm::json::Object{
           {"mem4d_dimensions", static_cast<int64_t>(dsd.mem4dDimensions)},
           {"mem1d_stride_bits", static_cast<int64_t>(dsd.mem1dStrideBits)},
           {"mem4d_stride_bits", static_cast<int64_t>(dsd.mem4dStrideBits)},
           {"offset_bits", static_cast<int64_t>(dsd.offsetBits)},
           {"extent_bits", static_cast<int64_t>(dsd.extentBits)},
           {"wraparound_bits", static_cast<int64_t>(dsd.wraparoundBits)},
       }},
      {"hop_cycles", machine.hopCycles},
      {"fmacs_start_cycles", machine.fmacsStartCycles},
  };
}
