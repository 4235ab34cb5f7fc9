# SPDX-License-Identifier: MIT
# What plug-ins are built with beside the headers: bench.pc for pkg-config, and the package for find_package(bench). Both find
# the headers from where they lie themselves.
include(CMakePackageConfigHelpers)
file(RELATIVE_PATH to_include "${CMAKE_INSTALL_FULL_DATADIR}/pkgconfig" "${CMAKE_INSTALL_FULL_INCLUDEDIR}")
configure_file(cmake/bench.pc.in bench.pc @ONLY)
configure_package_config_file(cmake/bench-config.cmake.in bench-config.cmake
  INSTALL_DESTINATION "${CMAKE_INSTALL_DATADIR}/cmake/bench" PATH_VARS CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(bench-config-version.cmake COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)

install(FILES "${PROJECT_BINARY_DIR}/bench.pc" DESTINATION "${CMAKE_INSTALL_DATADIR}/pkgconfig")
install(FILES "${PROJECT_BINARY_DIR}/bench-config.cmake" "${PROJECT_BINARY_DIR}/bench-config-version.cmake"
  DESTINATION "${CMAKE_INSTALL_DATADIR}/cmake/bench")
install(DIRECTORY contrib examples TYPE DOC)
