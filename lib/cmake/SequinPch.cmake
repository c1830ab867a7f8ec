# Precompiled headers, as parsing headers is most of what compiling costs: for libraries
# without MLIR, on MLIR, on the csl and on the tcp dialect, for GoogleTest programs and those
# of them on MLIR. Sources still include what they use.
option(SEQUIN_PRECOMPILED_HEADERS "Precompile the headers of MLIR and GoogleTest" ON)

if(SEQUIN_PRECOMPILED_HEADERS)
  set(llvm_headers
    <map>
    <optional>
    <string>
    <vector>
    <llvm/ADT/STLExtras.h>
    <llvm/ADT/SmallVector.h>
    <llvm/ADT/StringExtras.h>
    <llvm/Support/Error.h>
    <llvm/Support/JSON.h>)
  set(support_headers
    <algorithm>
    <array>
    <cmath>
    <functional>
    <memory>
    <llvm/ADT/DenseMap.h>
    <llvm/ADT/StringMap.h>
    <llvm/ADT/StringSwitch.h>
    <llvm/Support/FileSystem.h>
    <llvm/Support/FormatVariadic.h>
    <llvm/Support/MemoryBuffer.h>
    <llvm/Support/raw_ostream.h>)
  set(mlir_headers
    <llvm/ADT/TypeSwitch.h>
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
  set(test_headers
    <random>
    <set>
    <gmock/gmock.h>
    <gtest/gtest.h>)

  set(carrier "${PROJECT_SOURCE_DIR}/lib/cmake/Pch.cpp")
  add_library(SequinSupportPch OBJECT "${carrier}")
  target_precompile_headers(SequinSupportPch PRIVATE ${llvm_headers} ${support_headers})
  add_library(SequinMlirPch OBJECT "${carrier}")
  target_precompile_headers(SequinMlirPch PRIVATE ${llvm_headers} ${mlir_headers})
  # Operations of a dialect, of which there are tens of thousands of lines.
  foreach(dialect Csl Tcp)
    add_library(Sequin${dialect}Pch OBJECT "${carrier}")
    target_precompile_headers(Sequin${dialect}Pch PRIVATE ${llvm_headers} ${mlir_headers}
      <sequin/Dialect/${dialect}/IR/${dialect}Dialect.h>)
    add_dependencies(Sequin${dialect}Pch Sequin${dialect}IncGen)
  endforeach()
  add_dependencies(SequinTcpPch SequinStreamIncGen)
  if(SEQUIN_BUILD_TESTS)
    # Programs, because their code is not made for shared libraries.
    add_executable(SequinTestPch "${carrier}")
    target_precompile_headers(SequinTestPch PRIVATE ${llvm_headers} ${test_headers})
    add_executable(SequinMlirTestPch "${carrier}")
    target_precompile_headers(SequinMlirTestPch PRIVATE
      ${llvm_headers} ${mlir_headers} ${test_headers})
    target_link_libraries(SequinMlirTestPch PRIVATE MLIR)
    foreach(target SequinTestPch SequinMlirTestPch)
      target_link_libraries(${target} PRIVATE GTest::gmock GTest::gtest_main LLVM)
      target_compile_options(${target} PRIVATE ${SEQUIN_TEST_FLAGS})
      set_target_properties(${target} PROPERTIES
        RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/test/unit")
    endforeach()
  endif()
endif()
