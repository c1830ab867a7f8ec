# Writes OUTPUT, a header with the files of assets/ as texts: HTML, STYLE and the concatenation
# of SCRIPTS (lists are separated by "|").
set(text "// Generated from lib/Page/assets by EmbedAssets.cmake.\n#include \"llvm/ADT/StringRef.h\"\n")
string(APPEND text "namespace sequin::page::assets {\n")
function(embed name)
  set(hex "")
  foreach(file ${ARGN})
    file(READ "${file}" part HEX)
    string(APPEND hex "${part}")
  endforeach()
  string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," hex "${hex}")
  string(APPEND text "static const unsigned char ${name}Bytes[] = {\n${hex}};\n"
    "static const llvm::StringRef ${name}(reinterpret_cast<const char *>(${name}Bytes), "
    "sizeof(${name}Bytes));\n")
  set(text "${text}" PARENT_SCOPE)
endfunction()
string(REPLACE "|" ";" SCRIPTS "${SCRIPTS}")
embed(html ${HTML})
embed(style ${STYLE})
embed(scripts ${SCRIPTS})
string(APPEND text "} // namespace sequin::page::assets\n")
file(WRITE "${OUTPUT}" "${text}")
