#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iostream>
#include <vector>

#include "runtime/host/clock.hpp"
#include "tests/profiler/known_truth.hpp"

/// A program whose ranks spend known times on computing, sleeping, waiting for each other and moving data. It
/// prints each rank's times, by the rank's own clocks: `known_shares [STEP_MS]`, 2 to 4 ranks.
///
/// - It computes for a given processor time, so it also knows the time that other programs took meanwhile.
/// - It waits in calls for which a known partner arrives later, from its own arrival to the partner's.
/// - It moves data in calls at which all ranks have already met.
namespace {

using loadshare::Log;
using loadshare::monotonic_s;

constexpr int max_ranks = 4;
constexpr std::size_t large_bytes = 8 << 20;
constexpr long nap_ns = 100'000;

/// Allocated before the run begins, because first accesses take time.
struct Memory {
  std::vector<char> out = std::vector<char>(large_bytes, 'a');
  std::vector<char> in = std::vector<char>(large_bytes, 'b');
  MPI_Win window = MPI_WIN_NULL;
};

/// Returns how long this thread could have run while other programs had the processor. Negative: the kernel
/// does not report it.
double run_delay_s() {
  std::ifstream file("/proc/thread-self/schedstat");
  double ran_ns = 0;
  double delayed_ns = 0;
  return file >> ran_ns >> delayed_ns ? delayed_ns * 1e-9 : -1;
}

class Program {
 public:
  Program(int rank, int ranks, double step_s, Memory& memory)
      : rank_(rank), ranks_(ranks), step_s_(step_s), memory_(memory) {
    log_.begin_s = monotonic_s();
    delay_begin_s_ = run_delay_s();
  }

  void run() {
    late_sends();
    late_sends_to_started_receives();
    late_sends_to_probes();
    late_receives();
    late_large_sends();
    late_sends_to_tests();
    late_broadcast();
    early_reduce();
    meet();
    sleep();
    exchange_large();
    stream_large();
    if (is_first() || is_last()) exchange_unequal();
    if (is_first() || is_last()) poll_large();
  }

  Log log() const {
    Log log = log_;
    log.end_s = monotonic_s();
    log.theft_s = std::max(0.0, run_delay_s() - delay_begin_s_ - log.stolen_s);
    return log;
  }

 private:
  bool is_first() const { return rank_ == 0; }
  bool is_last() const { return rank_ == ranks_ - 1; }

  /// Computes for this number of steps of processor time.
  void compute(double steps) {
    const double begin_s = monotonic_s();
    const double cpu_begin_s = loadshare::thread_cpu_s();
    double cpu_s = 0;
    while (cpu_s < steps * step_s_) cpu_s = loadshare::thread_cpu_s() - cpu_begin_s;
    log_.computing_s += cpu_s;
    log_.stolen_s += std::max(0.0, monotonic_s() - begin_s - cpu_s);
  }

  void come() { log_.came_s.at(static_cast<std::size_t>(phase_++)) = monotonic_s(); }

  void send_to_others() {
    for (int other = 1; other < ranks_; ++other) MPI_Send(&phase_, 1, MPI_INT, other, 1, MPI_COMM_WORLD);
  }

  void late_sends() {
    compute(is_first() ? 4 : 1);
    come();
    int content = 0;
    if (is_first())
      send_to_others();
    else
      MPI_Recv(&content, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }

  void late_sends_to_started_receives() {
    int content = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    if (!is_first()) MPI_Irecv(&content, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
    compute(is_first() ? 4 : 1);
    come();
    if (is_first()) send_to_others();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }

  void late_sends_to_probes() {
    compute(is_first() ? 4 : 1);
    come();
    if (is_first()) return send_to_others();
    int content = 0;
    MPI_Status status;
    MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    MPI_Recv(&content, 1, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }

  void late_receives() {
    compute(is_first() ? 4 : 1);
    come();
    if (!is_first()) {
      MPI_Ssend(&rank_, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
      return;
    }
    int content = 0;
    for (int other = 1; other < ranks_; ++other)
      MPI_Recv(&content, 1, MPI_INT, other, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }

  /// In one call each rank waits for a short message that has arrived and a large one that has not.
  void late_large_sends() {
    std::array<MPI_Request, 2 * max_ranks> requests{};
    int count = 0;
    int content = 0;
    for (int other = 1; is_first() && other < ranks_; ++other)
      MPI_Isend(&rank_, 1, MPI_INT, other, 5, MPI_COMM_WORLD,
                &requests.at(static_cast<std::size_t>(count++)));
    compute(is_first() ? 4 : 1);
    const double begin_s = monotonic_s();
    come();
    for (int other = 1; is_first() && other < ranks_; ++other)
      MPI_Isend(memory_.out.data(), large_bytes, MPI_CHAR, other, 6, MPI_COMM_WORLD,
                &requests.at(static_cast<std::size_t>(count++)));
    if (!is_first()) {
      MPI_Irecv(&content, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, &requests[0]);
      MPI_Irecv(memory_.in.data(), large_bytes, MPI_CHAR, 0, 6, MPI_COMM_WORLD, &requests[1]);
      count = 2;
    }
    MPI_Waitall(count, requests.data(), MPI_STATUSES_IGNORE);
    log_.exchanging_s += monotonic_s() - begin_s;
  }

  void late_sends_to_tests() {
    int content = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    if (!is_first()) MPI_Irecv(&content, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, &request);
    compute(is_first() ? 4 : 1);
    come();
    for (int other = 1; is_first() && other < ranks_; ++other)
      MPI_Send(&rank_, 1, MPI_INT, other, 7, MPI_COMM_WORLD);
    int is_over = 0;
    MPI_Test(&request, &is_over, MPI_STATUS_IGNORE);
    while (is_over == 0) {
      const timespec nap{0, nap_ns};
      nanosleep(&nap, nullptr);
      MPI_Test(&request, &is_over, MPI_STATUS_IGNORE);
    }
  }

  void late_broadcast() {
    compute(is_first() ? 4 : 1);
    come();
    int content = 0;
    MPI_Bcast(&content, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }

  void early_reduce() {
    compute(is_first() ? 1 : 4);
    come();
    int sum = 0;
    MPI_Reduce(&rank_, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  }

  void meet() {
    compute(1 + 2 * rank_);
    come();
    MPI_Barrier(MPI_COMM_WORLD);
    compute(1 + 2 * (ranks_ - rank_));
    come();
    int sum = 0;
    MPI_Allreduce(&rank_, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    compute(1 + 3 * rank_);
    come();
    MPI_Win_fence(0, memory_.window);
  }

  void sleep() {
    const double begin_s = monotonic_s();
    const timespec pause{0, static_cast<long>(step_s_ * 1e9)};
    nanosleep(&pause, nullptr);
    log_.asleep_s += monotonic_s() - begin_s;
  }

  /// All ranks have met, so the calls that follow almost only move data.
  void exchange_large() {
    const int next = (rank_ + 1) % ranks_;
    const int last = (rank_ + ranks_ - 1) % ranks_;
    come();
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin_s = monotonic_s();
    for (int i = 0; i < loadshare::ring_messages / 2; ++i) {
      come();
      MPI_Sendrecv(memory_.out.data(), large_bytes, MPI_CHAR, next, 3, memory_.in.data(), large_bytes,
                   MPI_CHAR, last, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    log_.exchanging_s += monotonic_s() - begin_s;
  }

  void stream_large() {
    const int next = (rank_ + 1) % ranks_;
    const int last = (rank_ + ranks_ - 1) % ranks_;
    const double begin_s = monotonic_s();
    for (int i = 0; i < loadshare::ring_messages / 2; ++i) {
      std::array<MPI_Request, 2> requests{};
      come();
      // Receive first: the message has arrived and moves immediately. A send before it would count as late.
      MPI_Isend(memory_.out.data(), large_bytes, MPI_CHAR, last, 4, MPI_COMM_WORLD, &requests[0]);
      MPI_Irecv(memory_.in.data(), large_bytes, MPI_CHAR, next, 4, MPI_COMM_WORLD, &requests[1]);
      MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
    }
    log_.exchanging_s += monotonic_s() - begin_s;
  }

  /// The last rank waits for three requests in one call. Its short send completes immediately, although rank
  /// 0 receives it late. One of its two receives is in progress while the message of the other has not been
  /// sent yet.
  void exchange_unequal() {
    const double begin_s = monotonic_s();
    for (int i = 0; i < loadshare::pair_messages / 2; ++i) {
      std::array<MPI_Request, 3> requests{};
      int content = 0;
      come();
      if (is_first()) {
        MPI_Send(memory_.out.data(), large_bytes, MPI_CHAR, ranks_ - 1, 8, MPI_COMM_WORLD);
        MPI_Recv(&content, 1, MPI_INT, ranks_ - 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(memory_.out.data(), large_bytes, MPI_CHAR, ranks_ - 1, 8, MPI_COMM_WORLD);
      } else {
        MPI_Irecv(memory_.in.data(), large_bytes, MPI_CHAR, 0, 8, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(memory_.out.data(), large_bytes, MPI_CHAR, 0, 8, MPI_COMM_WORLD, &requests[1]);
        MPI_Isend(&rank_, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, &requests[2]);
        MPI_Waitall(3, requests.data(), MPI_STATUSES_IGNORE);
      }
    }
    log_.exchanging_s += monotonic_s() - begin_s;
  }

  void poll_large() {
    const double begin_s = monotonic_s();
    for (int i = 0; i < loadshare::pair_messages / 2; ++i) {
      MPI_Request request = MPI_REQUEST_NULL;
      come();
      if (is_first())
        MPI_Isend(memory_.out.data(), large_bytes, MPI_CHAR, ranks_ - 1, 10, MPI_COMM_WORLD, &request);
      else
        MPI_Irecv(memory_.in.data(), large_bytes, MPI_CHAR, 0, 10, MPI_COMM_WORLD, &request);
      for (int is_over = 0; is_over == 0;) MPI_Test(&request, &is_over, MPI_STATUS_IGNORE);
    }
    log_.exchanging_s += monotonic_s() - begin_s;
  }

  int rank_;
  int ranks_;
  double step_s_;
  Memory& memory_;
  int phase_ = 0;
  double delay_begin_s_ = 0;
  Log log_;
};

}  // namespace

int main(int argc, char** argv) {
  Memory memory;
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks < 2 || ranks > max_ranks) MPI_Abort(MPI_COMM_WORLD, 2);

  MPI_Win_create(memory.in.data(), 1, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory.window);
  MPI_Barrier(MPI_COMM_WORLD);
  Program program(rank, ranks, argc > 1 ? std::atof(argv[1]) * 1e-3 : 0.04, memory);
  program.run();
  const Log log = program.log();
  std::vector<Log> logs(static_cast<std::size_t>(ranks));
  constexpr int doubles = sizeof(Log) / sizeof(double);
  MPI_Gather(&log, doubles, MPI_DOUBLE, logs.data(), doubles, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  if (rank == 0) std::cout << loadshare::truth_text(logs) << std::endl;
  MPI_Win_free(&memory.window);
  MPI_Finalize();
}
