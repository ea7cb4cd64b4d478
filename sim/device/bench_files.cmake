# Writes files as C++ text: FUNCTION() of HEADER returns a span of TYPE{path, text}.
# usage: cmake -DROOT=... -DOUTPUT=... -DHEADER=... -DTYPE=... -DFUNCTION=... -DFILES=a;b -P bench_files.cmake
set(text "#include \"${HEADER}\"\n\n#include <array>\n\nnamespace mx::sim {\n\n")
string(APPEND text "std::span<const ${TYPE}> ${FUNCTION}() {\n  static constexpr auto kFiles = std::to_array<${TYPE}>({\n")
foreach(file ${FILES})
  file(READ ${ROOT}/${file} content)
  string(APPEND text "{\"${file}\", R\"mxbench(${content})mxbench\"},\n")
endforeach()
string(APPEND text "  });\n  return kFiles;\n}\n\n}  // namespace mx::sim\n")
file(WRITE ${OUTPUT} "${text}")
