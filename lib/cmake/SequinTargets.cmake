# Wrappers that give every target of one kind the same shape.

# What programs with sanitizers link: their defaults.
if(SEQUIN_SANITIZE)
  add_library(SequinSanitizerOptions OBJECT "${PROJECT_SOURCE_DIR}/lib/cmake/SanitizerOptions.cpp")
endif()

# add_sequin_library(<name> sources... [LINK_LIBS libs...] [DEPENDS targets...])
# A library without MLIR: the layers up to Sim. Links LLVM's part of the dylib.
# TEST_ONLY: is not installed.
function(add_sequin_library name)
  cmake_parse_arguments(ARG "TEST_ONLY" "" "LINK_LIBS;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PUBLIC ${ARG_LINK_LIBS} LLVM)
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  if(TARGET SequinSupportPch)
    target_precompile_headers(${name} REUSE_FROM SequinSupportPch)
  endif()
  if(NOT ARG_TEST_ONLY)
    install_sequin_library(${name})
  endif()
endfunction()

# add_sequin_mlir_library(<name> sources... [LINK_LIBS libs...] [DEPENDS targets...])
# A library on MLIR. DEPENDS names the tablegen targets its headers need.
function(add_sequin_mlir_library name)
  cmake_parse_arguments(ARG "" "" "LINK_LIBS;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PUBLIC ${ARG_LINK_LIBS} MLIR LLVM)
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  set(pch SequinMlirPch)
  foreach(dialect Tcp Csl)
    if("Sequin${dialect}Dialect" IN_LIST ARG_LINK_LIBS OR name STREQUAL "Sequin${dialect}Dialect")
      set(pch Sequin${dialect}Pch)
    endif()
  endforeach()
  if(TARGET ${pch})
    target_precompile_headers(${name} REUSE_FROM ${pch})
  endif()
  install_sequin_library(${name})
endfunction()

# sequin_sharded_operations(<Ops> <dialect> <count>): declarations and definitions of a
# dialect's operations; what is compiled of these is cut into so many sources.
macro(sequin_sharded_operations ops dialect count)
  mlir_tablegen(${ops}.h.inc -gen-op-decls -dialect=${dialect} -op-shard-count=${count})
  mlir_tablegen(${ops}.cpp.inc -gen-op-defs -dialect=${dialect} -op-shard-count=${count})
  set_property(GLOBAL PROPERTY SEQUIN_SHARDS_${ops} ${count})
endmacro()

# sequin_operation_shards(<variable> <Ops>): the sources, <Ops>.cpp.in with @SHARD@ replaced.
function(sequin_operation_shards variable ops)
  get_property(count GLOBAL PROPERTY SEQUIN_SHARDS_${ops})
  math(EXPR last "${count} - 1")
  foreach(SHARD RANGE ${last})
    configure_file(${ops}.cpp.in ${ops}.${SHARD}.cpp @ONLY)
    list(APPEND sources "${CMAKE_CURRENT_BINARY_DIR}/${ops}.${SHARD}.cpp")
  endforeach()
  set(${variable} ${sources} PARENT_SCOPE)
endfunction()

# add_sequin_tool(<name> sources... SUMMARY text LINK_LIBS libs... [COMPAT]): a program in
# build/bin; SUMMARY is what it does, for its manual page; COMPAT: under a name of the
# vendor's, in build/bin/compat.
function(add_sequin_tool name)
  cmake_parse_arguments(ARG "COMPAT" "SUMMARY" "LINK_LIBS" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  if(NOT ARG_SUMMARY)
    message(FATAL_ERROR "add_sequin_tool(${name}) has no SUMMARY for its manual page")
  endif()
  set(folder "bin")
  if(ARG_COMPAT)
    set(folder "bin/compat")
  endif()
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/${folder}")
  install_sequin_tool(${name} ${folder} "${ARG_SUMMARY}")
  target_link_libraries(${name} PRIVATE ${ARG_LINK_LIBS})
  if(SEQUIN_SANITIZE)
    target_sources(${name} PRIVATE $<TARGET_OBJECTS:SequinSanitizerOptions>)
  endif()
  set_property(GLOBAL APPEND PROPERTY SEQUIN_TOOLS ${name})
endfunction()

# add_sequin_unittest(<name> sources... LINK_LIBS libs... [OPTIMIZED]): a GoogleTest program.
# OPTIMIZED: its own loops are long, see SEQUIN_TEST_FLAGS.
function(add_sequin_unittest name)
  add_sequin_gtest_program(${name} SequinTestPch ${ARGN})
endfunction()

# add_sequin_mlir_unittest(<name> sources... LINK_LIBS libs...): one on MLIR.
function(add_sequin_mlir_unittest name)
  add_sequin_gtest_program(${name} SequinMlirTestPch ${ARGN})
endfunction()

function(add_sequin_gtest_program name pch)
  cmake_parse_arguments(ARG "OPTIMIZED" "" "LINK_LIBS" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK_LIBS} GTest::gtest_main)
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/test/unit")
  if(NOT ARG_OPTIMIZED)
    target_compile_options(${name} PRIVATE ${SEQUIN_TEST_FLAGS})
    if(TARGET ${pch})
      target_precompile_headers(${name} REUSE_FROM ${pch})
    endif()
  endif()
  # Sources of tests have helpers of the same names, one by one.
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/test/unit"
    UNITY_BUILD OFF)
  if(SEQUIN_SANITIZE)
    target_sources(${name} PRIVATE $<TARGET_OBJECTS:SequinSanitizerOptions>)
  endif()
  set_property(GLOBAL APPEND PROPERTY SEQUIN_UNITTESTS ${name})
endfunction()
