# Toolchain of the preset `aarch64`: Debian's cross compiler, the libraries that cmake/aarch64_libraries fetches, and,
# if installed, qemu-user for the tests.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)

cmake_path(GET CMAKE_CURRENT_LIST_DIR PARENT_PATH loadshare_top)
set(loadshare_libraries ${loadshare_top}/build-aarch64-libraries)
if(NOT EXISTS ${loadshare_libraries}/usr)
  message(FATAL_ERROR "the libraries for aarch64 are missing (${loadshare_libraries}) run cmake/aarch64_libraries")
endif()
set(CMAKE_FIND_ROOT_PATH ${loadshare_libraries} /usr/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
# Debian's folder for headers that depend on the processor: OpenSSL's configuration.
set(CMAKE_CXX_FLAGS_INIT "-isystem ${loadshare_libraries}/usr/include/aarch64-linux-gnu")
foreach(kind IN ITEMS LIBRARY INCLUDE PACKAGE)
  set(CMAKE_FIND_ROOT_PATH_MODE_${kind} ONLY)
endforeach()
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${loadshare_libraries})
set(ENV{PKG_CONFIG_LIBDIR} ${loadshare_libraries}/usr/lib/aarch64-linux-gnu/pkgconfig)

find_program(loadshare_qemu qemu-aarch64)
if(loadshare_qemu)
  set(CMAKE_CROSSCOMPILING_EMULATOR ${loadshare_qemu} -L /usr/aarch64-linux-gnu)
endif()
