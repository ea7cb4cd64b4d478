# The wheel mxgold-tools: an installed tree, as `cmake --install` makes it, inside the Python package mxgold_tools. The
# program finds the rest of it by where it lies itself.
set(mx_tools mxgold mxgold_abi mxgold_model mxgold_dpi mxgold_vpi)
add_custom_target(mxgold_tools_wheel DEPENDS ${mx_tools})
foreach(target mxgold_abi mxgold_model)
  set_target_properties(${target} PROPERTIES VERSION 1)
endforeach()
foreach(target mxgold_abi mxgold_model mxgold_dpi)
  set_target_properties(${target} PROPERTIES INSTALL_RPATH "$ORIGIN")
  install(TARGETS ${target} LIBRARY DESTINATION lib NAMELINK_SKIP COMPONENT tools)
endforeach()
set_target_properties(mxgold PROPERTIES INSTALL_RPATH "$ORIGIN/../lib")
set_target_properties(mxgold_vpi PROPERTIES INSTALL_RPATH "$ORIGIN/..")
install(TARGETS mxgold RUNTIME DESTINATION bin COMPONENT tools)
install(TARGETS mxgold_vpi LIBRARY DESTINATION lib/mxgold COMPONENT tools)
set(mx_top ${PROJECT_SOURCE_DIR})
install(FILES ${mx_top}/backend/abi/mxgold.h ${mx_top}/bridge/model/mxgold_model.h ${mx_top}/sim/plugin/mxgold_device.h
        DESTINATION include COMPONENT tools)
install(DIRECTORY ${mx_top}/bridge/dpi/ DESTINATION share/mxgold/sv COMPONENT tools FILES_MATCHING PATTERN "*.sv")
install(DIRECTORY ${mx_top}/bridge/vectors/ DESTINATION share/mxgold/benches COMPONENT tools FILES_MATCHING PATTERN "*.sv")
install(DIRECTORY ${mx_top}/rtl DESTINATION share/mxgold COMPONENT tools USE_SOURCE_PERMISSIONS)

set(mx_tool_files "")
foreach(target mxgold mxgold_model mxgold_dpi mxgold_vpi)
  list(APPEND mx_tool_files $<TARGET_FILE:${target}>)
endforeach()
mx_bundle(lib COMPONENT tools FILES ${mx_tool_files})
# That of Boost, of which headers are used, asks for none beside compiled code; Debian's text of it is 2 MB.
mx_licences(tools ${MXGOLD_RUNTIME_LICENCES} cli11 fmt highway nlohmann_json openssl pugixml tbb zlib)
