#include "runtime/transport/mpi/clock_offset.hpp"

#include "runtime/timing/clock.hpp"
#include "runtime/transport/mpi/payload.hpp"
#include "runtime/transport/mpi/quiet.hpp"

namespace loadshare::mpi {

namespace {

constexpr int round_trips = 16;

/// Exact where the answer is a matter of microseconds, and soon asleep where it is not: who spins may use up
/// what a control group grants it, and then be stopped while the answer waits.
int wait_promptly(MPI_Request request) {
  constexpr double worth_spinning_s = 100e-6;
  MPI_Status status;
  int is_done = 0;
  for (const double begun_s = monotonic_s(); is_done == 0 && monotonic_s() - begun_s < worth_spinning_s;)
    check(MPI_Test(&request, &is_done, &status), "MPI_Test");
  for (GrowingNap nap; is_done == 0; nap.rest()) check(MPI_Test(&request, &is_done, &status), "MPI_Test");
  return status.MPI_SOURCE;
}

void send(double value_s, int to, MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Isend(&value_s, 1, MPI_DOUBLE, to, number(Tag::clock), comm, &request), "MPI_Isend");
  wait_promptly(request);
}

/// A rank and what it sent.
struct Stamp {
  int rank;
  double value_s;
};

Stamp receive(int from, MPI_Comm comm) {
  double value_s = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Irecv(&value_s, 1, MPI_DOUBLE, from, number(Tag::clock), comm, &request), "MPI_Irecv");
  const int rank = wait_promptly(request);
  return {rank, value_s};
}

double ask(int master, MPI_Comm comm) {
  double best_trip_s = 1e9, offset_s = 0;
  for (int i = 0; i < round_trips; ++i) {
    const double sent_s = monotonic_s();
    send(sent_s, master, comm);
    const double master_s = receive(master, comm).value_s;
    const double back_s = monotonic_s();
    if (back_s - sent_s >= best_trip_s) continue;
    best_trip_s = back_s - sent_s;
    offset_s = (sent_s + back_s) / 2 - master_s;
  }
  return offset_s;
}

// Whoever asks is answered next: one rank after the other would take as long as there are ranks.
void answer(int askers, MPI_Comm comm) {
  for (int i = 0; i < askers * round_trips; ++i) {
    const Stamp asked = receive(MPI_ANY_SOURCE, comm);
    send(monotonic_s(), asked.rank, comm);
  }
}

}  // namespace

double measure_clock_offset_s(MPI_Comm comm, int master, int askers) {
  int rank = 0;
  check(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  if (rank != master) return ask(master, comm);
  answer(askers, comm);
  return 0;
}

double measure_clock_offset_s(const Group& group) {
  if (!group.is_master() && group.is_on_masters_host(group.rank())) return 0;
  int askers = 0;
  for (int rank = 0; rank < group.ranks(); ++rank) askers += group.is_on_masters_host(rank) ? 0 : 1;
  return measure_clock_offset_s(group.all().get(), group.master_rank(), askers);
}

}  // namespace loadshare::mpi
