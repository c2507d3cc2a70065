include(GoogleTest)

# The environment of tests that start Python or mpirun. They may run as root. UCX is off, because no test needs it and
# it doubles the time of an mpirun with two ranks. Open MPI 4's mpirun reports about one good end in a thousand as
# improper (open-mpi/ompi#7833) unless that check is off. The test of the installed package uses MPI's defaults.
# XDG_CACHE_HOME is not a folder, so that no test finds the cache of an earlier one. COLUMNS keeps texts independent of the
# terminal from which tests are started.
set(LOADSHARE_TEST_ENVIRONMENT "COLUMNS=1000;XDG_CACHE_HOME=/dev/null;PYTHONDONTWRITEBYTECODE=1;OMPI_ALLOW_RUN_AS_ROOT=1;OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1;OMPI_MCA_pml=ob1;OMPI_MCA_osc=^ucx;OMPI_MCA_orte_allowed_exit_without_sync=1")

# loadshare_add_test(NAME SOURCES a.cpp ... [LIBRARIES lib ...] [LABELS label ...] [TIMEOUT s])
# Adds a GoogleTest program that runs in one process. Label `mpi` is for loadshare_add_mpi_test only.
function(loadshare_add_test name)
  cmake_parse_arguments(arg "" "TIMEOUT" "SOURCES;LIBRARIES;LABELS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  loadshare_group_by_folder(${name})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES} GTest::gmock GTest::gtest_main loadshare_options)
  target_compile_definitions(${name} PRIVATE LOADSHARE_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data")
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/bin)
  add_test(NAME ${name} COMMAND ${name})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  set_tests_properties(${name} PROPERTIES TIMEOUT ${arg_TIMEOUT} LABELS "${arg_LABELS}")
endfunction()

# loadshare_add_mpi_test(NAME SOURCES ... RANKS 1 2 3 4 [TIMED test] [LIBRARIES lib ...] [TIMEOUT s])
# Adds a GoogleTest program with tests/mpi_main.cpp, run under mpirun once for each rank count. The test TIMED measures
# times, so it runs separately and without other tests at the same time.
function(loadshare_add_mpi_test name)
  cmake_parse_arguments(arg "" "TIMED;TIMEOUT" "SOURCES;LIBRARIES;RANKS" ${ARGN})
  add_executable(${name} ${arg_SOURCES} ${PROJECT_SOURCE_DIR}/tests/mpi_main.cpp)
  loadshare_group_by_folder(${name})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES} GTest::gmock GTest::gtest MPI::MPI_CXX loadshare_options)
  target_compile_definitions(${name} PRIVATE LOADSHARE_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data")
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/bin)
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  foreach(ranks IN LISTS arg_RANKS)
    set(command RANKS ${ranks} TIMEOUT ${arg_TIMEOUT} COMMAND $<TARGET_FILE:${name}>)
    if(NOT arg_TIMED)
      loadshare_add_mpirun(${name}_${ranks} ${command})
      continue()
    endif()
    loadshare_add_mpirun(${name}_${ranks} ${command} --gtest_filter=-${arg_TIMED})
    loadshare_add_mpirun(${name}_timed_${ranks} ${command} --gtest_filter=${arg_TIMED})
    set_tests_properties(${name}_timed_${ranks} PROPERTIES RUN_SERIAL ON)
  endforeach()
endfunction()

# loadshare_add_mpirun(NAME RANKS n TIMEOUT s COMMAND ...): adds a test that runs any command under mpirun, also as
# root. Without -q, so that a failed test shows mpirun's messages.
function(loadshare_add_mpirun name)
  cmake_parse_arguments(arg "" "RANKS;TIMEOUT" "COMMAND" ${ARGN})
  add_test(NAME ${name} COMMAND ${MPIEXEC_EXECUTABLE} --oversubscribe -np ${arg_RANKS} ${arg_COMMAND})
  set_tests_properties(${name} PROPERTIES TIMEOUT ${arg_TIMEOUT} LABELS mpi
    ENVIRONMENT "${LOADSHARE_TEST_ENVIRONMENT}")
endfunction()
