# Which sources a program was built from: one digest over the name and content of every source that is
# compiled or verilated into it.
#   cmake -DROOT=<checkout> -P source_digest.cmake                prints the digest
#   cmake -DROOT=<checkout> -DOUTPUT=<file> -P source_digest.cmake    writes the source that tells it
cmake_minimum_required(VERSION 3.25)

# Also included by CMakeLists.txt, which has the digest made again when one of these changes.
function(mx_digested_sources root result)
  set(patterns "${root}/rtl/*.sv" "${root}/sim/lanes/*.sv")
  foreach(floor reference emulators oracle golden fast backend sim cli)
    foreach(suffix cpp hpp h c cu cuh)
      list(APPEND patterns "${root}/${floor}/*.${suffix}")
    endforeach()
  endforeach()
  file(GLOB_RECURSE sources ${ARGN} RELATIVE "${root}" ${patterns})
  list(SORT sources)
  set(${result} ${sources} PARENT_SCOPE)
endfunction()

if(NOT CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  return()
endif()

mx_digested_sources("${ROOT}" sources)
if(NOT sources)
  message(FATAL_ERROR "no sources below '${ROOT}'")
endif()
set(listing "")
foreach(source ${sources})
  file(SHA256 "${ROOT}/${source}" digest)
  string(APPEND listing "${digest} ${source}\n")
endforeach()
string(SHA256 digest "${listing}")
string(SUBSTRING "${digest}" 0 16 digest)
if(OUTPUT)
  file(WRITE "${OUTPUT}" "#include \"cli/base/source_digest.hpp\"\n\n\
std::string_view mx::cli::source_digest() { return \"${digest}\"; }\n")
else()
  execute_process(COMMAND ${CMAKE_COMMAND} -E echo "${digest}")
endif()
