# Installs the build to a scratch prefix, then builds and runs the example against nothing but that prefix.
# cmake -D build=DIR -D source=DIR -D scratch=DIR -D compiler=CXX -D generator=NAME -P check.cmake
cmake_minimum_required(VERSION 3.25)

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE text ERROR_VARIABLE text)
  if(NOT code EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command} (exit ${code})\n${text}")
  endif()
  set(output "${text}" PARENT_SCOPE)
endfunction()

function(expect expected)
  run(${scratch}/build/own_workload ${ARGN})
  if(NOT output STREQUAL "${expected}\n")
    message(FATAL_ERROR "own_workload ${ARGN} printed\n${output}instead of\n${expected}")
  endif()
endfunction()

file(REMOVE_RECURSE ${scratch})
run(${CMAKE_COMMAND} --install ${build} --prefix ${scratch}/prefix)

file(GLOB_RECURSE exported ${scratch}/prefix/*.cmake)
foreach(file IN LISTS exported)
  file(READ ${file} text)
  foreach(leak IN ITEMS -Wall -Werror -Wno- -fsanitize loadshare_options nlohmann ${source})
    string(FIND "${text}" "${leak}" place)
    if(NOT place EQUAL -1)
      message(FATAL_ERROR "${file}: ${leak} is exported (it belongs to our own build) keep it in BUILD_INTERFACE")
    endif()
  endforeach()
endforeach()

run(${CMAKE_COMMAND} -G ${generator} -S ${source}/examples/own_workload -B ${scratch}/build
  -D CMAKE_PREFIX_PATH=${scratch}/prefix -D CMAKE_CXX_COMPILER=${compiler} -D CMAKE_BUILD_TYPE=Release)
run(${CMAKE_COMMAND} --build ${scratch}/build)

expect("1 2 4 8 16 17 13 9 7 5 4 3 2 2 1 1 1 1 1 1 1")
expect("3 6 12 9" ramp:start=3 30 1)
expect("7 7 6" send:7 20 3)
