# Every external library of the project.
set(MPI_CXX_SKIP_MPICXX ON) # excludes the removed C++ bindings
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
if(LOADSHARE_MPI)
  find_package(MPI REQUIRED COMPONENTS CXX)
endif()
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(muparser REQUIRED IMPORTED_TARGET muparser)
find_package(Eigen3 REQUIRED)

# Asio has neither a CMake config nor a .pc file.
find_path(ASIO_INCLUDE_DIR asio.hpp REQUIRED)
add_library(loadshare_asio INTERFACE)
target_include_directories(loadshare_asio SYSTEM INTERFACE ${ASIO_INCLUDE_DIR})
target_compile_definitions(loadshare_asio INTERFACE ASIO_STANDALONE)
target_link_libraries(loadshare_asio INTERFACE Threads::Threads)

find_path(XXHASH_INCLUDE_DIR xxhash.h REQUIRED) # header-only
add_library(loadshare_xxhash INTERFACE)
target_include_directories(loadshare_xxhash SYSTEM INTERFACE ${XXHASH_INCLUDE_DIR})

if(LOADSHARE_BUILD_APPS OR LOADSHARE_BUILD_BENCH)
  find_package(CLI11 REQUIRED)
  find_package(PNG REQUIRED)
  find_package(yaml-cpp REQUIRED) # its target is `yaml-cpp`, without a namespace
  set(BLA_VENDOR OpenBLAS)
  find_package(BLAS REQUIRED) # for its header; apps/common/blas loads the library at run time
  pkg_check_modules(libxsmm REQUIRED IMPORTED_TARGET libxsmm)
  # Listed after libxsmm: a dummy BLAS for libxsmm functions that are never called here.
  find_library(LIBXSMM_NOBLAS xsmmnoblas REQUIRED)
  set_property(TARGET PkgConfig::libxsmm APPEND PROPERTY INTERFACE_LINK_LIBRARIES ${LIBXSMM_NOBLAS})
endif()
if(LOADSHARE_BUILD_TESTS)
  find_package(GTest REQUIRED)
  # The first python3 with the modules that the report and the tests need. On many machines the first in PATH lacks
  # them.
  function(loadshare_has_modules result python)
    execute_process(COMMAND ${python} -c "import numpy, scipy, matplotlib, yaml" RESULT_VARIABLE code OUTPUT_QUIET ERROR_QUIET)
    if(NOT code EQUAL 0)
      set(${result} FALSE PARENT_SCOPE)
    endif()
  endfunction()
  find_program(LOADSHARE_PYTHON python3 VALIDATOR loadshare_has_modules REQUIRED)
endif()
if(LOADSHARE_BUILD_BENCH)
  find_package(benchmark REQUIRED)
  pkg_check_modules(scalapack REQUIRED IMPORTED_TARGET scalapack-openmpi)
  pkg_check_modules(simgrid REQUIRED IMPORTED_TARGET simgrid)
endif()
