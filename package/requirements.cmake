# What the build needs beside a compiler, looked for before anything else: one error names all that is missing by
# package, and the option to go without it.
set(mx_missing "")

# mx_require(FOUND WHAT DEBIAN FEDORA): FOUND, a variable, says whether it is there.
macro(mx_require found what debian fedora)
  if(NOT ${found})
    string(APPEND mx_missing "\n  ${what}")
    list(APPEND mx_missing_debian ${debian})
    list(APPEND mx_missing_fedora ${fedora})
  endif()
endmacro()

set(mx_without "")
if(MXGOLD_HIGHWAY)
  find_path(MX_HWY_INCLUDE hwy/highway.h)
  find_library(MX_HWY_LIBRARY hwy)
  set(mx_highway_found OFF)
  if(MX_HWY_INCLUDE AND MX_HWY_LIBRARY)
    set(mx_highway_found ON)
  endif()
  mx_require(mx_highway_found "Google Highway (the processor's vectors)" libhwy-dev highway-devel)
  if(NOT mx_highway_found)
    string(APPEND mx_without "\n  MXGOLD_HIGHWAY=OFF   no vectors: the same bits, ten to a hundred times slower")
  endif()
endif()
set(mx_missing_library "${mx_missing}")
if(MXGOLD_PROGRAM)
  find_package(Boost 1.81 QUIET)
  find_package(CLI11 QUIET)
  find_package(fmt QUIET)
  find_package(nlohmann_json QUIET)
  find_package(OpenSSL QUIET COMPONENTS Crypto)
  find_package(TBB QUIET)
  find_package(pugixml QUIET)
  mx_require(Boost_FOUND "Boost 1.81 or newer (headers)" libboost1.81-dev boost-devel)
  mx_require(CLI11_FOUND "CLI11" libcli11-dev cli11-devel)
  mx_require(fmt_FOUND "fmt" libfmt-dev fmt-devel)
  mx_require(nlohmann_json_FOUND "JSON for Modern C++" nlohmann-json3-dev json-devel)
  mx_require(OpenSSL_FOUND "OpenSSL (libcrypto)" libssl-dev openssl-devel)
  mx_require(TBB_FOUND "oneTBB" libtbb-dev tbb-devel)
  mx_require(pugixml_FOUND "pugixml" libpugixml-dev pugixml-devel)
  if(SKBUILD)  # the wheel mxgold-tools has what simulators load, whatever a build for oneself leaves out
    find_package(verilator QUIET HINTS $ENV{VERILATOR_ROOT})
    find_path(MXGOLD_SVDPI_INCLUDE svdpi.h
              HINTS ${VERILATOR_ROOT}/include/vltstd /usr/share/verilator/include/vltstd)
    find_path(MXGOLD_VPI_INCLUDE vpi_user.h PATH_SUFFIXES iverilog)
    mx_require(MXGOLD_SVDPI_INCLUDE "svdpi.h, for DPI-C" verilator verilator)
    mx_require(MXGOLD_VPI_INCLUDE "vpi_user.h, for VPI" iverilog iverilog-devel)
  endif()
  if(NOT mx_missing STREQUAL mx_missing_library)
    string(APPEND mx_without "\n  MXGOLD_PROGRAM=OFF   the library alone (what `pip install .` builds)")
  endif()
endif()

if(mx_missing)
  list(JOIN mx_missing_debian " " mx_missing_debian)
  list(JOIN mx_missing_fedora " " mx_missing_fedora)
  message(FATAL_ERROR "mxgold cannot be built here. Missing:${mx_missing}\n"
    "Packages that have them:\n"
    "  Debian, Ubuntu   apt install ${mx_missing_debian}\n"
    "  Fedora           dnf install ${mx_missing_fedora}\n"
    "Options to go without (cmake -DNAME=OFF, pip install -Ccmake.define.NAME=OFF):${mx_without}\n")
endif()
