#include "apps/spmd/exchange.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include <cstdint>
#include <limits>

#include "runtime/transport/mpi/check.hpp"
#include "runtime/transport/mpi/group.hpp"

namespace loadshare::spmd {
namespace {

using mpi::check;

constexpr int tag = 0;

template <class T>
MPI_Datatype datatype();
template <>
MPI_Datatype datatype<double>() {
  return MPI_DOUBLE;
}
template <>
MPI_Datatype datatype<std::int32_t>() {
  return MPI_INT32_T;
}
template <>
MPI_Datatype datatype<std::int64_t>() {
  return MPI_INT64_T;
}
template <>
MPI_Datatype datatype<std::uint64_t>() {
  return MPI_UINT64_T;
}

int as_int(Index count) {
  constexpr Index most = std::numeric_limits<int>::max();
  if (count > most)
    throw Error(ExitCode::run_failed, fmt::format("cannot send {} values", count),
                fmt::format("MPI counts only to {}", most), "use a smaller problem or more ranks");
  return static_cast<int>(count);
}

template <class Values>
int count_of(const Values& values) {
  return as_int(static_cast<Index>(values.size()));
}

/// Whether a rank's own values are at their position in the array of all values.
template <class All, class Own>
bool is_in_place(const All& all, const Own& own) {
  return !all.empty() && all.data() == own.data();
}

/// Consecutive pieces in the form that MPI requires.
struct Pieces {
  explicit Pieces(const std::vector<Index>& sizes) {
    Index at = 0;
    for (const Index size : sizes) {
      counts.push_back(as_int(size));
      places.push_back(as_int(at));
      at += size;
    }
  }
  std::vector<int> counts, places;
};

mpi::Communicator duplicate_world() {
  MPI_Comm comm = MPI_COMM_NULL;
  check(MPI_Comm_dup(MPI_COMM_WORLD, &comm), "MPI_Comm_dup");
  return mpi::Communicator(comm);
}

}  // namespace

Exchange::Exchange(PhaseClock& clock)
    : clock_(clock),
      all_(std::make_unique<mpi::Communicator>(duplicate_world())),
      rank_(all_->rank()),
      ranks_(all_->size()) {}
Exchange::~Exchange() = default;

void Exchange::barrier() {
  clock_.exchange([&] { check(MPI_Barrier(all_->get()), "MPI_Barrier"); });
}

template <class T>
void Exchange::send(std::span<const T> values, int to) {
  clock_.exchange([&] {
    check(MPI_Send(values.data(), count_of(values), datatype<T>(), to, tag, all_->get()), "MPI_Send");
  });
}

template <class T>
void Exchange::receive(std::span<T> values, int from) {
  clock_.exchange([&] {
    check(MPI_Recv(values.data(), count_of(values), datatype<T>(), from, tag, all_->get(), MPI_STATUS_IGNORE),
          "MPI_Recv");
  });
}

void Exchange::mark(Mark mark) {
  check(MPI_Pcontrol(mark == Mark::begin ? 1 : 0), "MPI_Pcontrol");
}

template <class T>
void Exchange::shift(std::span<const T> out, int to, std::span<T> in, int from) {
  clock_.exchange([&] {
    check(MPI_Sendrecv(out.data(), count_of(out), datatype<T>(), to, tag, in.data(), count_of(in),
                       datatype<T>(), from, tag, all_->get(), MPI_STATUS_IGNORE),
          "MPI_Sendrecv");
  });
}

template <class T>
void Exchange::broadcast(std::span<T> values, int root) {
  clock_.exchange([&] {
    check(MPI_Bcast(values.data(), count_of(values), datatype<T>(), root, all_->get()), "MPI_Bcast");
  });
}

template <class T>
void Exchange::scatter(std::span<const T> all, const std::vector<Index>& sizes, std::span<T> own) {
  clock_.exchange([&] {
    const Pieces pieces(sizes);
    void* const target = is_in_place(all, own) ? MPI_IN_PLACE : own.data();
    check(MPI_Scatterv(all.data(), pieces.counts.data(), pieces.places.data(), datatype<T>(), target,
                       count_of(own), datatype<T>(), 0, all_->get()),
          "MPI_Scatterv");
  });
}

template <class T>
void Exchange::gather(std::span<const T> own, const std::vector<Index>& sizes, std::span<T> all) {
  clock_.exchange([&] {
    const Pieces pieces(sizes);
    const void* const source = is_in_place(all, own) ? MPI_IN_PLACE : own.data();
    check(MPI_Gatherv(source, count_of(own), datatype<T>(), all.data(), pieces.counts.data(),
                      pieces.places.data(), datatype<T>(), 0, all_->get()),
          "MPI_Gatherv");
  });
}

template <class T>
std::vector<T> Exchange::all_gather(std::span<const T> own) {
  std::vector<T> all(own.size() * static_cast<std::size_t>(ranks_));
  clock_.exchange([&] {
    check(MPI_Allgather(own.data(), count_of(own), datatype<T>(), all.data(), count_of(own), datatype<T>(),
                        all_->get()),
          "MPI_Allgather");
  });
  return all;
}

std::vector<Index> Exchange::all_to_all(const std::vector<Index>& values) {
  std::vector<Index> result(values.size());
  clock_.exchange([&] {
    check(MPI_Alltoall(values.data(), 1, datatype<Index>(), result.data(), 1, datatype<Index>(), all_->get()),
          "MPI_Alltoall");
  });
  return result;
}

template <class T>
void Exchange::all_to_all(std::span<const T> out, const std::vector<Index>& out_sizes, std::span<T> in,
                          const std::vector<Index>& in_sizes) {
  clock_.exchange([&] {
    const Pieces outward(out_sizes);
    const Pieces inward(in_sizes);
    check(MPI_Alltoallv(out.data(), outward.counts.data(), outward.places.data(), datatype<T>(), in.data(),
                        inward.counts.data(), inward.places.data(), datatype<T>(), all_->get()),
          "MPI_Alltoallv");
  });
}

template <class T>
void Exchange::sum(std::span<T> values) {
  clock_.exchange([&] {
    check(MPI_Allreduce(MPI_IN_PLACE, values.data(), count_of(values), datatype<T>(), MPI_SUM, all_->get()),
          "MPI_Allreduce");
  });
}

template void Exchange::send(std::span<const std::int32_t>, int);
template void Exchange::receive(std::span<std::int32_t>, int);
template void Exchange::shift(std::span<const double>, int, std::span<double>, int);
template void Exchange::broadcast(std::span<std::int32_t>, int);
template void Exchange::broadcast(std::span<Index>, int);
template void Exchange::scatter(std::span<const double>, const std::vector<Index>&, std::span<double>);
template void Exchange::gather(std::span<const double>, const std::vector<Index>&, std::span<double>);
template void Exchange::scatter(std::span<const std::int32_t>, const std::vector<Index>&,
                                std::span<std::int32_t>);
template void Exchange::scatter(std::span<const std::uint64_t>, const std::vector<Index>&,
                                std::span<std::uint64_t>);
template void Exchange::gather(std::span<const std::int32_t>, const std::vector<Index>&,
                               std::span<std::int32_t>);
template void Exchange::gather(std::span<const std::uint64_t>, const std::vector<Index>&,
                               std::span<std::uint64_t>);
template std::vector<std::uint64_t> Exchange::all_gather(std::span<const std::uint64_t>);
template std::vector<Index> Exchange::all_gather(std::span<const Index>);
template void Exchange::all_to_all(std::span<const std::uint64_t>, const std::vector<Index>&,
                                   std::span<std::uint64_t>, const std::vector<Index>&);
template void Exchange::all_to_all(std::span<const std::int32_t>, const std::vector<Index>&,
                                   std::span<std::int32_t>, const std::vector<Index>&);
template void Exchange::sum(std::span<double>);
template void Exchange::sum(std::span<std::int32_t>);
template void Exchange::sum(std::span<Index>);

}  // namespace loadshare::spmd
