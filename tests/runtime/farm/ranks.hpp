#pragma once

#include <cstddef>
#include <functional>

namespace loadshare::test {

/// How the ranks come to their end.
enum class Ending { orderly, by_error };

/// Runs a test's body on every rank. Under mpirun each is a process that runs the test, and this only calls;
/// over the fake of MPI it makes the ranks, as threads: one, then two, three and four.
void as_each_rank(const std::function<void()>& body, Ending ending = Ending::orderly);

/// How many there are; for the body.
int ranks();

/// So many values, for what must be far longer than MPI sends at once; over the fake, which sends little, a
/// twentieth does.
std::size_t many(std::size_t values);

}  // namespace loadshare::test
