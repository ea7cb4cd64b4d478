# What `cmake --install` puts where: the program with the RTL, the shared libraries with their C headers, the C++ libraries
# for find_package(mxgold), and what SystemC and SystemVerilog benches take. Each install component is a Debian package;
# that of Python is installed by name alone, because pip does it elsewhere.
include(CMakePackageConfigHelpers)

include(package/library.cmake)

set(mx_archive_dir ${CMAKE_INSTALL_LIBDIR}/mxgold)
set(mx_header_dir ${CMAKE_INSTALL_INCLUDEDIR}/mxgold)

# mx_install_libraries(SET TARGET NAME ...): static libraries as mxgold::NAME in the export set SET. An installed
# target has nothing of this tree: no include folder, and no library that is headers alone and in no installed header.
function(mx_install_libraries set)
  list(LENGTH ARGN length)
  math(EXPR last "${length} - 1")
  foreach(i RANGE 0 ${last} 2)
    math(EXPR j "${i} + 1")
    list(GET ARGN ${i} target)
    list(GET ARGN ${j} name)
    set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
    if(NOT TARGET mxgold::${name})
      add_library(mxgold::${name} ALIAS ${target})
    endif()
    mx_without_this_tree(${target})
    install(TARGETS ${target} EXPORT mxgold-${set} ARCHIVE DESTINATION ${mx_archive_dir}
            COMPONENT ${mx_development_component})
  endforeach()
  install(EXPORT mxgold-${set} NAMESPACE mxgold:: DESTINATION ${mx_cmake_dir}
          COMPONENT ${mx_development_component})
endfunction()

function(mx_without_this_tree target)
  foreach(property INTERFACE_INCLUDE_DIRECTORIES INTERFACE_COMPILE_OPTIONS)
    get_target_property(values ${target} ${property})
    if(values)
      mx_in_this_tree(values)
      set_target_properties(${target} PROPERTIES ${property} "${values}")
    endif()
  endforeach()
  get_target_property(libraries ${target} INTERFACE_LINK_LIBRARIES)
  set(kept "")
  foreach(library ${libraries})
    if(library MATCHES "(Boost::headers|CLI11::CLI11)")
      list(APPEND kept "$<BUILD_INTERFACE:${library}>")
    elseif(library)
      list(APPEND kept "${library}")
    endif()
  endforeach()
  set_target_properties(${target} PROPERTIES INTERFACE_LINK_LIBRARIES "${kept}")
endfunction()

# The C interfaces.
set(mx_left_out_cuda "")
set(mx_shared mxgold_model)
get_target_property(mx_cuda_libraries mx_fast_cuda INTERFACE_LINK_LIBRARIES)
set(mx_needs_cuda OFF)
if(mx_cuda_libraries MATCHES "CUDA::")
  set(mx_needs_cuda ON)
  list(APPEND mx_shared mxgold_cuda)
else()
  # Without device code the interface answers on the host alone, and stays in the build folder.
  set(mx_left_out_cuda "it has no device code (./dev build --cuda, with nvcc 12 or newer)")
endif()
foreach(target ${mx_shared})
  mx_install_shared(${target})
endforeach()
# They stand on the first one, which lies beside them wherever all were moved.
set_target_properties(mxgold_model mxgold_cuda PROPERTIES INSTALL_RPATH "$ORIGIN")
# The first of them as an archive, for programs that carry it inside.
set_target_properties(mxgold_static PROPERTIES EXPORT_NAME abi_static)
add_library(mxgold::abi_static ALIAS mxgold_static)
set_target_properties(mxgold_static PROPERTIES EXCLUDE_FROM_ALL OFF)
install(TARGETS mxgold_static EXPORT mxgold-abi ARCHIVE COMPONENT ${mx_development_component}
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT mxgold-abi NAMESPACE mxgold:: DESTINATION ${mx_cmake_dir} COMPONENT ${mx_development_component})
install(FILES bridge/model/mxgold_model.h sim/plugin/mxgold_device.h
        TYPE INCLUDE COMPONENT ${mx_development_component})

# The C++ libraries.
mx_install_libraries(reference mx_options options mx_model reference_core mx_reference reference)
target_include_directories(mx_model INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_compile_features(mx_model INTERFACE cxx_std_20)
mx_install_libraries(golden mx_golden_plain golden_plain mx_golden_questions golden_questions
                     mx_golden_basic golden_core mx_golden golden)
mx_install_libraries(emulators mx_emulators emulators)
set(mx_simulated "")
if(TARGET mx_sim_rtl)
  set(mx_simulated mx_verilated_runtime sim_verilated mx_sim_rtl sim_rtl)
endif()
mx_install_libraries(sim ${mx_simulated} mx_backend backend mx_fast_resolve fast_resolve mx_fast_cpu fast_cpu mx_fast_cuda fast_cuda
                     mx_oracle oracle
                     mx_sim_basic sim_core mx_sim sim mx_cli cli mx_source_digest source_digest mx_sim_main sim_main)

# Headers under one root: #include "mxgold/golden/answers/answers.hpp". Those of bench, device and examples are no part of an interface, those of abi
# and plugin stand on C headers, and the last two are inside a library.
foreach(floor reference golden sim)
  install(DIRECTORY ${floor} DESTINATION ${mx_header_dir} COMPONENT ${mx_development_component}
          FILES_MATCHING PATTERN "*.hpp"
          PATTERN abi EXCLUDE PATTERN bench EXCLUDE PATTERN examples EXCLUDE PATTERN data EXCLUDE
          PATTERN device EXCLUDE PATTERN plugin EXCLUDE PATTERN verilated_model.hpp EXCLUDE PATTERN fast_job.hpp EXCLUDE)
endforeach()
install(FILES emulators/casts/casts.hpp DESTINATION ${mx_header_dir}/emulators/casts
        COMPONENT ${mx_development_component})
install(FILES cli/program/sim_main.hpp DESTINATION ${mx_header_dir}/cli/program
        COMPONENT ${mx_development_component})
# In the checkout they name each other by their paths from its root.
install(CODE "set(mx_headers ${mx_header_dir})" COMPONENT ${mx_development_component})
install(CODE [[
  file(GLOB_RECURSE headers "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/${mx_headers}/*.hpp")
  foreach(header ${headers})
    file(READ "${header}" text)
    string(REGEX REPLACE "#include \"(reference|emulators|golden|sim|cli)/" "#include \"mxgold/\\1/" text "${text}")
    file(WRITE "${header}" "${text}")
  endforeach()
]] COMPONENT ${mx_development_component})

# What benches take. The components of find_package that are named here were not built, and why.
set(mx_left_out_systemc "")
set(mx_left_out_dpi "")
if(TARGET mxgold_systemc)
  mx_install_libraries(systemc mxgold_systemc systemc)
  target_include_directories(mxgold_systemc INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(mxgold_systemc INTERFACE cxx_std_17)
  install(FILES bridge/systemc/mxgold_systemc.h TYPE INCLUDE COMPONENT ${mx_development_component})
  install(DIRECTORY bridge/systemc/mxgold_systemc TYPE INCLUDE COMPONENT ${mx_development_component})
  set_target_properties(mxgold_systemc_dut PROPERTIES INSTALL_RPATH "$ORIGIN/..")
  install(TARGETS mxgold_systemc_dut RUNTIME DESTINATION ${mx_archive_dir} COMPONENT ${mx_development_component})
else()
  set(mx_left_out_systemc "no SystemC was found (Debian: libsystemc-dev)")
endif()
if(TARGET mxgold_dpi)
  set_target_properties(mxgold_dpi PROPERTIES EXPORT_NAME dpi)
  install(TARGETS mxgold_dpi EXPORT mxgold-dpi
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${mx_development_component})
  install(EXPORT mxgold-dpi NAMESPACE mxgold:: DESTINATION ${mx_cmake_dir} COMPONENT ${mx_development_component})
  install(FILES bridge/dpi/mxgold_pkg.sv bridge/dpi/mxgold_scoreboard_pkg.sv
          DESTINATION ${CMAKE_INSTALL_DATADIR}/mxgold/sv COMPONENT ${mx_development_component})
  install(DIRECTORY bridge/uvm/ DESTINATION ${CMAKE_INSTALL_DATADIR}/mxgold/sv/uvm
          COMPONENT ${mx_development_component} FILES_MATCHING PATTERN "*.sv" PATTERN "*.svh")
else()
  set(mx_left_out_dpi "no svdpi.h was found (Debian: verilator)")
endif()
if(TARGET mxgold_vpi)
  install(TARGETS mxgold_vpi LIBRARY DESTINATION ${mx_archive_dir} COMPONENT ${mx_development_component})
endif()

if(mx_needs_cuda)
  install(FILES bridge/cuda/mxgold_cuda.h TYPE INCLUDE COMPONENT ${mx_development_component})
endif()
set(mx_packages_dir ${CMAKE_INSTALL_DATADIR}/mxgold/sv)
configure_package_config_file(package/mxgoldConfig.cmake.in ${PROJECT_BINARY_DIR}/mxgoldConfig.cmake
                              INSTALL_DESTINATION ${mx_cmake_dir} PATH_VARS mx_packages_dir)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/mxgoldConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/mxgoldConfig.cmake ${PROJECT_BINARY_DIR}/mxgoldConfigVersion.cmake
        DESTINATION ${mx_cmake_dir} COMPONENT ${mx_development_component})
mx_install_pkgconfig(mxgold_static)
mx_install_pkgconfig(mxgold_model)
if(mx_needs_cuda)
  mx_install_pkgconfig(mxgold_cuda)
endif()
if(TARGET mxgold_systemc)
  mx_install_pkgconfig(mxgold_systemc)
endif()

# The program, the RTL, the manual and the completions.
install(TARGETS mxgold RUNTIME COMPONENT ${mx_program_component})
install(DIRECTORY rtl DESTINATION ${CMAKE_INSTALL_DATADIR}/mxgold COMPONENT ${mx_program_component} USE_SOURCE_PERMISSIONS)
install(FILES Bender.yml DESTINATION ${CMAKE_INSTALL_DATADIR}/mxgold COMPONENT ${mx_program_component})
add_custom_command(
  OUTPUT ${PROJECT_BINARY_DIR}/mxgold.1 ${PROJECT_BINARY_DIR}/mxgold.bash
  COMMAND mxgold man > ${PROJECT_BINARY_DIR}/mxgold.1
  COMMAND mxgold completion bash > ${PROJECT_BINARY_DIR}/mxgold.bash
  DEPENDS mxgold COMMENT "Manual page and completions" VERBATIM)
add_custom_target(mxgold_manual ALL DEPENDS ${PROJECT_BINARY_DIR}/mxgold.1 ${PROJECT_BINARY_DIR}/mxgold.bash)
install(FILES ${PROJECT_BINARY_DIR}/mxgold.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1
        COMPONENT ${mx_program_component})
install(FILES ${PROJECT_BINARY_DIR}/mxgold.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
        RENAME mxgold COMPONENT ${mx_program_component})
install(FILES bridge/vectors/quantizer_check.sv bridge/vectors/tv_bench.sv bridge/vectors/mem_bench.sv
        DESTINATION ${CMAKE_INSTALL_DATADIR}/mxgold/benches COMPONENT ${mx_development_component})
install(FILES package/example/benches/CMakeLists.txt package/example/benches/score.sv
              bridge/systemc/examples/bench.cpp
        DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples/benches COMPONENT ${mx_development_component})
install(FILES package/example/CMakeLists.txt package/example/quantize.c package/example/vectors.cpp
              cli/examples/my_dut.cpp sim/examples/mxfp4_plugin.c sim/examples/mxfp4_pipe.py
        DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples COMPONENT ${mx_development_component})

# The Python package, which finds the shared libraries as the loader does.
install(DIRECTORY python/mxgold DESTINATION lib/python3/dist-packages COMPONENT ${mx_python_component} EXCLUDE_FROM_ALL
        PATTERN __pycache__ EXCLUDE PATTERN ".*" EXCLUDE)
if(TARGET mxgold_calls)
  install(TARGETS mxgold_calls LIBRARY DESTINATION lib/python3/dist-packages/mxgold
          COMPONENT ${mx_python_component} EXCLUDE_FROM_ALL)
endif()

# cpack -G DEB: a package for each component.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME mxgold)
set(CPACK_PACKAGE_VENDOR mxgold)
set(CPACK_PACKAGE_CONTACT "mxgold <mxgold@localhost>")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_COMPONENTS_ALL ${mx_program_component} ${mx_library_component} ${mx_development_component}
    ${mx_python_component})
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_OUTPUT_FILE_PREFIX ${PROJECT_BINARY_DIR}/packages)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION electronics)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# The process of `--dut systemc` stands on libraries that are in another of these packages, whose version is said below.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "")
foreach(target mxgold_model mxgold_abi)
  get_target_property(folder ${target} BINARY_DIR)
  list(APPEND CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${folder})
endforeach()
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_MXGOLD_PACKAGE_NAME mxgold)
set(CPACK_COMPONENT_MXGOLD_DESCRIPTION
    "Golden vectors and hardware conformance for MX number formats\n The program mxgold, its manual page and completions, and the RTL.")
set(CPACK_DEBIAN_MXGOLD_PACKAGE_SUGGESTS "verilator, g++, make, yosys")
set(CPACK_DEBIAN_LIBMXGOLD1_PACKAGE_NAME libmxgold1)
set(CPACK_DEBIAN_LIBMXGOLD1_PACKAGE_SECTION libs)
set(CPACK_COMPONENT_LIBMXGOLD1_DESCRIPTION
    "Bit-exact reference for low-precision and MX number formats\n The C interfaces as shared libraries.")
set(CPACK_DEBIAN_LIBMXGOLD-DEV_PACKAGE_NAME libmxgold-dev)
set(CPACK_DEBIAN_LIBMXGOLD-DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_LIBMXGOLD-DEV_PACKAGE_DEPENDS
    "libmxgold1 (= ${PROJECT_VERSION}), libfmt-dev, libssl-dev, nlohmann-json3-dev, libpugixml-dev, libtbb-dev, zlib1g-dev, libhwy-dev")
set(CPACK_DEBIAN_LIBMXGOLD-DEV_PACKAGE_SUGGESTS "libsystemc-dev, verilator, iverilog, pkgconf")
set(CPACK_COMPONENT_LIBMXGOLD-DEV_DESCRIPTION
    "Headers and libraries of mxgold\n find_package(mxgold), pkg-config, C++ libraries, SystemC modules, DPI-C and VPI, example projects.")
set(CPACK_DEBIAN_PYTHON3-MXGOLD_PACKAGE_NAME python3-mxgold)
set(CPACK_DEBIAN_PYTHON3-MXGOLD_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON3-MXGOLD_PACKAGE_DEPENDS "python3 (>= 3.9), python3-numpy, libmxgold1 (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_PYTHON3-MXGOLD_PACKAGE_RECOMMENDS mxgold)
set(CPACK_COMPONENT_PYTHON3-MXGOLD_DESCRIPTION
    "Bit-exact reference for low-precision and MX number formats, in Python\n The package mxgold over NumPy arrays.")
include(CPack)
