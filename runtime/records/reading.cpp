#include "runtime/records/reading.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <limits>
#include <set>
#include <utility>

#include "base/io/error_text.hpp"
#include "base/io/files.hpp"
#include "base/io/json.hpp"

namespace loadshare {
namespace {

namespace fs = std::filesystem;

constexpr Index highest_rank = 999'999'999;
constexpr int known_sweep_schema = 1;
constexpr const char* what_to_give = "give what a program wrote with --json, a sweep's folder, or a profile";
constexpr const char* what_farm_to_give =
    "give what a farm application wrote with --json, or a sweep's folder";

void require_record(const Fields& record, RecordParts parts) {
  const bool needs_chunks = parts == RecordParts::farm;
  if (!record.has("schema") || !record.has("makespan_s") || !record.has("ranks") ||
      (needs_chunks && !record.has("chunks")))
    record.refuse("this is not a run record",
                  needs_chunks ? "it lacks schema, makespan_s, ranks or chunks"
                               : "it lacks schema, makespan_s or ranks",
                  needs_chunks ? what_farm_to_give : what_to_give);
  if (const nlohmann::json& schema = record.any("schema"); schema != RunRecord::schema)
    record.refuse(fmt::format("a record of schema {}", schema.dump()),
                  fmt::format("this program reads {}", RunRecord::schema), "use the loadshare that wrote it");
}

bool has_value(const Fields& fields, const char* key) {
  return fields.has(key) && !fields.is_null(key);
}

OptionValue option_value(const Fields& record, const std::string& name, const nlohmann::json& value) {
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number_integer()) return value.get<Index>();
  if (value.is_number()) return value.get<double>();
  if (value.is_string()) return value.get<std::string>();
  record.refuse("option '" + name + "' is " + value.dump(), "options are numbers, texts or true and false");
}

Role role_of(const Fields& rank) {
  const std::string role = rank.text("role");
  for (const auto& [name, known] : roles)
    if (role == name) return known;
  rank.refuse(fmt::format("unknown role '{}'", role), "it must be worker, master, working master or peer");
}

int rank_number(const Fields& rank) {
  const Index number = rank.integer("rank", 0);
  if (number > highest_rank)
    rank.refuse(fmt::format("a rank's number is {}", number), fmt::format("at most {}", highest_rank));
  return static_cast<int>(number);
}

std::vector<int> cpus_of(const Fields& rank) {
  std::vector<int> cpus;
  if (!rank.has("cpus") || !rank.any("cpus").is_array()) return cpus;
  for (const nlohmann::json& cpu : rank.any("cpus"))
    if (cpu.is_number_integer()) cpus.push_back(cpu.get<int>());
  return cpus;
}

/// Returns a rank's work. Older records contain only the number of iterations, though these may be unequal.
std::optional<double> work_of(const Fields& rank) {
  if (!rank.has("work")) return static_cast<double>(rank.integer("iterations", 0));
  return rank.is_null("work") ? std::nullopt : std::optional(rank.amount("work"));
}

RankRecord read_account(const Fields& fields) {
  RankRecord rank;
  rank.role = role_of(fields);
  rank.rank = rank_number(fields);
  rank.host = fields.text("host");
  rank.cpus = cpus_of(fields);
  if (fields.has("capacity")) rank.capacity = fields.number("capacity", 0, 1);
  if (!fields.is_null("idle_s")) rank.idle_s = fields.seconds("idle_s");
  if (fields.has("blocked_s")) rank.blocked_s = fields.seconds("blocked_s");
  if (fields.has("away_s")) rank.away_s = fields.seconds("away_s");
  rank.computing_s = fields.seconds("computing_s");
  rank.stolen_s = fields.seconds("stolen_s");
  rank.communicating_s = fields.seconds("communicating_s");
  rank.work = work_of(fields);
  return rank;
}

WorkerId worker_of(Index number, const Fields& fields, const std::string& problem) {
  if (number > UINT32_MAX) fields.refuse(problem, fmt::format("its 'worker' is {}", number));
  return WorkerId{static_cast<std::uint32_t>(number)};
}

void add_farm_parts(const Fields& fields, RankRecord& rank) {
  if (!fields.is_null("worker"))
    rank.worker = worker_of(fields.integer("worker", 0), fields, "a rank is damaged");
  if (has_value(fields, "limit")) {
    const Fields limit(fields.object("limit"), fields.place(), "a rank's limit");
    rank.limit_period_s = limit.seconds("period_s");
    rank.tick_s = limit.seconds("tick_s");
  }
  rank.chunks = fields.integer("chunks", 0);
  rank.iterations = fields.integer("iterations", 0);
  rank.coordinating_cpu_s = fields.seconds("coordinating_cpu_s");
}

std::string name_of_rank(const nlohmann::json& row, std::size_t at) {
  const bool has_number = row.is_object() && row.contains("rank") && row["rank"].is_number_integer();
  return has_number ? fmt::format("rank {}", row["rank"].get<Index>())
                    : fmt::format("row {} of 'ranks'", at + 1);
}

void read_ranks(const Fields& record, RecordParts parts, RunRecord& run) {
  const nlohmann::json& rows = record.list("ranks");
  std::size_t silent = 0;  // ranks without idle time
  for (const nlohmann::json& row : rows) {
    const Fields fields(row, record.place(), name_of_rank(row, run.ranks.size()));
    RankRecord& rank = run.ranks.emplace_back(read_account(fields));
    if (parts == RecordParts::farm) {
      if (rank.role == Role::peer)
        fields.refuse("a rank's role is 'peer'", "a farm has workers and a master");
      add_farm_parts(fields, rank);
    }
    if (fields.is_null("idle_s")) ++silent;
  }
  if (silent != 0 && silent != rows.size())
    record.refuse("only some ranks have an idle time", "the ranks are of different runs");
  run.is_idle_known = silent == 0;
}

ChunkRecord read_chunk(const nlohmann::json& line, const Fields& record, Index iterations) {
  const std::string problem = "a chunk is damaged";
  const auto refuse = [&](const char* key) {
    record.refuse(problem, fmt::format("its '{}' is {}", key, line.at(key).dump()));
  };
  const auto integer = [&](const char* key, Index least, Index most) {
    const nlohmann::json& value = line.at(key);
    const Index number = value.is_number_integer() ? value.get<Index>() : -1;
    if (number < least || number > most) refuse(key);
    return number;
  };
  const auto seconds = [&](const char* key, double least = -most_seconds, double most = most_seconds) {
    const double number = line.at(key).is_number() ? line.at(key).get<double>() : most + 1;
    if (!(number >= least && number <= most)) refuse(key);
    return number;
  };
  try {
    const Index first = integer("first", 0, iterations);
    ChunkRecord chunk{{first, integer("size", 1, iterations - first)},
                      worker_of(integer("worker", 0, std::numeric_limits<Index>::max()), record, problem),
                      seconds("assigned_s"),
                      seconds("received_s"),
                      seconds("begun_s"),
                      seconds("ended_s"),
                      seconds("returned_s"),
                      seconds("cpu_s", 0),
                      line.at("duplicate").get<bool>(),
                      0};
    // Tolerance: times are rounded, and processor time has a clock of its own.
    constexpr double close_s = 1e-3;
    const double wall_s = chunk.ended_s - chunk.begun_s;
    if (wall_s < -close_s) refuse("ended_s");
    if (line.contains("waited_s")) chunk.waited_s = seconds("waited_s", 0, wall_s + close_s);
    return chunk;
  } catch (const nlohmann::json::exception& error) {
    record.refuse(problem, error.what());
  }
}

LoopRecord read_loop(const Fields& fields, Index iterations) {
  LoopRecord loop{fields.amount("input_bytes"),
                  fields.amount("result_bytes"),
                  fields.amount("shared_bytes"),
                  fields.amount("shared_piece_bytes"),
                  {}};
  if (fields.is_null("work")) return loop;
  constexpr double most_work = 1e18;
  for (const nlohmann::json& part : fields.list("work")) {
    if (!part.is_number() || !(part.get<double>() >= 0 && part.get<double>() <= most_work))
      fields.refuse("'work' of its loop has " + part.dump(), "a part's work is a number from 0 to 1e18");
    loop.work.push_back(part.get<double>());
  }
  const Index part = LoopRecord::part_of(iterations), parts = (iterations + part - 1) / part;
  if (std::ssize(loop.work) != parts)
    fields.refuse(fmt::format("'work' of its loop has {} parts", loop.work.size()),
                  fmt::format("{} iterations have {}", iterations, parts));
  return loop;
}

ChoiceRecord read_choice(const Fields& fields) {
  ChoiceRecord choice;
  if (!fields.is_null("scheduler")) choice.scheduler = fields.text("scheduler");
  choice.predicted_s = fields.seconds("predicted_s");
  return choice;
}

JournalRecord read_journal(const Fields& fields) {
  return {.recovered = fields.integer("recovered", 0),
          .kept = fields.integer("kept", 0),
          .cpu_s = fields.has("cpu_s") ? fields.seconds("cpu_s") : 0};
}

void add_farm_parts(const Fields& record, RunRecord& run) {
  run.iteration_name = record.text("iteration_name");
  run.shared_input_s = record.seconds("shared_input_s");
  if (has_value(record, "loop"))
    run.loop = read_loop({record.object("loop"), record.place(), "its loop"}, run.iterations);
  if (has_value(record, "membership")) run.membership.emplace();  // the events are not needed
  if (has_value(record, "journal"))
    run.journal = read_journal({record.object("journal"), record.place(), "its journal"});
  if (has_value(record, "choice"))
    run.choice = read_choice({record.object("choice"), record.place(), "its choice"});
  if (record.has("etas"))
    for (const nlohmann::json& line : record.list("etas")) {
      const Fields eta(line, record.place(), "an eta");
      run.etas.push_back({eta.seconds("at_s"), eta.seconds("makespan_s")});
    }
  for (const nlohmann::json& chunk : record.list("chunks"))
    run.chunks.push_back(read_chunk(chunk, record, run.iterations));
}

/// Reads the circumstances by which runs are compared. Predictions do not need them.
void add_circumstances(const Fields& record, RecordParts parts, RunRecord& run) {
  const bool are_needed = parts == RecordParts::accounts;
  if (are_needed || record.has("transport")) run.transport = record.text("transport");
  if (are_needed || record.has("versions"))
    for (const auto& [name, version] : record.object("versions").items())
      if (version.is_string()) run.versions[name] = version.get<std::string>();
  if (!record.has("timing")) return;
  const Fields timing(record.object("timing"), record.place(), "its timing");
  run.is_thinned = timing.has("thinned") && timing.truth("thinned");
}

/// Parses a line as JSON; nothing if it is not JSON.
std::optional<nlohmann::json> parsed(const std::string& line, RecordParts parts) {
  const auto keep = [parts](int, nlohmann::json::parse_event_t event, nlohmann::json& value) {
    return parts == RecordParts::farm || event != nlohmann::json::parse_event_t::key || value != "chunks";
  };
  nlohmann::json result = nlohmann::json::parse(line, keep, false);
  if (result.is_discarded()) return std::nullopt;
  return result;
}

/// Reads the lines of one file.
class Lines {
 public:
  Lines(const std::string& path, RecordParts parts, const std::function<void(ReadRun)>& take)
      : path_(path), parts_(parts), take_(take) {}

  std::vector<std::string> read() {
    LineFile file(path_);
    std::string line;
    for (number_ = 1; file.next(line); ++number_)
      if (line.find_first_not_of(" \t\r") != std::string::npos) add(line, file.is_finished());
    notes_.insert(notes_.end(), wrong_.begin(), wrong_.end());
    return std::move(notes_);
  }

 private:
  void add(const std::string& line, bool is_finished) {
    const std::optional<nlohmann::json> value = parsed(line, parts_);
    if (value) return add(*value);
    if (!is_finished && line.front() == '{') return note("left out, because the line is incomplete");
    throw UsageError(fmt::format("{}: this line is not JSON", place()), "a record is one line", what_to_give);
  }

  void add(const nlohmann::json& line) {
    if (!line.is_object() || !line.contains("record")) return add_run(run_of(line));
    const Fields of_sweep(line, place(), "the sweep's line");
    if (of_sweep.integer("schema", 0) != known_sweep_schema)
      of_sweep.refuse(fmt::format("a sweep's run of schema {}", of_sweep.integer("schema", 0)),
                      fmt::format("this program reads {}", known_sweep_schema),
                      "use the loadshare that wrote it");
    const std::string status = of_sweep.text("status");
    if (status != "ok") return note(fmt::format("left out, because the run did not succeed ({})", status));
    add_run_of_sweep(of_sweep);
  }

  /// Adds a run of a sweep. An invalid run, or one with less data, does not prevent reading the others.
  void add_run_of_sweep(const Fields& line) {
    try {
      ReadRun run = run_of(line.object("record"));
      run.experiment = line.text("experiment");
      run.point = line.text("point");
      if (line.has("repetition")) run.repetition = line.integer("repetition", 0);
      add_run(std::move(run));
    } catch (const UsageError& error) {
      notes_.push_back(fmt::format("{}; left out", error.what()));
    }
  }

  /// Adds a run, unless its result is wrong: its times are then not those of the problem.
  void add_run(ReadRun run) {
    if (run.record.verified == false)
      return wrong_.push_back(fmt::format("{}: left out, because the run's result is wrong", place()));
    take_(std::move(run));
  }

  ReadRun run_of(const nlohmann::json& record) const {
    ReadRun run;
    run.record = read_record(record, place(), parts_);
    run.place = place();
    return run;
  }

  std::string place() const { return fmt::format("{}:{}", path_, number_); }
  void note(const std::string& text) { notes_.push_back(fmt::format("{}: {}", place(), text)); }

  const std::string& path_;
  RecordParts parts_;
  const std::function<void(ReadRun)>& take_;
  int number_ = 0;
  std::vector<std::string> notes_;
  std::vector<std::string> wrong_;  // notes that follow the others
};

constexpr const char* measured_rounds = "rounds_per_second";

/// Options that follow from the number of ranks or from other options.
constexpr std::array derived{"workers",      "ranks",          "wait_in_force", "least_makespan_s",
                             "cost_total_s", "cost_dearest_s", "cost_cv"};
/// Options about the result: findings, its verification and its file.
constexpr std::array of_the_result{"escape_iterations", "verified_points", "verify", "image", "y", "c"};
/// Options for chunks of lost workers, which older records do not contain.
constexpr std::array of_losses{"copies", "crash_limit"};

bool is_setting(const std::string& name, bool repeats) {
  if (name == measured_rounds) return repeats;
  return std::ranges::find(derived, name) == derived.end() &&
         std::ranges::find(of_the_result, name) == of_the_result.end() &&
         std::ranges::find(of_losses, name) == of_losses.end();
}

}  // namespace

RunRecord read_record(const nlohmann::json& line, const std::string& place, RecordParts parts) {
  const Fields record(line, place);
  require_record(record, parts);
  if (parts == RecordParts::farm && record.is_null("scheduler"))
    record.refuse("the run had no master", "its work was not given out in chunks", what_farm_to_give);
  RunRecord run;
  run.app = record.text("app");
  if (!record.is_null("scheduler")) run.scheduler = record.text("scheduler");
  run.makespan_s = record.seconds("makespan_s");
  if (!(run.makespan_s > 0))
    record.refuse("the run time is 0 s", "a run without duration cannot be evaluated",
                  "make the problem larger");
  read_ranks(record, parts, run);
  run.workers = record.integer("workers", 1);
  run.iterations = record.integer("iterations", 0);
  if (has_value(record, "seed")) run.seed = record.integer("seed", 0);
  if (record.any("verified").is_boolean()) run.verified = record.any("verified").get<bool>();
  for (const auto& [name, value] : record.object("options").items())
    run.options[name] = option_value(record, name, value);
  if (has_value(record, "load"))
    run.load = LoadRecord{Fields(record.object("load"), place, "'load'").text("spec"), {}};
  add_circumstances(record, parts, run);
  if (parts == RecordParts::farm) add_farm_parts(record, run);
  return run;
}

std::vector<std::string> read_records(const std::string& path, RecordParts parts,
                                      const std::function<void(ReadRun)>& take) {
  return Lines(path, parts, take).read();
}

std::vector<std::string> files_behind(const std::string& path) {
  std::error_code failure;
  const fs::file_status status = fs::status(path, failure);
  if (!fs::exists(status)) throw UsageError(fmt::format("cannot read {}", path), error_text(ENOENT));
  if (!fs::is_directory(status)) return {path};
  const fs::path folder(path);
  if (!fs::exists(folder / "runs.jsonl", failure))
    throw UsageError(fmt::format("{} is not a sweep's folder", path), "it has no runs.jsonl",
                     "name a file, or the folder that loadshare sweep wrote");
  return {(folder / "runs.jsonl").string(), (folder / "sweep.json").string()};
}

void require_each_once(const std::vector<std::string>& paths) {
  std::set<fs::path> seen;
  for (const std::string& path : paths) {
    std::error_code failure;
    if (!seen.insert(fs::weakly_canonical(files_behind(path).front(), failure)).second)
      throw UsageError(fmt::format("{} is given twice", path), "each run counts once", "name it once");
  }
}

std::map<std::string, OptionValue> setting_options(const std::map<std::string, OptionValue>& options) {
  const bool repeats = repeats_work(options);
  std::map<std::string, OptionValue> own = options;
  std::erase_if(own, [repeats](const auto& option) { return !is_setting(option.first, repeats); });
  return own;
}

bool repeats_work(const std::map<std::string, OptionValue>& options) {
  const auto measured = options.find("rounds_are_measured");
  return measured == options.end() || measured->second != OptionValue(true);
}

std::string without_seed(std::string load) {
  constexpr std::string_view seed = ",seed=";
  const std::size_t from = load.find(seed);
  if (from == std::string::npos) return load;
  return load.erase(from, load.find(',', from + seed.size()) - from);
}

}  // namespace loadshare
