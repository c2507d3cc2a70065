# Writes a header with the commit of a source tree, for --version; unless it says so already, so that nothing is compiled
# again. The commit is empty where the tree is no checkout of its own, or git cannot tell.
# cmake -D source=DIR -D header=FILE -P write_commit.cmake
cmake_minimum_required(VERSION 3.25)

set(commit "")
if(EXISTS ${source}/.git) # a folder, or a worktree's file; not a checkout that holds this tree among others
  execute_process(COMMAND git --no-optional-locks -C ${source} describe --always "--exclude=*" --abbrev=10 "--dirty= with changes"
    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
file(CONFIGURE OUTPUT ${header} CONTENT "#define LOADSHARE_COMMIT \"@commit@\"\n" @ONLY)
