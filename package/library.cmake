# What `cmake --install` puts where of the library that is always built: libmxgold.so, its header, and mxgold.pc. The
# program, and what stands on it, is in install.cmake.
set(mx_program_component mxgold)
set(mx_library_component libmxgold1)
set(mx_development_component libmxgold-dev)
set(mx_python_component python3-mxgold)
set(mx_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/mxgold)

# mx_in_this_tree(VALUES): include folders and flags of a list, for users inside of this build alone.
macro(mx_in_this_tree values)
  list(TRANSFORM ${values} PREPEND "$<BUILD_INTERFACE:")
  list(TRANSFORM ${values} APPEND ">")
endmacro()

# mx_install_shared(TARGET): a shared library of the C interfaces, as mxgold::NAME for find_package.
function(mx_install_shared target)
  string(REPLACE mxgold_ "" name ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  add_library(mxgold::${name} ALIAS ${target})
  get_target_property(folders ${target} INTERFACE_INCLUDE_DIRECTORIES)
  mx_in_this_tree(folders)
  set_target_properties(${target} PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${folders}")
  install(TARGETS ${target} EXPORT mxgold-abi
          LIBRARY COMPONENT ${mx_library_component} NAMELINK_COMPONENT ${mx_development_component}
          INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
endfunction()

# mx_install_pkgconfig(NAME): NAME.pc. Its paths are relative, so that an installed tree may be moved.
function(mx_install_pkgconfig name)
  cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig
             OUTPUT_VARIABLE mx_pkgconfig_to_prefix)
  set(mx_highway_flag "")
  if(MX_HWY_LIBRARY)
    set(mx_highway_flag -lhwy)
  endif()
  configure_file(${PROJECT_SOURCE_DIR}/package/${name}.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
          COMPONENT ${mx_development_component})
endfunction()

mx_install_shared(mxgold_abi)
install(FILES ${PROJECT_SOURCE_DIR}/backend/abi/mxgold.h TYPE INCLUDE COMPONENT ${mx_development_component})
mx_install_pkgconfig(mxgold)
