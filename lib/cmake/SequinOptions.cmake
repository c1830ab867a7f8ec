# Compile options for every Sequin target.

# The simulators and the reference interpreters define rounding operation by
# operation: a fused multiply-add would change results.
add_compile_options(-ffp-contract=off)
add_compile_options(-Wall -Wextra -Wno-unused-parameter -Wimplicit-fallthrough)
if(SEQUIN_ENABLE_WERROR)
  add_compile_options(-Werror)
endif()
# LLVM is built without exceptions; so are we (RTTI is on in both).
add_compile_options(-fno-exceptions)

if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  # Lets ccache reuse precompiled headers.
  add_compile_options("SHELL:-Xclang -fno-pch-timestamp")
endif()
find_program(SEQUIN_LLD NAMES ld.lld-22 ld.lld HINTS ${LLVM_TOOLS_BINARY_DIR})
if(SEQUIN_LLD AND CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  add_link_options("--ld-path=${SEQUIN_LLD}")
endif()
find_program(SEQUIN_CCACHE ccache)
if(SEQUIN_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Paths of the tree count relative to the build folder, so that clones share
  # what is cached.
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND};-E;env;CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime;CCACHE_BASEDIR=${CMAKE_SOURCE_DIR};CCACHE_NOHASHDIR=1;${SEQUIN_CCACHE}")
endif()

if(SEQUIN_SANITIZE)
  add_compile_options(-fsanitize=${SEQUIN_SANITIZE} -fno-omit-frame-pointer
                      -fno-sanitize-recover=all -g1)
  add_link_options(-fsanitize=${SEQUIN_SANITIZE})
  add_compile_definitions(SEQUIN_SANITIZE=1)
endif()

# A test's own code runs once for each time it is compiled: optimizing it costs more than it
# gives. What it calls in libraries is optimized.
set(SEQUIN_TEST_FLAGS -O0)
