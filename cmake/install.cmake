include(CMakePackageConfigHelpers)
install(TARGETS mosim mosim_plugin EXPORT mosim-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS mosim_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY include/mosim DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY data/ DESTINATION ${CMAKE_INSTALL_DATADIR}/mosim)
install(EXPORT mosim-targets NAMESPACE mosim:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/mosim)
configure_package_config_file(cmake/mosim-config.cmake.in mosim-config.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/mosim)
write_basic_package_version_file(mosim-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/mosim-config.cmake
              ${PROJECT_BINARY_DIR}/mosim-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/mosim)
