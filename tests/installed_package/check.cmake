# Installs the build to a scratch prefix, then builds and runs the example against nothing but that prefix.
# cmake -D build=DIR -D source=DIR -D scratch=DIR -D compiler=CXX -D generator=NAME -D mpirun=PROGRAM -P check.cmake
cmake_minimum_required(VERSION 3.25)

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE text ERROR_VARIABLE text)
  if(NOT code EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command} (exit ${code})\n${text}")
  endif()
  set(output "${text}" PARENT_SCOPE)
endfunction()

# expect(ANSWER COMMAND...): the command's output holds the answer and the summary's word for the scheduler.
function(expect answer scheduler)
  run(${ARGN})
  foreach(text IN ITEMS "${answer}" " by ${scheduler} on ")
    string(FIND "${output}" "${text}" place)
    if(place EQUAL -1)
      list(JOIN ARGN " " command)
      message(FATAL_ERROR "${command} printed\n${output}without '${text}'")
    endif()
  endforeach()
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

# The installed report is whole: it makes a page of a sweep of one run.
file(WRITE ${scratch}/sweep/sweep.json [[{"schema": 1, "title": "One run", "experiments": [{"name": "one",
  "axes": [], "repeat": {"times": 1}, "points": [{"id": "one", "parameters": {}}]}]}]])
file(WRITE ${scratch}/sweep/runs.jsonl [[{"schema": 1, "experiment": "one", "point": "one", "repetition": 0, ]]
  [["status": "ok", "record": {"makespan_s": 2.5}}]])
run(${scratch}/prefix/bin/loadshare report ${scratch}/sweep)
foreach(file IN ITEMS sweep/report.html sweep/points.csv prefix/share/loadshare/report/page.css)
  if(NOT EXISTS ${scratch}/${file})
    message(FATAL_ERROR "${file} is missing (the report was installed in part) see experiments/report/CMakeLists.txt")
  endif()
endforeach()

run(${CMAKE_COMMAND} -G ${generator} -S ${source}/examples -B ${scratch}/build
  -D CMAKE_PREFIX_PATH=${scratch}/prefix -D CMAKE_CXX_COMPILER=${compiler} -D CMAKE_BUILD_TYPE=Release)
run(${CMAKE_COMMAND} --build ${scratch}/build)

# Files of the program's own that are called as ours are not taken for ours.
foreach(header IN ITEMS base/types.hpp base/error.hpp runtime/farm/farm.hpp schedulers/table.hpp profiler/format.hpp)
  file(WRITE ${scratch}/own/${header} "#error somebody's own\n")
endforeach()
set(includes -std=c++20 -I ${scratch}/own -I ${scratch}/prefix/include)
file(GLOB_RECURSE headers RELATIVE ${scratch}/prefix/include ${scratch}/prefix/include/*.hpp)
list(TRANSFORM headers REPLACE "(.+)" "#include <\\1>\n")
list(JOIN headers "" text)
file(WRITE ${scratch}/all.cpp "${text}")
run(${compiler} ${includes} -fsyntax-only ${scratch}/all.cpp)

# Nothing of the inside is in what a program includes.
run(${compiler} ${includes} -M ${source}/examples/collatz.cpp)
foreach(inside IN ITEMS mpi.h futex.h asio fmt nlohmann CLI channel.hpp transport.hpp)
  if(output MATCHES "/${inside}")
    message(FATAL_ERROR "loadshare/loadshare.hpp includes ${inside} (it belongs to the inside) keep it in a source")
  endif()
endforeach()

# expect_refusal(REASON STATEMENT): the compiler's only error is the reason. The header is compiled once.
file(WRITE ${scratch}/wrong.hpp [[
#include <functional>
#include <loadshare/loadshare.hpp>
#include <string>
#include <vector>
using namespace loadshare;
struct Text { int size; const char* letters; };
struct Line { double place[2]; Text text; };
struct Named { int size; std::string_view name; };
struct Other { int& number; };
struct Fixed { const int number; };
struct Made { explicit Made(int n) : number(n) {} int number; };
]])
run(${compiler} ${includes} -x c++-header ${scratch}/wrong.hpp -o ${scratch}/wrong.hpp.gch)
function(expect_refusal reason statement)
  file(WRITE ${scratch}/wrong.cpp "#include \"wrong.hpp\"\n"
    "void f(Farm& farm, std::vector<int>& a, std::vector<int>& b) {\n  std::vector<bool> bits;\n  ${statement};\n}\n")
  execute_process(COMMAND ${compiler} ${includes} -fsyntax-only ${scratch}/wrong.cpp
    RESULT_VARIABLE code OUTPUT_VARIABLE text ERROR_VARIABLE text)
  string(REPLACE ";" "," text "${text}")
  string(REGEX MATCHALL "error: [^\n]*" errors "${text}")
  list(LENGTH errors count)
  if(code EQUAL 0 OR NOT count EQUAL 1 OR NOT errors MATCHES "${reason}")
    message(FATAL_ERROR "${statement} gave\n${text}instead of '${reason}' alone")
  endif()
endfunction()

# What cannot be sent as bytes is refused while compiling, in words.
foreach(type IN ITEMS std::string int* std::string_view Text Line Named Other Fixed int&)
  expect_refusal("loadshare sends values as bytes" "${type} (*g)(Index) = nullptr; farm.map<${type}>(1, g)")
endforeach()
expect_refusal("sends values as bytes" "farm.reduce(1, std::string(), [](Index) { return std::string(); }, std::plus<>())")
expect_refusal("sends values as bytes" "std::vector<Other> c; farm.for_chunks(1, in(c), [](Chunk, auto) {})")
expect_refusal("keeps a value of each iteration" "farm.map<void>(1, [](Index) {})")
expect_refusal("no default constructor" "farm.map<Made>(1, [](Index) { return Made(1); })")
expect_refusal("no default constructor" "farm.reduce(1, Made(1), [](Index) { return Made(1); }, [](Made a, Made) { return a; })")
expect_refusal("returns a fraction" "farm.reduce(1, 0, [](Index) { return 0.5; }, std::plus<>())")
expect_refusal("bool> has no bytes of its own" "farm.map<bool>(1, [](Index i) { return i > 1; }, Keep::on_master)")
foreach(part IN ITEMS in out shared)
  expect_refusal("bool> has no bytes of its own" "farm.for_chunks(1, ${part}(bits), [](Chunk, auto) {})")
endforeach()

# So is a body that does not take what it is called with, or returns what is not wanted.
foreach(body IN ITEMS "[] { return 1; }" "[](std::string) { return 1; }" "[](Index) {}")
  expect_refusal("map calls its body with the number of an iteration" "farm.map<int>(1, ${body})")
  expect_refusal("reduce calls its body with the number of" "farm.reduce(1, 0.0, ${body}, std::plus<>())")
endforeach()
expect_refusal("reduce needs a function of two values" "farm.reduce(1, 0.0, [](Index) { return 1.0; }, [](double) { return 1.0; })")
foreach(body IN ITEMS "[](Chunk, auto) {}" "[](Chunk, std::span<int>, std::span<int>) {}"
    "[](Chunk, std::span<const double>, std::span<int>) {}" "[](auto, auto) {}")
  expect_refusal("for_chunks calls its body with a loadshare::Chunk, or" "farm.for_chunks(1, in(a), out(b), ${body})")
endforeach()
expect_refusal("for_chunks takes in.*, and then its body" "farm.for_chunks(1, a, out(b), [](Chunk, auto, auto) {})")
expect_refusal("for_chunks takes in.*, and then its body" "farm.for_chunks(1, in(a), out(b))")
expect_refusal("for_chunks takes a body" "farm.for_chunks(1)")

# So are two parts of one kind, of which a chunk could have only one.
foreach(part IN ITEMS in out shared)
  expect_refusal("takes at most one in\\(...\\), one out\\(...\\) and one shared"
    "farm.for_chunks(1, ${part}(a), ${part}(b), [](Chunk, auto, auto) {})")
endforeach()

set(ENV{OMPI_ALLOW_RUN_AS_ROOT} 1)
set(ENV{OMPI_ALLOW_RUN_AS_ROOT_CONFIRM} 1)
set(ranks ${mpirun} -q --oversubscribe -np 3)
set(example ${scratch}/build/own_scheduler)
# A program of somebody's own tells of the build that it links to, as the installed tool does.
run(${example} --version)
set(own "${output}")
run(${scratch}/prefix/bin/loadshare --version)
if(NOT output STREQUAL own OR NOT output MATCHES "^[0-9.]+ \\((commit [0-9a-f]+( with changes)?, )?[^,]+, [A-Za-z]+\\)\n$")
  message(FATAL_ERROR "own_scheduler --version printed\n${own}loadshare --version\n${output}")
endif()
expect("77031 takes 350 steps" "ramp:start=16" ${example} --scheduler ramp:start=16)
expect("97 takes 118 steps" "ramp:growth=1.5,start=3,weights=1:2" ${example} --scheduler ramp:3,1.5,1:2
  --numbers 100)
expect("837799 takes 524 steps" "gss:divisor=4" ${ranks} ${example} --scheduler gss:4 --numbers 1000000)
file(WRITE ${scratch}/numbers.txt "1\n4\n-2.5\n")
foreach(launch IN ITEMS "" "${ranks}" "${ranks};--ranks-per-host;1")
  set(words ${launch})
  list(FILTER words INCLUDE REGEX "^(--ranks-per-host|1)$")
  set(launcher ${launch})
  list(FILTER launcher EXCLUDE REGEX "^(--ranks-per-host|1)$")
  expect("3732423 takes 596 steps" gss ${launcher} ${scratch}/build/collatz ${words})
  expect("the last is at" factoring ${launcher} ${scratch}/build/orbits --scheduler factoring ${words})
  expect("the sum is 1.64493" gss ${launcher} ${scratch}/build/sum --numbers 100000000 ${words})
  expect("the widest distance is 6.5" send:size=1 ${launcher} ${scratch}/build/readings ${scratch}/numbers.txt
    --scheduler send:1 ${words})
endforeach()

# Wrong input of the program's own is told once, in the project's form and with its exit code.
execute_process(COMMAND ${ranks} ${scratch}/build/readings absent.txt RESULT_VARIABLE code ERROR_VARIABLE text)
if(NOT code EQUAL 2 OR NOT text STREQUAL "error: cannot read absent.txt\n  why:  it is not there, or not for us\n  hint: name another FILE\n")
  message(FATAL_ERROR "readings absent.txt: exit ${code}\n${text}")
endif()

# The installed tool sweeps the program, under mpirun, by the path from the sweep's file on.
file(WRITE ${scratch}/own.yaml [[{"schema": 1, "title": "Own", "program": "./build/own_scheduler", "repeat": 2,
  "launch": {"with": "mpirun", "arguments": ["--oversubscribe"]},
  "experiments": [{"name": "own", "compare": "scheduler",
    "matrix": {"ranks": [1, 2], "scheduler": ["ramp:start=16", "gss"]}}]}]])
run(${scratch}/prefix/bin/loadshare sweep ${scratch}/own.yaml --out ${scratch}/own --progress none)
foreach(text IN ITEMS "8 runs in " "ranks 2" "ramp:start=16 is the fastest|gss is the fastest|no winner yet between ")
  if(NOT output MATCHES "${text}")
    message(FATAL_ERROR "loadshare sweep printed\n${output}without ${text}")
  endif()
endforeach()
