#include "apps/loadshare/mpi/collective_group.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <thread>

#include "apps/loadshare/timing.hpp"
#include "runtime/host/clock.hpp"
#include "runtime/transport/mpi/check.hpp"

namespace loadshare::tool {
namespace {

using mpi::check;

/// A group of MPI's, freed at the end.
class RankGroup final {
 public:
  explicit RankGroup(MPI_Group group) : group_(group) {}
  RankGroup(const RankGroup&) = delete;
  RankGroup& operator=(const RankGroup&) = delete;
  ~RankGroup() { MPI_Group_free(&group_); }
  MPI_Group get() const { return group_; }

 private:
  MPI_Group group_;
};

RankGroup world_group() {
  MPI_Group group = MPI_GROUP_NULL;
  check(MPI_Comm_group(MPI_COMM_WORLD, &group), "MPI_Comm_group");
  return RankGroup(group);
}

RankGroup part_of(const RankGroup& world, const std::vector<int>& ranks) {
  MPI_Group group = MPI_GROUP_NULL;
  check(MPI_Group_incl(world.get(), static_cast<int>(ranks.size()), ranks.data(), &group), "MPI_Group_incl");
  return RankGroup(group);
}

using Arguments = CollectiveArguments;

int barrier(const Arguments& with) {
  return MPI_Barrier(with.comm);
}

constexpr int root = 0;

int bcast(const Arguments& with) {
  return MPI_Bcast(with.received, with.bytes, MPI_BYTE, root, with.comm);
}

int reduce(const Arguments& with) {
  return MPI_Reduce(with.sent, with.received, with.bytes / static_cast<int>(sizeof(unsigned)), MPI_UNSIGNED,
                    MPI_SUM, root, with.comm);
}

int gather(const Arguments& with) {
  return MPI_Gather(with.sent, with.bytes, MPI_BYTE, with.received, with.bytes, MPI_BYTE, root, with.comm);
}

int scatter(const Arguments& with) {
  return MPI_Scatter(with.sent, with.bytes, MPI_BYTE, with.received, with.bytes, MPI_BYTE, root, with.comm);
}

int allreduce(const Arguments& with) {
  return MPI_Allreduce(with.sent, with.received, with.bytes / static_cast<int>(sizeof(unsigned)),
                       MPI_UNSIGNED, MPI_SUM, with.comm);
}

int allgather(const Arguments& with) {
  return MPI_Allgather(with.sent, with.bytes, MPI_BYTE, with.received, with.bytes, MPI_BYTE, with.comm);
}

int alltoall(const Arguments& with) {
  return MPI_Alltoall(with.sent, with.bytes, MPI_BYTE, with.received, with.bytes, MPI_BYTE, with.comm);
}

int alltoallv(const Arguments& with) {
  return MPI_Alltoallv(with.sent, with.counts, with.places, MPI_BYTE, with.received, with.counts, with.places,
                       MPI_BYTE, with.comm);
}

constexpr std::array all_calls{CollectiveCall{"barrier", "MPI_Barrier", barrier},
                               CollectiveCall{"bcast", "MPI_Bcast", bcast},
                               CollectiveCall{"reduce", "MPI_Reduce", reduce},
                               CollectiveCall{"gather", "MPI_Gather", gather},
                               CollectiveCall{"scatter", "MPI_Scatter", scatter},
                               CollectiveCall{"allreduce", "MPI_Allreduce", allreduce},
                               CollectiveCall{"allgather", "MPI_Allgather", allgather},
                               CollectiveCall{"alltoall", "MPI_Alltoall", alltoall},
                               CollectiveCall{"alltoallv", "MPI_Alltoallv", alltoallv}};

std::vector<int> first_ranks(int count) {
  std::vector<int> ranks(static_cast<std::size_t>(count));
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

}  // namespace

mpi::Communicator communicator_of(const std::vector<int>& ranks) {
  constexpr int tag = 0;
  const RankGroup world = world_group();
  const RankGroup part = part_of(world, ranks);
  MPI_Comm comm = MPI_COMM_NULL;
  check(MPI_Comm_create_group(MPI_COMM_WORLD, part.get(), tag, &comm), "MPI_Comm_create_group");
  return mpi::Communicator(comm);
}

std::span<const CollectiveCall> collective_calls() {
  return all_calls;
}

std::vector<std::string> collective_call_names() {
  std::vector<std::string> names;
  for (const CollectiveCall& each : all_calls) names.emplace_back(each.name);
  return names;
}

CollectiveGroup::CollectiveGroup(int ranks, bool has_own_clock)
    : comm_(communicator_of(first_ranks(ranks))),
      has_own_clock_(has_own_clock),
      random_(static_cast<std::uint64_t>(comm_.rank())) {
  const int own = has_own_clock ? 1 : 0;
  check(MPI_Allreduce(&own, &other_clocks_, 1, MPI_INT, MPI_SUM, comm_.get()), "MPI_Allreduce");
}

double CollectiveGroup::now_s() const {
  return monotonic_s();
}

std::vector<CollectiveTiming> CollectiveGroup::visit(const CollectiveVisit& visit) {
  const auto calls = collective_calls();
  const auto call = std::ranges::find(calls, visit.call, &CollectiveCall::name);
  CallRequest request{call - calls.begin(), visit.bytes, visit.repetitions, visit.warm_ups};
  pass_on(request);
  const std::vector<Span> all = gather(make(request));
  const auto repetitions = static_cast<std::size_t>(visit.repetitions);
  std::vector<CollectiveTiming> timings(repetitions);
  for (std::size_t at = 0; at < all.size(); ++at) {
    CollectiveTiming& timing = timings[at % repetitions];
    timing.begun_s.push_back(all[at].begun_s);
    timing.ended_s.push_back(all[at].ended_s);
  }
  return timings;
}

void CollectiveGroup::end() {
  CallRequest nothing;
  pass_on(nothing);
}

void CollectiveGroup::serve() {
  for (CallRequest request;;) {
    pass_on(request);
    if (request.repetitions == 0) return;
    gather(make(request));
  }
}

void CollectiveGroup::pass_on(CallRequest& request) {
  check(MPI_Bcast(&request, sizeof(request), MPI_BYTE, 0, comm_.get()), "MPI_Bcast");
}

double CollectiveGroup::clock_offset_s() const {
  const bool takes_part = has_own_clock_ || comm_.rank() == 0;
  return takes_part ? mpi::measure_clock_offset_s(comm_.get(), 0, other_clocks_) : 0;
}

/// Others of the same processor are not kept from their calls meanwhile.
void CollectiveGroup::be_busy(double most_s) {
  const auto most_us = static_cast<std::uint64_t>(1e6 * most_s);
  const double until_s = monotonic_s() + 1e-6 * static_cast<double>(random_.below(most_us));
  while (monotonic_s() < until_s) std::this_thread::yield();
}

std::vector<CollectiveGroup::Span> CollectiveGroup::make(const CallRequest& request) {
  const double offset_s = clock_offset_s();
  const auto members = static_cast<std::size_t>(comm_.size());
  const auto bytes = static_cast<int>(request.bytes);
  const std::size_t all_bytes = std::max(sent_.size(), members * static_cast<std::size_t>(request.bytes));
  sent_.resize(all_bytes, std::byte{1});
  received_.resize(all_bytes, std::byte{1});
  const std::vector<int> counts(members, bytes);
  std::vector<int> places(members);
  for (std::size_t member = 1; member < members; ++member) places[member] = places[member - 1] + bytes;
  const CollectiveArguments with{comm_.get(),      bytes,         sent_.data(),
                                 received_.data(), counts.data(), places.data()};
  const CollectiveCall& call = collective_calls()[static_cast<std::size_t>(request.call)];
  for (Index i = 0; i < request.warm_ups; ++i) check(call.call(with), call.mpi_name);
  constexpr double usual_busy_s = 4e-3;
  double busy_s = usual_busy_s;
  std::vector<Span> spans;
  for (Index i = 0; i < request.repetitions; ++i) {
    check(MPI_Barrier(comm_.get()), "MPI_Barrier");
    be_busy(busy_s);
    const double begun_s = monotonic_s();
    check(call.call(with), call.mpi_name);
    const double ended_s = monotonic_s();
    spans.push_back({begun_s - offset_s, ended_s - offset_s});
    busy_s = std::max(usual_busy_s, (ended_s - begun_s) / 2);
  }
  return spans;
}

std::vector<CollectiveGroup::Span> CollectiveGroup::gather(const std::vector<Span>& own) {
  std::vector<Span> all(comm_.rank() == 0 ? own.size() * static_cast<std::size_t>(comm_.size()) : 0);
  const auto bytes = static_cast<int>(own.size() * sizeof(Span));
  check(MPI_Gather(own.data(), bytes, MPI_BYTE, all.data(), bytes, MPI_BYTE, 0, comm_.get()), "MPI_Gather");
  return all;
}

}  // namespace loadshare::tool
