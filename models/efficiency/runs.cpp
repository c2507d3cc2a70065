#include "models/efficiency/runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>

#include "base/error.hpp"
#include "profiler/profile.hpp"
#include "runtime/records/reading.hpp"

namespace loadshare::granularity {
namespace {

/// Share of the run; to be away for less is not worth a word.
constexpr double away_tolerance = 0.01;

constexpr const char* made_whole = "make the run again";

/// A quota would make the whole slowness of a slow host look stolen: see TimesAtHostSpeed.
RankTimes times_of(const RankRecord& rank) {
  const TimesAtHostSpeed times = at_host_speed(rank);
  return {rank.rank,
          rank.host,
          rank.capacity,
          times.computing_s,
          times.communicating_s,
          times.idle_s,
          times.stolen_s,
          rank.away_s,
          rank.work > 0 ? rank.work : std::nullopt};
}

[[noreturn]] void refuse(const std::string& place, const std::string& problem, const std::string& why) {
  throw UsageError(fmt::format("{}: {}", place, problem), why, made_whole);
}

template <class Value>
bool is_option(const RunRecord& run, const char* name, const Value& value) {
  const auto found = run.options.find(name);
  return found != run.options.end() && found->second == OptionValue(value);
}

void require_all_ranks(const RunRecord& run, const RunTimes& times, const std::string& place) {
  if (const auto option = run.options.find("workers"); option != run.options.end())
    if (option->second != OptionValue(run.workers))
      refuse(
          place,
          fmt::format("'workers' is {}, but {} among the options", run.workers,
                      std::visit([](const auto& value) { return fmt::format("{}", value); }, option->second)),
          "runs are mixed up");
  const Index working =
      std::ranges::count_if(run.ranks, [](const RankRecord& rank) { return rank.role != Role::master; });
  if (working != run.workers)
    refuse(place, fmt::format("{} of {} workers are in 'ranks'", working, run.workers),
           "ranks are missing or too many");
  std::set<int> numbers;
  for (const RankTimes& rank : times.ranks) numbers.insert(rank.rank);
  if (numbers.size() != times.ranks.size()) refuse(place, "a rank appears twice", "runs are mixed up");
  if (*numbers.rbegin() - *numbers.begin() + 1 != static_cast<int>(numbers.size()))
    refuse(place, "the numbers of the ranks have gaps", "some ranks are missing, or belong to another run");
}

/// Where ranks are MPI's, the first is 0; and somebody coordinates.
void require_first_rank_and_master(const RunRecord& run, const RunTimes& times, const std::string& place) {
  if (run.transport != "mpi") return;
  const int lowest = times.ranks.front().rank;
  if (lowest != 0)
    refuse(place, fmt::format("the lowest rank is {}", lowest), "MPI's ranks begin at 0: some are missing");
  const bool has_master_row =
      std::ranges::find(run.ranks, Role::master, &RankRecord::role) != run.ranks.end();
  if (is_option(run, "master", std::string("coordinates")) && !has_master_row && times.ranks.size() > 1)
    refuse(place, "the master is not in 'ranks'", "it only coordinates, as a rank of its own");
}

/// The ranks that count as processors, and remarks on those that only coordinate.
void add_ranks(const RunRecord& record, SourcedRun& run) {
  std::vector<RankProcessors> processors;
  for (const RankRecord& rank : record.ranks) {
    const bool only_coordinates = rank.role == Role::master;
    if (only_coordinates && record.transport == "threads") {
      run.remarks.emplace_back("the master's thread has no processor of its own and is left out");
      continue;
    }
    run.times.ranks.push_back(times_of(rank));
    processors.push_back({rank.host, rank.cpus});
    if (rank.away_s > away_tolerance * record.makespan_s)
      run.remarks.push_back(
          fmt::format("rank {} was absent for {:.0f} % of the run, which does not count as its time",
                      rank.rank, rank.away_s / record.makespan_s * 100));
    if (only_coordinates)
      run.remarks.push_back(fmt::format(
          "rank {} only coordinates; it counts as a processor, in the load balance too", rank.rank));
  }
  std::ranges::move(remarks_on_shared_processors(processors), std::back_inserter(run.remarks));
  std::ranges::sort(run.times.ranks, {}, &RankTimes::rank);
}

/// Peers share work that may depend on how many they are; their options alone say what the problem is.
Setting setting_of(const RunRecord& run) {
  Setting setting{run.app, setting_options(run.options)};
  if (!run.scheduler.empty()) {
    setting.options["iterations"] = run.iterations;
    setting.options["scheduler"] = run.scheduler;
  }
  setting.options["transport"] = run.transport;
  if (run.seed) setting.options["seed"] = *run.seed;
  if (run.load) setting.options[load_option] = without_seed(run.load->spec);
  return setting;
}

/// Throws UsageError, beginning with the run's place, where ranks are missing or its account does not close.
SourcedRun sourced(const ReadRun& read) {
  const RunRecord& record = read.record;
  SourcedRun run;
  run.place = read.place;
  run.repetition = read.repetition;
  run.times.program = record.app;
  run.times.run_s = record.makespan_s;
  run.times.tells_idle = record.is_idle_known;
  add_ranks(record, run);
  require_all_ranks(record, run.times, run.place);
  require_first_rank_and_master(record, run.times, run.place);
  const auto lacks_work = [](const RankRecord& rank) { return rank.role != Role::master && !rank.work; };
  if (record.is_thinned && std::ranges::any_of(record.ranks, lacks_work))
    run.remarks.push_back(
        "chunks were too short to be timed one by one: the work of each rank, and so its speed, is not "
        "known");
  require_sound(run.times, run.place + ": ");
  run.setting = setting_of(record);
  if (read.experiment) run.setting.options[experiment_option] = *read.experiment;
  run.repeats_work = repeats_work(record.options);
  if (const auto version = record.versions.find("loadshare"); version != record.versions.end())
    run.version = version->second;
  return run;
}

bool has_ended(const profile::Profile& profile) {
  return profile.ranks.size() == static_cast<std::size_t>(profile.ranks_started) &&
         std::ranges::all_of(profile.ranks, &profile::RankProfile::has_finalized);
}

void add_capacities(RunTimes& times, const profile::Profile& profile) {
  std::map<int, double> capacities;
  for (const profile::RankProfile& rank : profile.ranks) capacities[rank.rank] = rank.capacity;
  for (RankTimes& rank : times.ranks)
    if (const auto found = capacities.find(rank.rank); found != capacities.end())
      rank.capacity = found->second;
}

std::vector<std::string> remarks_on(const profile::Profile& profile) {
  std::vector<RankProcessors> ranks;
  for (const profile::RankProfile& rank : profile.ranks) ranks.push_back({rank.host, rank.cpus});
  return remarks_on_shared_processors(ranks);
}

void add_places(SourcedRun& run, const profile::Profile& profile, waiting::Extent extent) {
  if (run.times.ranks.empty()) return;
  const auto busiest = std::ranges::max_element(run.times.ranks, {}, &RankTimes::computing_s);
  run.excess =
      waiting::excess_of(profile, static_cast<std::uint32_t>(busiest - run.times.ranks.begin()), extent);
  profile::CodePlaces places = profile::code_places(profile, run.place);
  run.code = std::move(places.by_place);
  std::ranges::move(places.notes, std::back_inserter(run.remarks));
}

/// The run that a profile tells (what libloadshare_profile.so wrote of any MPI program). What makes it
/// partial stands in the notes of its times. Throws UsageError, beginning with the path, where the account
/// does not close, and Error as profile::read_profile() does.
SourcedRun read_profile_run(const std::string& path, const ProfileQuestion& question) {
  SourcedRun run;
  run.place = path;
  const profile::Profile profile = profile::read_profile(path);
  const waiting::Matching matching(profile, question.eager);
  const bool has_both = waiting::says_what_counts(profile);
  const waiting::Extent extent = has_both ? question.extent : waiting::Extent::whole;
  run.times = waiting::account(matching, extent);
  if (extent == waiting::Extent::counted) run.whole = waiting::account(matching);
  add_capacities(run.times, profile);
  run.remarks = remarks_on(profile);
  run.mpi = profile.mpi;
  run.has_ended = has_ended(profile);
  run.losses = waiting::losses(matching, extent);
  add_places(run, profile, extent);
  require_sound(run.times, path + ": ");
  run.setting.program = run.times.program;
  // What a program tells of itself is another measurement than what is seen of it from outside.
  run.setting.options[measured_by_option] = std::string("profile");
  if (run.whole) run.setting.options[part_option] = std::string("what counts");
  return run;
}

/// Ranks, and the processors that they may use between them.
struct Sharing {
  std::size_t ranks = 0;
  std::set<int> cpus;

  void add(const std::set<int>& of_them, std::size_t more) {
    ranks += more;
    cpus.insert(of_them.begin(), of_them.end());
  }
  bool is_tight() const { return ranks > cpus.size(); }
};

using Bindings = std::map<std::set<int>, std::size_t>;  ///< how many ranks may run on just these processors

/// Those of a host that are more than their processors: all of them, or those bound to the same few.
Sharing tight_ones(const Bindings& bindings) {
  Sharing all;
  Sharing bound;
  for (const auto& [cpus, ranks] : bindings) {
    all.add(cpus, ranks);
    if (ranks > cpus.size()) bound.add(cpus, ranks);
  }
  return all.is_tight() ? all : bound;
}

}  // namespace

std::vector<std::string> remarks_on_shared_processors(const std::vector<RankProcessors>& ranks,
                                                      std::string_view consequence) {
  std::map<std::string, Bindings> hosts;
  for (const RankProcessors& rank : ranks)
    if (!rank.cpus.empty()) ++hosts[rank.host][{rank.cpus.begin(), rank.cpus.end()}];
  std::vector<std::string> remarks;
  for (const auto& [name, bindings] : hosts)
    if (const Sharing tight = tight_ones(bindings); tight.is_tight())
      remarks.push_back(fmt::format("{} ranks of host {} share {} {}: {}", tight.ranks, name,
                                    tight.cpus.size(), tight.cpus.size() == 1 ? "processor" : "processors",
                                    consequence));
  return remarks;
}

Source runs_of(const std::string& path, const ProfileQuestion& question) {
  const std::string file = files_behind(path).front();
  if (profile::is_profile(file)) return {{read_profile_run(file, question)}, {}};
  Source source;
  source.notes = read_records(file, RecordParts::accounts,
                              [&](const ReadRun& run) { source.runs.push_back(sourced(run)); });
  if (!source.runs.empty()) return source;
  throw UsageError(fmt::format("{} holds no runs", file),
                   source.notes.empty() ? "it is empty" : source.notes.front(),
                   "give what a program wrote with --json, or a profile");
}

}  // namespace loadshare::granularity
