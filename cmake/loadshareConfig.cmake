# Read by find_package(loadshare). The libraries are static, so the libraries that they use must be found here, too.
include(CMakeFindDependencyMacro)
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_dependency(Threads)
if(@LOADSHARE_MPI@) # whether it was built with MPI
  set(MPI_CXX_SKIP_MPICXX ON)
  find_dependency(MPI COMPONENTS CXX)
endif()
find_dependency(fmt)
find_dependency(OpenSSL)
include(${CMAKE_CURRENT_LIST_DIR}/loadshareTargets.cmake)
