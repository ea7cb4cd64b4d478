# Writes the sources of the bench as C++ text.
# usage: cmake -DROOT=... -DOUTPUT=... -DFILES=a;b -P bench_files.cmake
set(text "#include \"sim/device/bench_files.hpp\"\n\n#include <array>\n\nnamespace mx::sim {\n\n")
string(APPEND text "std::span<const BenchFile> bench_files() {\n  static constexpr auto kFiles = std::to_array<BenchFile>({\n")
foreach(file ${FILES})
  file(READ ${ROOT}/${file} content)
  string(APPEND text "{\"${file}\", R\"mxbench(${content})mxbench\"},\n")
endforeach()
string(APPEND text "  });\n  return kFiles;\n}\n\n}  // namespace mx::sim\n")
file(WRITE ${OUTPUT} "${text}")
