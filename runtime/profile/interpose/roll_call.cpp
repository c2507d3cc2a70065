#include "runtime/profile/interpose/roll_call.hpp"

#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "runtime/profile/interpose/ticks.hpp"

namespace loadshare::profile {
namespace {

// MPI_Init lets all ranks go at about the same time. The others' patience is more than rank 0's, so that all
// believe the same.
constexpr std::int64_t patience_ns = 5'000'000'000;
constexpr std::int64_t patience_for_rank_0_ns = 20'000'000'000;
constexpr const char* all = "all";
constexpr const char* some = "some";

/// What is not found is an error of MPI's, for which the program must not end.
class ErrorsReturn final {
 public:
  ErrorsReturn() {
    PMPI_Comm_get_errhandler(MPI_COMM_WORLD, &before_);
    PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  }
  ErrorsReturn(const ErrorsReturn&) = delete;
  ErrorsReturn& operator=(const ErrorsReturn&) = delete;
  ~ErrorsReturn() {
    PMPI_Comm_set_errhandler(MPI_COMM_WORLD, before_);
    PMPI_Errhandler_free(&before_);
  }

 private:
  MPI_Errhandler before_ = MPI_ERRHANDLER_NULL;
};

/// Of this job: its children by MPI_Comm_spawn ask the same mpirun.
std::array<char, 200> name_of(const char* what, int rank) {
  std::array<char, 200> name{};
  const char* job = std::getenv("PMIX_NAMESPACE");
  std::snprintf(name.data(), name.size(), "loadshare.profile.%.100s.%s.%d", job == nullptr ? "" : job, what,
                rank);
  return name;
}

bool publish(const char* what, int rank, const char* text) {
  return PMPI_Publish_name(name_of(what, rank).data(), MPI_INFO_NULL, text) == MPI_SUCCESS;
}

bool look_up(const char* what, int rank, std::array<char, MPI_MAX_PORT_NAME>& text) {
  return PMPI_Lookup_name(name_of(what, rank).data(), MPI_INFO_NULL, text.data()) == MPI_SUCCESS;
}

/// Whether it was published before `until_ns`.
bool await(const char* what, int rank, std::int64_t until_ns, std::array<char, MPI_MAX_PORT_NAME>& text) {
  for (useconds_t nap_us = 200; !look_up(what, rank, text);
       nap_us = std::min<useconds_t>(2 * nap_us, 20'000)) {
    if (nanoseconds(CLOCK_MONOTONIC) > until_ns) return false;
    usleep(nap_us);
  }
  return true;
}

RollCall someone_is_missing(int rank) {
  RollCall found{.are_all_here = false, .missing = {}};
  std::snprintf(found.missing.text.data(), found.missing.text.size(),
                "rank %d is not profiled (LD_PRELOAD was not given to all ranks)", rank);
  return found;
}

RollCall call_all(int ranks) {
  const std::int64_t until_ns = nanoseconds(CLOCK_MONOTONIC) + patience_ns;
  std::array<char, MPI_MAX_PORT_NAME> text{};
  int rank = 1;
  while (rank < ranks && await("rank", rank, until_ns, text)) ++rank;
  publish("all", 0, rank == ranks ? all : some);
  return rank == ranks ? RollCall{} : someone_is_missing(rank);
}

/// Where there is no rank 0 the first of the others says so.
RollCall hear_from_rank_0(int own_rank) {
  std::array<char, MPI_MAX_PORT_NAME> text{};
  if (await("all", 0, nanoseconds(CLOCK_MONOTONIC) + patience_for_rank_0_ns, text))
    return {.are_all_here = std::strcmp(text.data(), all) == 0, .missing = {}};
  for (int rank = 1; rank < own_rank; ++rank)
    if (look_up("rank", rank, text)) return {.are_all_here = false, .missing = {}};
  return someone_is_missing(0);
}

}  // namespace

/// Where nothing can be published there is no mpirun, and who starts the ranks otherwise gives them all the
/// same environment.
RollCall call_the_roll() {
  int rank = 0;
  int ranks = 1;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const ErrorsReturn guard;
  if (ranks == 1 || !publish("rank", rank, "here")) return {};
  return rank == 0 ? call_all(ranks) : hear_from_rank_0(rank);
}

}  // namespace loadshare::profile
