# add_sequin_doc(<page> <file.td> <mlir-tblgen arguments...>)
# Generates docs/<page>.md in the build tree from descriptions in a .td file and
# adds it to the target sequin-doc.
function(add_sequin_doc page td)
  set(LLVM_TARGET_DEFINITIONS "${td}")
  tablegen(MLIR "${page}.md" ${ARGN})
  string(MAKE_C_IDENTIFIER "SequinDoc${page}" name)
  add_custom_target(${name} DEPENDS "${CMAKE_CURRENT_BINARY_DIR}/${page}.md")
  add_dependencies(sequin-doc ${name})
endfunction()
