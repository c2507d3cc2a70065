#include "apps/loadshare/metrics/sources.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "apps/loadshare/record_stream.hpp"
#include "base/error.hpp"
#include "base/io/files.hpp"
#include "profiler/profile.hpp"

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

/// Fills the times of `run` with the ranks of a run record, and remarks on ranks that only coordinate.
///
/// The records tell processor time and, as stolen, the wall time beside it. On a host with a quota that would
/// call the whole slowness of a slow host stolen; so of the time a rank was busy, what it computed at the
/// speed that its host grants (processor time / capacity) is T_comp, and only the rest was stolen.
///
/// Throws UsageError where ranks are missing or a field is.
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

/// The run that a run record (what programs write with --json) tells. Throws UsageError, beginning with
/// `place`, where it is of another schema, is no record, lacks ranks or fields, or where its account does not
/// close.
SourcedRun read_run_record(const nlohmann::json& record, const std::string& place);

void require_record(const Fields& record) {
  constexpr const char* suggestion = "give what a program wrote with --json, a sweep's folder, or a profile";
  if (!record.has("schema") || !record.has("makespan_s") || !record.has("ranks"))
    record.refuse("this is no run record", "it lacks schema, makespan_s or ranks", suggestion);
  if (const nlohmann::json& schema = record.any("schema"); schema != RunRecord::schema)
    record.refuse(fmt::format("a record of schema {}", schema.dump()),
                  fmt::format("this program reads {}", RunRecord::schema), "use the loadshare that wrote it");
}

/// Whether the run timed its chunks one by one; else nobody knows which rank did how much.
bool is_thinned(const Fields& record) {
  return record.has("timing") && record.object("timing").value("thinned", false);
}

SourcedRun read_run_record(const nlohmann::json& line, const std::string& place) {
  const Fields record(line, place);
  require_record(record);
  SourcedRun run;
  run.place = place;
  run.times.program = record.text("app");
  run.times.run_s = record.seconds("makespan_s");
  read_record_ranks(record, run);
  run.is_right = record.any("verified") != false;
  if (is_thinned(record))
    run.remarks.push_back(
        "chunks were too short to time each: which rank did how much, and so its speed, is not known");
  granularity::require_sound(run.times, place + ": ");
  run.setting = read_setting(record);
  run.repeats_work = repeats_work(record);
  const nlohmann::json& versions = record.object("versions");
  if (versions.contains("loadshare") && versions["loadshare"].is_string())
    run.version = versions["loadshare"];
  return run;
}

/// The runs of a file with a JSON record a line: a program's own, or that of a sweep around it. Errors and
/// omissions are those of runs_of().
Source read_record_lines(const std::string& path) {
  Source source;
  std::vector<std::string> wrong;
  std::vector<std::string> notes = read_records(path, WithChunks::no, [&](const RecordLine& line) {
    SourcedRun run = read_run_record(line.record, line.place);
    if (line.experiment) run.setting.options[experiment_option] = *line.experiment;
    // Whose result was wrong did not compute the problem; its times are those of something else.
    if (run.is_right)
      source.runs.push_back(std::move(run));
    else
      wrong.push_back(fmt::format("{}: left out, for the run's result was found wrong", line.place));
  });
  source.notes = std::move(notes);
  source.notes.insert(source.notes.end(), wrong.begin(), wrong.end());
  return source;
}

bool has_ended(const profile::Profile& profile) {
  return profile.ranks.size() == static_cast<std::size_t>(profile.ranks_started) &&
         std::ranges::all_of(profile.ranks, &profile::RankProfile::has_finalized);
}

void add_capacities(granularity::RunTimes& times, const profile::Profile& profile) {
  std::map<int, double> capacities;
  for (const profile::RankProfile& rank : profile.ranks) capacities[rank.rank] = rank.capacity;
  for (granularity::RankTimes& rank : times.ranks)
    if (const auto found = capacities.find(rank.rank); found != capacities.end())
      rank.capacity = found->second;
}

std::vector<std::string> remarks_on(const profile::Profile& profile) {
  std::vector<RankProcessors> ranks;
  for (const profile::RankProfile& rank : profile.ranks) ranks.push_back({rank.host, rank.cpus});
  return remarks_on_shared_processors(ranks);
}

/// The run that a profile tells (what libloadshare_profile.so wrote of any MPI program). What makes it
/// partial stands in the notes of its times. Throws UsageError, beginning with the path, where the account
/// does not close, and Error as profile::read_profile() does.
SourcedRun read_profile_run(const std::string& path) {
  SourcedRun run;
  run.place = path;
  const profile::Profile profile = profile::read_profile(path);
  const waiting::Matching matching(profile);
  run.times = waiting::account(matching);
  add_capacities(run.times, profile);
  run.remarks = remarks_on(profile);
  run.has_ended = has_ended(profile);
  run.losses = waiting::losses(matching);
  granularity::require_sound(run.times, path + ": ");
  run.setting.program = run.times.program;
  // What a program tells of itself is another measurement than what is seen of it from outside.
  run.setting.options[measured_by_option] = std::string("profile");
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

constexpr const char* measured_rounds = "rounds_per_second";

/// They follow from the number of ranks, or from the other options.
constexpr std::array derived{"workers",      "ranks",          "wait_in_force", "least_makespan_s",
                             "cost_total_s", "cost_dearest_s", "cost_cv"};

/// What was found out, how the result was looked at, and where it went.
constexpr std::array of_the_result{"escape_iterations", "verified_points", "verify", "image", "y", "c"};

bool is_setting(const std::string& name, bool repeats) {
  if (name == measured_rounds) return repeats;
  return std::ranges::find(derived, name) == derived.end() &&
         std::ranges::find(of_the_result, name) == of_the_result.end();
}

OptionValue option_value(const Fields& record, const std::string& name, const nlohmann::json& value) {
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number_integer()) return value.get<Index>();
  if (value.is_number()) return value.get<double>();
  if (value.is_string()) return value.get<std::string>();
  record.refuse("option '" + name + "' is " + value.dump(), "options are numbers, texts or true and false");
}

namespace fs = std::filesystem;

constexpr const char* runs_name = "runs.jsonl";
constexpr const char* manifest_name = "sweep.json";

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

std::string without_seed(std::string load) {
  constexpr std::string_view seed = ",seed=";
  const std::size_t from = load.find(seed);
  if (from == std::string::npos) return load;
  return load.erase(from, load.find(',', from + seed.size()) - from);
}

std::map<std::string, OptionValue> setting_options(const std::map<std::string, OptionValue>& options) {
  const auto measured = options.find("rounds_are_measured");
  const bool repeats = measured == options.end() || measured->second != OptionValue(true);
  std::map<std::string, OptionValue> own = options;
  std::erase_if(own, [repeats](const auto& option) { return !is_setting(option.first, repeats); });
  return own;
}

bool repeats_work(const Fields& record) {
  const nlohmann::json& options = record.object("options");
  return !options.contains("rounds_are_measured") || options["rounds_are_measured"] != true;
}

Setting read_setting(const Fields& record) {
  Setting setting;
  setting.program = record.text("app");
  const bool repeats = repeats_work(record);
  for (const auto& [name, value] : record.object("options").items())
    if (is_setting(name, repeats)) setting.options[name] = option_value(record, name, value);
  // Peers share work that may depend on how many they are; their options alone say what the problem is.
  if (!record.is_null("scheduler")) setting.options["iterations"] = record.whole("iterations", 0);
  setting.options["transport"] = record.text("transport");
  if (!record.is_null("scheduler")) setting.options["scheduler"] = record.text("scheduler");
  if (!record.is_null("seed")) setting.options["seed"] = record.whole("seed", 0);
  if (!record.is_null("load"))
    setting.options[load_option] =
        without_seed(Fields(record.object("load"), record.place(), "'load'").text("spec"));
  return setting;
}

std::vector<std::string> files_behind(const std::string& path) {
  std::error_code failure;
  const fs::file_status status = fs::status(path, failure);
  if (!fs::exists(status)) throw UsageError(fmt::format("cannot read {}", path), system_reason(ENOENT));
  if (!fs::is_directory(status)) return {path};
  const fs::path folder(path);
  if (!fs::exists(folder / runs_name, failure))
    throw UsageError(fmt::format("{} is not a sweep's folder", path), "it has no runs.jsonl",
                     "name a file, or the folder that loadshare sweep wrote");
  return {(folder / runs_name).string(), (folder / manifest_name).string()};
}

Source runs_of(const std::string& path) {
  const std::string file = files_behind(path).front();
  if (profile::is_profile(file)) return {{read_profile_run(file)}, {}};
  Source source = read_record_lines(file);
  if (!source.runs.empty()) return source;
  throw UsageError(fmt::format("{} holds no runs", file),
                   source.notes.empty() ? "it is empty" : source.notes.front(),
                   "give what a program wrote with --json, or a profile");
}

}  // namespace loadshare::tool
