#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace loadshare::test {

/// MPI's levels: which of a rank's threads may call it.
enum class ThreadLevel { single, funneled, serialized };

/// The machines and the network that the fake pretends.
struct FakeMpi {
  int ranks = 2;
  int ranks_per_machine = 0;       ///< 0: all on one
  std::size_t eager_bytes = 4096;  ///< a longer message stays with its sender until a receive is there
  double most_delay_s = 0;  ///< of every step of a message, drawn anew for each; some straggle beyond it
  std::uint64_t seed = 1;   ///< of these
  ThreadLevel most_threads = ThreadLevel::serialized;  ///< of what a rank asks for, what it gets
  bool may_leak = false;  ///< communicators: where an error is on its way out, nobody frees them
};

/// Runs `body` once for each rank, each a thread of this process, and returns what they did that MPI forbids;
/// each is a defect. What the body throws is one too.
///
/// The fake stands in for the calls of MPI that the runtime makes, so that sanitizers see both sides of every
/// message; a program that links it needs no MPI library. It is MPI at its least helpful: a rank's messages
/// move only while it calls MPI; a send reads its buffer as late as it may, or not before it has met its
/// receive; messages overtake each other wherever no receive could tell; windows are full of rubbish. Beyond
/// what MPI notices it tells of threads that must not call MPI, or not while another does, of requests,
/// messages, windows and communicators left behind, of receives that are too short or of another type, of
/// collective calls that do not fit each other. Where nothing moves for a long time it says so and ends the
/// process.
///
/// What it cannot show: its calls are made one at a time, by one lock, which the thread sanitizer takes for
/// an order between ranks that both call MPI: it sees races of a rank's own threads, and of ranks that share
/// memory without a call in between. And all ranks share one address space, where a pointer that one leaves
/// in a window works for the others: that none is left there is tried under mpirun, by farm_mpi_test.
std::vector<std::string> run_fake_mpi(const FakeMpi& fake, const std::function<void()>& body);

/// What MPI_Get_library_version says here.
inline constexpr const char* fake_mpi_version = "fake of MPI";

}  // namespace loadshare::test
