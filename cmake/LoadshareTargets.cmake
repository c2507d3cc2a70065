# Settings of all targets of this project: warnings (private, never exported), sanitizers, include root.
option(LOADSHARE_WARNINGS_AS_ERRORS "Treat warnings as errors" OFF)
option(LOADSHARE_UNITY_BUILD "Compile the sources of a folder together" ON)
set(LOADSHARE_SANITIZE "" CACHE STRING "Comma-separated sanitizers, e.g. address,undefined or thread")

add_library(loadshare_options INTERFACE)
target_compile_options(loadshare_options INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion
  $<$<BOOL:${LOADSHARE_WARNINGS_AS_ERRORS}>:-Werror>)
# -Wshadow=local does not warn about names that another file of the folder defines.
target_compile_options(loadshare_options INTERFACE
  $<IF:$<AND:$<CXX_COMPILER_ID:GNU>,$<BOOL:${LOADSHARE_UNITY_BUILD}>>,-Wshadow=local,-Wshadow>)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 wrongly reports overlap in any inlined `"text" + std::string` (GCC bug 105651).
  target_compile_options(loadshare_options INTERFACE -Wno-restrict)
endif()
set(LOADSHARE_BUILD_ONE_THREADED ON) # programs and tests with one thread, which the thread sanitizer cannot check
if(LOADSHARE_SANITIZE)
  # Without -fno-sanitize-recover, undefined behaviour would be printed but the test would pass.
  add_compile_options(-fsanitize=${LOADSHARE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${LOADSHARE_SANITIZE})
  if(LOADSHARE_SANITIZE MATCHES thread)
    set(LOADSHARE_BUILD_ONE_THREADED OFF)
    add_compile_options(-Wno-tsan) # it does not support fences; atomics order the data in our only use, too
  endif()
endif()

# loadshare_optimize(LEVEL): sets the optimization level of release builds in this folder and below.
macro(loadshare_optimize level)
  add_compile_options($<$<CONFIG:Release>:${level}>)
endmacro()
loadshare_optimize(-O2)

# Compiles a folder as one translation unit, because its sources share headers and templates that cost more time than
# the sources themselves. LOADSHARE_UNITY_BUILD=OFF compiles each file separately.
function(loadshare_group_by_folder target)
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    cmake_path(ABSOLUTE_PATH source NORMALIZE OUTPUT_VARIABLE folder)
    cmake_path(GET folder PARENT_PATH folder)
    cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    string(MAKE_C_IDENTIFIER ${folder} group)
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${LOADSHARE_UNITY_BUILD} UNITY_BUILD_MODE GROUP)
endfunction()

# loadshare_add_library(NAME SOURCES...): adds a static library loadshare_NAME with the alias loadshare::NAME.
function(loadshare_add_library name)
  add_library(loadshare_${name} STATIC ${ARGN})
  add_library(loadshare::${name} ALIAS loadshare_${name})
  loadshare_group_by_folder(loadshare_${name})
  set_target_properties(loadshare_${name} PROPERTIES EXPORT_NAME ${name} POSITION_INDEPENDENT_CODE ON)
  target_compile_features(loadshare_${name} PUBLIC cxx_std_20)
  target_include_directories(loadshare_${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(loadshare_${name} PRIVATE $<BUILD_INTERFACE:loadshare_options>)
endfunction()

# loadshare_add_app(NAME SOURCES a.cpp ... [LIBRARIES lib ...]): adds a program in build/bin, installed to bin. It
# belongs to the target `loadshare_programs`.
add_custom_target(loadshare_programs)
function(loadshare_add_app name)
  cmake_parse_arguments(arg "" "" "SOURCES;LIBRARIES" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  loadshare_group_by_folder(${name})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES} loadshare_options)
  add_dependencies(loadshare_programs ${name})
  install(TARGETS ${name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endfunction()
