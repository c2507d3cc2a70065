#include "apps/loadshare/metrics/record_ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>

#include "apps/loadshare/metrics/shared_processors.hpp"
#include "runtime/timing/records.hpp"

namespace loadshare::tool {
namespace {

using granularity::RankTimes;
using granularity::RunTimes;

constexpr Index highest_rank = 999'999'999;
constexpr const char* made_whole = "make the run again";

double capacity_of(const Fields& rank) {
  return rank.has("capacity") ? rank.number("capacity", 0, 1) : 1;  // older records have none
}

/// Older records tell iterations only; those may be unequal, but nothing better is known.
std::optional<double> work_of(const Fields& rank) {
  if (rank.has("work") && rank.is_null("work")) return std::nullopt;
  const double work =
      rank.has("work") ? rank.amount("work") : static_cast<double>(rank.whole("iterations", 0));
  return work > 0 ? std::optional(work) : std::nullopt;
}

int rank_number(const Fields& rank) {
  const Index number = rank.whole("rank", 0);
  if (number > highest_rank)
    rank.refuse(fmt::format("a rank's number is {}", number), fmt::format("at most {}", highest_rank));
  return static_cast<int>(number);
}

RankTimes rank_times(const Fields& rank) {
  RankTimes times;
  times.rank = rank_number(rank);
  times.host = rank.text("host");
  times.capacity = capacity_of(rank);
  const double idle_s = rank.is_null("idle_s") ? 0 : rank.seconds("idle_s");
  const TimesAtHostSpeed at_speed = at_host_speed({.computing_s = rank.seconds("computing_s"),
                                                   .stolen_s = rank.seconds("stolen_s"),
                                                   .communicating_s = rank.seconds("communicating_s"),
                                                   .idle_s = idle_s},
                                                  times.capacity);
  times.computing_s = at_speed.computing_s;
  times.stolen_s = at_speed.stolen_s;
  times.communicating_s = at_speed.communicating_s;
  times.idle_s = at_speed.idle_s;
  times.work = work_of(rank);
  return times;
}

/// Older records do not tell.
RankProcessors processors_of(const Fields& rank, const nlohmann::json& row) {
  RankProcessors processors{rank.text("host"), {}};
  if (!row.contains("cpus") || !row["cpus"].is_array()) return processors;
  for (const nlohmann::json& cpu : row["cpus"])
    if (cpu.is_number_integer()) processors.cpus.push_back(cpu.get<int>());
  return processors;
}

std::string rank_name(const nlohmann::json& row, std::size_t at) {
  const bool has_number = row.is_object() && row.contains("rank") && row["rank"].is_number_integer();
  return has_number ? fmt::format("rank {}", row["rank"].get<Index>())
                    : fmt::format("row {} of 'ranks'", at + 1);
}

bool is_master_only(const Fields& rank) {
  return rank.text("role") == role_name(Role::master);
}

void require_known_role(const Fields& rank) {
  const std::string role = rank.text("role");
  for (const Role known : {Role::worker, Role::master, Role::working_master, Role::peer})
    if (role == role_name(known)) return;
  rank.refuse(fmt::format("unknown role '{}'", role), "there are worker, master, working master and peer");
}

/// Whether waiting is told apart, which all ranks must agree on.
bool tells_idle(const Fields& record) {
  const nlohmann::json& rows = record.list("ranks");
  const auto silent = std::ranges::count_if(rows, [](const nlohmann::json& row) {
    return row.is_object() && row.contains("idle_s") && row["idle_s"].is_null();
  });
  if (silent != 0 && silent != static_cast<std::ptrdiff_t>(rows.size()))
    record.refuse("some ranks tell their idle time and some do not", "the ranks are of different runs");
  return silent == 0;
}

void require_all_ranks(const Fields& record, const RunTimes& times, Index working) {
  const Index workers = record.whole("workers", 1);
  const nlohmann::json& options = record.object("options");
  if (options.contains("workers") && options["workers"] != workers)
    record.refuse(fmt::format("'workers' is {} and among the options {}", workers, options["workers"].dump()),
                  "runs are mixed up", made_whole);
  if (working != workers)
    record.refuse(fmt::format("{} of {} workers are in 'ranks'", working, workers),
                  "ranks are missing or too many", made_whole);
  std::set<int> numbers;
  for (const RankTimes& rank : times.ranks) numbers.insert(rank.rank);
  if (numbers.size() != times.ranks.size())
    record.refuse("a rank is there twice", "runs are mixed up", made_whole);
  if (*numbers.rbegin() - *numbers.begin() + 1 != static_cast<int>(numbers.size()))
    record.refuse("the ranks have gaps between them", "some are missing, or are of another run", made_whole);
}

/// Where ranks are MPI's, the first is 0; and somebody coordinates.
void require_first_rank_and_master(const Fields& record, const RunTimes& times, bool has_master_row) {
  if (record.text("transport") != "mpi") return;
  const int lowest = std::ranges::min(times.ranks, {}, &RankTimes::rank).rank;
  if (lowest != 0)
    record.refuse(fmt::format("the lowest rank is {}", lowest), "MPI's ranks begin with 0: some are missing",
                  made_whole);
  const nlohmann::json& options = record.object("options");
  const bool has_own_master = options.contains("master") && options["master"] == "coordinates";
  if (has_own_master && !has_master_row && times.ranks.size() > 1)
    record.refuse("the master is not in 'ranks'", "it only coordinates, as a rank of its own", made_whole);
}

}  // namespace

void read_record_ranks(const Fields& record, SourcedRun& run) {
  RunTimes& times = run.times;
  const bool is_threads = record.text("transport") == "threads";
  times.tells_idle = tells_idle(record);
  Index working = 0;
  bool has_master_row = false;
  const nlohmann::json& rows = record.list("ranks");
  std::vector<RankProcessors> processors;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Fields rank(rows[i], record.place(), rank_name(rows[i], i));
    require_known_role(rank);
    const bool only_coordinates = is_master_only(rank);
    if (!only_coordinates) ++working;
    has_master_row = has_master_row || only_coordinates;
    if (only_coordinates && is_threads) {
      run.remarks.emplace_back("the master's thread has no processor of its own and is left out");
      continue;
    }
    times.ranks.push_back(rank_times(rank));
    processors.push_back(processors_of(rank, rows[i]));
    if (only_coordinates)
      run.remarks.push_back(
          fmt::format("rank {} only coordinates; it counts as a processor, in the load balance too",
                      times.ranks.back().rank));
  }
  std::ranges::move(remarks_on_shared_processors(processors), std::back_inserter(run.remarks));
  require_all_ranks(record, times, working);
  require_first_rank_and_master(record, times, has_master_row);
  std::ranges::sort(times.ranks, {}, &RankTimes::rank);
}

}  // namespace loadshare::tool
