# Writes a header with the commit of a source tree, for --version. Does not touch an identical header, so that nothing
# is compiled again. The commit is empty if the tree is not a checkout of its own, or if git fails.
# cmake -D source=DIR -D header=FILE -P write_commit.cmake
cmake_minimum_required(VERSION 3.25)

set(commit "")
if(EXISTS ${source}/.git) # a folder, or a worktree's file; not a checkout that contains this tree in a subfolder
  execute_process(COMMAND git --no-optional-locks -C ${source} describe --always "--exclude=*" --abbrev=10 "--dirty= with changes"
    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
file(CONFIGURE OUTPUT ${header} CONTENT "#define LOADSHARE_COMMIT \"@commit@\"\n" @ONLY)
