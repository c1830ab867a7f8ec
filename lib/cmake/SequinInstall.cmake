# What `cmake --install` installs of targets, in three components: `sequin`, the programs and
# what they read; `development`, libraries, headers and the CMake package; `python`, the
# Python package and the programs that are its own (python/CMakeLists.txt).

# Debian's libMLIR is in a folder of its own; installed programs find it as built ones do.
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)
set(SEQUIN_CMAKE_INSTALL_DIR "lib/cmake/Sequin")

# install_sequin_library(<name>): SequinFoo becomes Sequin::Foo of the package.
function(install_sequin_library name)
  string(REGEX REPLACE "^Sequin" "" exported ${name})
  set_target_properties(${name} PROPERTIES EXPORT_NAME ${exported})
  target_include_directories(${name} INTERFACE $<INSTALL_INTERFACE:include>)
  target_compile_features(${name} INTERFACE $<INSTALL_INTERFACE:cxx_std_20>)
  install(TARGETS ${name} EXPORT SequinTargets
          ARCHIVE DESTINATION lib COMPONENT development)
  set_property(GLOBAL APPEND PROPERTY SEQUIN_LIBRARIES ${exported})
endfunction()

# install_sequin_tool(<name> <folder> <summary>): a program, its manual page and completions.
function(install_sequin_tool name folder summary)
  install(TARGETS ${name} EXPORT SequinTargets
          RUNTIME DESTINATION ${folder} COMPONENT sequin)
  install_sequin_help($<TARGET_FILE:${name}> ${name} "${summary}" sequin ${name})
endfunction()

# install_sequin_help(<program> <name> <summary> <component> <depends>...): what --help
# says, as a manual page, and completion by it in bash; zsh has one file for all.
find_program(SEQUIN_HELP2MAN help2man)
if(NOT SEQUIN_HELP2MAN)
  message(STATUS "No manual pages: help2man is not there")
endif()
function(install_sequin_help program name summary component)
  if(SEQUIN_HELP2MAN AND NOT SEQUIN_SANITIZE)
    set(page "${PROJECT_BINARY_DIR}/share/man/man1/${name}.1")
    add_custom_command(OUTPUT "${page}"
      DEPENDS ${ARGN}
      COMMAND "${CMAKE_COMMAND}" -E env LC_ALL=C.UTF-8 "${SEQUIN_HELP2MAN}" --no-info
              "--name=${summary}" "--version-string=${PROJECT_VERSION}"
              --source=Sequin "--output=${page}" "${program}"
      COMMENT "Writing ${name}.1"
      VERBATIM)
    add_custom_target(sequin-man-${name} ALL DEPENDS "${page}")
    set_property(GLOBAL APPEND PROPERTY SEQUIN_MAN_PAGES sequin-man-${name})
    install(FILES "${page}" DESTINATION share/man/man1 COMPONENT ${component})
  endif()
  file(WRITE "${PROJECT_BINARY_DIR}/share/bash-completion/completions/${name}"
       "# bash-completion's reader of --help.\ncomplete -F _longopt ${name}\n")
  install(FILES "${PROJECT_BINARY_DIR}/share/bash-completion/completions/${name}"
          DESTINATION share/bash-completion/completions COMPONENT ${component})
  set_property(GLOBAL APPEND PROPERTY SEQUIN_COMPLETED ${name})
endfunction()

install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/sequin" DESTINATION include
        COMPONENT development
        FILES_MATCHING PATTERN "*.h" PATTERN "*.def" PATTERN "*.td")
install(DIRECTORY "${PROJECT_BINARY_DIR}/include/sequin" DESTINATION include
        COMPONENT development
        FILES_MATCHING PATTERN "*.h.inc"
        PATTERN "CMakeFiles" EXCLUDE)
