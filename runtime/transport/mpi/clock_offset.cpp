#include "runtime/transport/mpi/clock_offset.hpp"

#include "runtime/timing/clock.hpp"
#include "runtime/transport/mpi/payload.hpp"
#include "runtime/transport/mpi/quiet.hpp"

namespace loadshare::mpi {

namespace {

constexpr int round_trips = 16;

void send(double value_s, int to, MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Isend(&value_s, 1, MPI_DOUBLE, to, number(Tag::clock), comm, &request), "MPI_Isend");
  wait_quietly(request);
}

double receive(int from, MPI_Comm comm) {
  double value_s = 0;
  check(MPI_Recv(&value_s, 1, MPI_DOUBLE, from, number(Tag::clock), comm, MPI_STATUS_IGNORE), "MPI_Recv");
  return value_s;
}

double ask(int master, MPI_Comm comm) {
  double best_trip_s = 1e9, offset_s = 0;
  for (int i = 0; i < round_trips; ++i) {
    const double sent_s = monotonic_s();
    send(sent_s, master, comm);
    const double master_s = receive(master, comm);
    const double back_s = monotonic_s();
    if (back_s - sent_s >= best_trip_s) continue;
    best_trip_s = back_s - sent_s;
    offset_s = (sent_s + back_s) / 2 - master_s;
  }
  return offset_s;
}

void answer(int rank, MPI_Comm comm) {
  for (int i = 0; i < round_trips; ++i) {
    receive(rank, comm);
    send(monotonic_s(), rank, comm);
  }
}

}  // namespace

double measure_clock_offset_s(const Group& group) {
  const MPI_Comm comm = group.all().get();
  if (!group.is_master()) return group.is_on_masters_host(group.rank()) ? 0 : ask(group.master_rank(), comm);
  for (int rank = 0; rank < group.ranks(); ++rank)
    if (!group.is_on_masters_host(rank)) answer(rank, comm);
  return 0;
}

}  // namespace loadshare::mpi
