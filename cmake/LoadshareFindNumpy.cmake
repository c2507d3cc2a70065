# LOADSHARE_NUMPY_PYTHON: a python3 that can import numpy, for the tests. The first one of the path may well lack it:
# Debian's python3-numpy serves /usr/bin/python3.
function(loadshare_check_numpy result python)
  execute_process(COMMAND ${python} -c "import numpy" RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
  if(failed)
    set(${result} FALSE PARENT_SCOPE)
  endif()
endfunction()

find_program(LOADSHARE_NUMPY_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH
  VALIDATOR loadshare_check_numpy)
find_program(LOADSHARE_NUMPY_PYTHON NAMES python3 python VALIDATOR loadshare_check_numpy)
if(NOT LOADSHARE_NUMPY_PYTHON)
  message(WARNING "No python3 with numpy: the test of files from and to numpy is left out (apt install python3-numpy)")
endif()
