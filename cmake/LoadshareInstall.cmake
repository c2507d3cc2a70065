# The package that `find_package(loadshare)` finds: loadshare::loadshare with its public headers,
# loadshare::profile_reader, and a version.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/loadshare)

install(TARGETS loadshare_base loadshare_schedulers loadshare_host loadshare_load loadshare_records loadshare_record_reader loadshare_base_json loadshare_runtime
    loadshare_message_costs loadshare_predictor loadshare_program loadshare_profile_reader EXPORT loadshareTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT loadshareTargets NAMESPACE loadshare:: DESTINATION ${package_dir})
install(DIRECTORY profiler DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/loadshare
  FILES_MATCHING PATTERN "*.hpp" PATTERN preload EXCLUDE)
# No internal headers: tests/installed_package compiles a program against these alone.
set(public_headers
  base/error.hpp
  base/names.hpp
  base/types.hpp
  runtime/dispatch/rules.hpp
  runtime/farm/farm.hpp
  runtime/farm/job.hpp
  runtime/farm/loop_checks.hpp
  runtime/farm/loop_status.hpp
  runtime/farm/loops.hpp
  runtime/farm/options.hpp
  runtime/farm/plain_bytes.hpp
  runtime/farm/workload.hpp
  runtime/journal/journal_options.hpp
  runtime/records/records.hpp
  runtime/records/worker_name.hpp
  runtime/transport/data_layout.hpp
  runtime/transport/network.hpp
  runtime/transport/policies.hpp
  runtime/transport/task_signals.hpp
  schedulers/chunk_scheduler.hpp
  schedulers/spec.hpp
  schedulers/table.hpp)
foreach(header IN LISTS public_headers)
  cmake_path(GET header PARENT_PATH folder)
  install(FILES ${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/loadshare/${folder})
endforeach()
install(FILES program/loadshare.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/loadshare)
# Rewrites includes to the headers' paths in the package. Otherwise a program's own base/types.hpp would be included.
install(CODE "set(folder \"${CMAKE_INSTALL_INCLUDEDIR}\")")
install(CODE [[
  cmake_path(ABSOLUTE_PATH folder BASE_DIRECTORY "${CMAKE_INSTALL_PREFIX}")
  file(GLOB_RECURSE headers "$ENV{DESTDIR}${folder}/loadshare/*.hpp")
  foreach(header IN LISTS headers)
    file(READ "${header}" text)
    string(REGEX REPLACE "#include \"([^\"]+)\"" "#include <loadshare/\\1>" text "${text}")
    file(WRITE "${header}" "${text}")
  endforeach()]])
# libloadshare_profile.so is installed by the folder that builds it (profiler). It is preloaded, never linked.

write_basic_package_version_file(${PROJECT_BINARY_DIR}/loadshareConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
configure_file(cmake/loadshareConfig.cmake ${PROJECT_BINARY_DIR}/loadshareConfig.cmake @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/loadshareConfig.cmake ${PROJECT_BINARY_DIR}/loadshareConfigVersion.cmake
  DESTINATION ${package_dir})
