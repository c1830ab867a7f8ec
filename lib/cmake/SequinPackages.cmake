# The CMake package, and Debian's packages; comes after all targets.

get_property(pages GLOBAL PROPERTY SEQUIN_MAN_PAGES)
get_property(completed GLOBAL PROPERTY SEQUIN_COMPLETED)
list(JOIN completed " " completed)
set(zsh "${PROJECT_BINARY_DIR}/share/zsh/vendor-completions/_sequin")
file(WRITE "${zsh}" "#compdef ${completed}\n# zsh's reader of --help.\n_gnu_generic\n")
install(FILES "${zsh}" DESTINATION share/zsh/vendor-completions COMPONENT sequin)

get_property(sequin_libraries GLOBAL PROPERTY SEQUIN_LIBRARIES)
set(library_names ${sequin_libraries})
list(JOIN sequin_libraries " " sequin_libraries)
# All that is installed, without tests and benchmarks; an installation builds nothing.
get_property(tools GLOBAL PROPERTY SEQUIN_TOOLS)
list(TRANSFORM library_names PREPEND Sequin)
add_custom_target(sequin-installed DEPENDS ${tools} ${library_names} ${pages})

include(CMakePackageConfigHelpers)
set(config_folder "${PROJECT_BINARY_DIR}/lib/cmake/Sequin")
configure_package_config_file("${PROJECT_SOURCE_DIR}/lib/cmake/SequinConfig.cmake.in"
  "${config_folder}/SequinConfig.cmake"
  INSTALL_DESTINATION "${SEQUIN_CMAKE_INSTALL_DIR}")
write_basic_package_version_file("${config_folder}/SequinConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${config_folder}/SequinConfig.cmake" "${config_folder}/SequinConfigVersion.cmake"
        DESTINATION "${SEQUIN_CMAKE_INSTALL_DIR}" COMPONENT development)
install(EXPORT SequinTargets NAMESPACE Sequin::
        DESTINATION "${SEQUIN_CMAKE_INSTALL_DIR}" COMPONENT development)
install(FILES LICENSE README.md CHANGELOG.md SECURITY.md DESTINATION share/doc/sequin
        COMPONENT sequin)
foreach(folder csl csl-source host linalg out-of-tree tcp visa)
  install(DIRECTORY "examples/${folder}" DESTINATION share/doc/sequin/examples
          COMPONENT sequin PATTERN "__pycache__" EXCLUDE)
endforeach()

# `cpack -G DEB` in the build folder, or tools/dev/package. dpkg-shlibdeps does not follow
# the run path that programs have to libMLIR, so what is needed is written here; its ABI is
# that of LLVM's minor version.
math(EXPR llvm_next "${LLVM_VERSION_MINOR} + 1")
set(llvm_from "(>= 1:${LLVM_VERSION_MAJOR}.${LLVM_VERSION_MINOR})")
set(llvm_to "(<< 1:${LLVM_VERSION_MAJOR}.${llvm_next})")
set(needs "")
foreach(library libmlir-${LLVM_VERSION_MAJOR} libllvm${LLVM_VERSION_MAJOR})
  list(APPEND needs "${library} ${llvm_from}" "${library} ${llvm_to}")
endforeach()
list(APPEND needs "libc6 (>= 2.36)" "libstdc++6 (>= 12)" "libgcc-s1 (>= 4.2)")
list(JOIN needs ", " needs)
set(same "(= ${PROJECT_VERSION})")

set(CPACK_PACKAGE_VENDOR "Sequin")
set(CPACK_PACKAGE_CONTACT "The Sequin developers <sequin@localhost>")
set(CPACK_PACKAGE_VERSION "${PROJECT_VERSION}")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_PACKAGING_INSTALL_PREFIX "/usr")
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL sequin development)
if(SEQUIN_BUILD_PYTHON)
  list(APPEND CPACK_COMPONENTS_ALL python)
endif()
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE zstd)
set(CPACK_DEBIAN_SEQUIN_PACKAGE_NAME sequin)
set(CPACK_DEBIAN_SEQUIN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_SEQUIN_PACKAGE_DEPENDS "${needs}")
set(CPACK_DEBIAN_SEQUIN_PACKAGE_SUGGESTS "python3-sequin, libsequin-dev")
set(CPACK_COMPONENT_SEQUIN_DESCRIPTION "compiler and exact simulators for spatial machines
Compiles einsums, linalg and hand-written kernels for the FuriosaAI RNGD and
CSL programs for the Cerebras WSE, and runs them on simulators that execute
the derived configurations. Has the programs, the CSL library and the
language server.")
# LLVM's own CMake package asks for the last four.
set(major ${LLVM_VERSION_MAJOR})
set(development_needs "sequin ${same}" "libmlir-${major}-dev ${llvm_from}"
    "llvm-${major}-dev ${llvm_from}" "mlir-${major}-tools ${llvm_from}"
    zlib1g-dev libzstd-dev libxml2-dev libedit-dev)
list(JOIN development_needs ", " development_needs)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libsequin-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
  "${development_needs}")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "libraries and headers of Sequin
Static libraries, headers with the dialects' definitions, and a CMake package
for passes and tools on Sequin's dialects.")
set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-sequin)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
if(SEQUIN_BUILD_PYTHON)
  math(EXPR python_next "${Python3_VERSION_MINOR} + 1")
  set(python_from "${Python3_VERSION_MAJOR}.${Python3_VERSION_MINOR}")
  set(python_to "${Python3_VERSION_MAJOR}.${python_next}")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS
    "sequin ${same}, python3 (>= ${python_from}), python3 (<< ${python_to}), python3-numpy, ${needs}")
endif()
set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS "python3-onnx, python3-matplotlib, python3-scipy")
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA
  "${PROJECT_SOURCE_DIR}/lib/cmake/debian/postinst;${PROJECT_SOURCE_DIR}/lib/cmake/debian/prerm")
set(CPACK_COMPONENT_PYTHON_DESCRIPTION "Python package of Sequin and runtime of host scripts
The package sequin, with its importer of ONNX models, the package cerebras
that host scripts of CSL programs import, and the programs cs_python,
sequin-model and sequin-visa-test.")
include(CPack)
