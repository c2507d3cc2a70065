# What `find_package(loadshare)` finds: loadshare::schedulers, loadshare::runtime and loadshare::profile_reader, their
# headers, a version.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/loadshare)

install(TARGETS loadshare_base loadshare_schedulers loadshare_host loadshare_load loadshare_records loadshare_runtime
    loadshare_profile_reader EXPORT loadshareTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT loadshareTargets NAMESPACE loadshare:: DESTINATION ${package_dir})
install(DIRECTORY base schedulers runtime profiler DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/loadshare
  FILES_MATCHING PATTERN "*.hpp" PATTERN preload EXCLUDE)
# libloadshare_profile.so is installed where it is made (profiler): it is preloaded, never linked to.

write_basic_package_version_file(${PROJECT_BINARY_DIR}/loadshareConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
configure_file(cmake/loadshareConfig.cmake ${PROJECT_BINARY_DIR}/loadshareConfig.cmake @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/loadshareConfig.cmake ${PROJECT_BINARY_DIR}/loadshareConfigVersion.cmake
  DESTINATION ${package_dir})
