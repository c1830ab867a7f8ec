# One precompiled header for all libraries on MLIR: parsing MLIR's headers is most of
# what compiling them costs. Sources still include what they use.
option(SEQUIN_PRECOMPILED_HEADERS "Precompile MLIR's headers" ON)

if(SEQUIN_PRECOMPILED_HEADERS)
  add_library(SequinMlirPch OBJECT "${PROJECT_SOURCE_DIR}/lib/cmake/MlirPch.cpp")
  target_precompile_headers(SequinMlirPch PRIVATE
    <map>
    <optional>
    <string>
    <vector>
    <llvm/ADT/STLExtras.h>
    <llvm/ADT/SmallVector.h>
    <llvm/ADT/StringExtras.h>
    <llvm/ADT/TypeSwitch.h>
    <llvm/Support/Error.h>
    <llvm/Support/JSON.h>
    <mlir/Dialect/Arith/IR/Arith.h>
    <mlir/Dialect/Func/IR/FuncOps.h>
    <mlir/Dialect/Linalg/IR/Linalg.h>
    <mlir/Dialect/Tensor/IR/Tensor.h>
    <mlir/IR/Builders.h>
    <mlir/IR/BuiltinOps.h>
    <mlir/IR/DialectImplementation.h>
    <mlir/IR/OpImplementation.h>
    <mlir/IR/PatternMatch.h>
    <mlir/Interfaces/SideEffectInterfaces.h>
    <mlir/Pass/Pass.h>
    <mlir/Transforms/DialectConversion.h>)
endif()
