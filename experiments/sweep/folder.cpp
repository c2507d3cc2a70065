#include "experiments/sweep/folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <functional>
#include <optional>
#include <thread>

#include "base/error.hpp"
#include "base/io/error_text.hpp"
#include "base/io/file_lock.hpp"
#include "base/io/files.hpp"
#include "base/io/text.hpp"
#include "experiments/sweep/settings.hpp"

namespace loadshare::sweep {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

/// Converts a value to JSON. Flags become booleans. Texts written as JSON writes a number become numbers:
/// `720` and `0.5`, but neither `010` nor quoted text. All others stay text.
ordered_json to_json(const Scalar& value) {
  if (value.is_flag()) return value.text == "true";
  if (value.is_quoted) return value.text;
  const ordered_json number = ordered_json::parse(value.text, nullptr, false);
  return number.is_number() && number.dump() == value.text ? number : ordered_json(value.text);
}

ordered_json to_json(const Parameters& parameters) {
  ordered_json json = ordered_json::object();
  for (const auto& [axis, value] : parameters) json[axis] = to_json(value);
  return json;
}

/// Returns a line of JSON; bytes that are not UTF-8 are replaced.
std::string one_line(const ordered_json& json) {
  return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

/// Rounds to microseconds, because further digits are noise.
double rounded(double seconds) {
  return std::round(seconds * 1e6) / 1e6;
}

constexpr int log_schema = 1;

void require_schema(const nlohmann::json& line, const std::string& path, int number) {
  if (line.at("schema") != log_schema)
    throw UsageError(fmt::format("{}:{}:1: this run has schema {}", path, number, line["schema"].dump()),
                     fmt::format("this version reads schema {}", log_schema),
                     "name another folder with --out");
}

LoggedRun logged(const nlohmann::json& line) {
  LoggedRun run;
  run.point = line.at("point").get<std::string>();
  run.repetition = line.at("repetition").get<Index>();
  run.is_ok = line.at("status") == "ok";
  if (run.is_ok) run.makespan_s = line.at("record").at("makespan_s").get<double>();
  return run;
}

/// Calls `visit(line, number)` for each complete line. Returns their total number of bytes.
std::uintmax_t each_line(const std::string& path, const std::function<void(const std::string&, int)>& visit) {
  if (!fs::exists(path)) return 0;
  LineFile file(path);
  std::string line;
  std::uintmax_t bytes = 0;
  for (int number = 1; file.next(line) && file.is_finished(); ++number) {
    visit(line, number);
    bytes = file.read_bytes();
  }
  return bytes;
}

template <typename T>
ordered_json or_null(const std::optional<T>& value) {
  return value ? ordered_json(*value) : ordered_json(nullptr);
}

ordered_json scalar_or_null(const std::optional<Scalar>& value) {
  return value ? to_json(*value) : ordered_json(nullptr);
}

ordered_json launch_json(const Launch& launch) {
  ordered_json json;
  json["with"] = launch_name(launch.with);
  json["lab"] = launch.lab_file.empty() ? ordered_json(nullptr) : ordered_json(launch.lab_file);
  json["ranks"] = or_null(launch.ranks);
  json["workers"] = or_null(launch.workers);
  json["arguments"] = launch.arguments;
  json["timeout_s"] = launch.timeout_s;
  return json;
}

ordered_json repeat_json(const Repeat& repeat) {
  if (repeat.is_fixed()) return {{"times", repeat.at_least}};
  return {{"at-least", repeat.at_least},
          {"at-most", repeat.at_most},
          {"within", repeat.within},
          {"looks", looks_of(repeat)}};
}

ordered_json options_json(const Options& options) {
  ordered_json json = ordered_json::object();
  for (const auto& [name, value] : options) json[name] = to_json(value);
  return json;
}

ordered_json axes_json(const std::vector<Axis>& axes) {
  ordered_json json = ordered_json::array();
  for (const Axis& axis : axes) {
    ordered_json values = ordered_json::array();
    for (const Scalar& value : axis.values) values.push_back(to_json(value));
    json.push_back({{"name", axis.name}, {"values", values}, {"walk", axis.walk}});
  }
  return json;
}

ordered_json points_json(const std::vector<Point>& points) {
  ordered_json json = ordered_json::array();
  for (const Point& point : points)
    json.push_back({{"id", point.id}, {"parameters", to_json(point.parameters)}});
  return json;
}

ordered_json experiment_json(const Experiment& experiment) {
  ordered_json json;
  json["name"] = experiment.name;
  json["title"] = experiment.title;
  json["program"] = experiment.program;
  json["launch"] = launch_json(experiment.launch);
  json["options"] = options_json(experiment.options);
  json["load"] = scalar_or_null(experiment.load);
  json["axes"] = axes_json(experiment.axes);
  json["compare"] = or_null(experiment.compare);
  json["baseline"] = scalar_or_null(experiment.baseline);
  json["repeat"] = repeat_json(experiment.repeat);
  json["equal-within"] = experiment.equal_within;
  json["points"] = points_json(experiment.points);
  return json;
}

/// Returns the value of `key`, or null if it is missing.
ordered_json part(const ordered_json& json, const char* key) {
  return json.is_object() && json.contains(key) ? json[key] : ordered_json(nullptr);
}

/// Keeps the part of a launch that changes what is measured. Of a lab's path only the file name counts,
/// because a sweep may be resumed from another folder.
ordered_json essential(ordered_json launch) {
  if (!launch.is_object()) return launch;
  launch.erase("timeout_s");
  if (part(launch, "lab").is_string())
    launch["lab"] = std::filesystem::path(launch["lab"].get<std::string>()).filename().string();
  return launch;
}

std::string experiment_difference(const ordered_json& older, const ordered_json& newer) {
  if (essential(part(older, "launch")) != essential(part(newer, "launch"))) return "another launch";
  for (const char* key : {"program", "options", "load", "compare", "points"})
    if (part(older, key) != part(newer, key)) return fmt::format("another '{}'", key);
  return "";
}

void require_same_sweep(const std::string& path, const ordered_json& manifest) {
  const std::string file = path + "/sweep.json";
  const ordered_json older = ordered_json::parse(content_of(file), nullptr, false);
  if (!older.is_object())
    throw UsageError(fmt::format("cannot resume the sweep in '{}'", path), "its sweep.json is damaged",
                     "name another folder with --out");
  if (const std::string what = difference(older, manifest); !what.empty())
    throw UsageError(fmt::format("the runs in '{}' belong to another sweep", path), what,
                     "name another folder with --out");
}

void require_folder(const std::string& path) {
  std::error_code failure;
  fs::create_directories(path, failure);
  if (failure && !fs::is_directory(path))
    throw UsageError(fmt::format("cannot make the folder '{}'", path), error_text(failure),
                     "name another one with --out");
  require_writable(path + "/runs.jsonl", "the runs");
}

}  // namespace

ProgramRecord read_record(const std::string& path) {
  ProgramRecord record;
  std::optional<LineFile> file;
  if (fs::exists(path)) file.emplace(path).next(record.line);
  if (record.line.empty())
    throw Error(ExitCode::run_failed, "the program wrote no record", "it ended with exit code 0",
                "a program for sweeps must accept --json FILE and --progress none");
  const nlohmann::json parsed = nlohmann::json::parse(record.line, nullptr, false);
  if (!parsed.is_object() || !parsed.contains("makespan_s") || !parsed["makespan_s"].is_number())
    throw Error(ExitCode::run_failed, "the program's record has no number makespan_s", "",
                "write {\"makespan_s\": SECONDS} to the file of --json");
  record.makespan_s = parsed["makespan_s"].get<double>();
  if (record.makespan_s <= 0)
    throw Error(ExitCode::run_failed, fmt::format("the program's makespan_s is {}", record.makespan_s),
                "it must be above 0", "record the time in seconds");
  if (const auto ranks = parsed.find("ranks"); ranks != parsed.end() && ranks->is_array())
    record.ranks = static_cast<Index>(ranks->size());
  for (std::string line; file->next(line);) record.loops += line.empty() ? 0 : 1;
  return record;
}

std::string to_json_line(const RunEntry& entry) {
  const Outcome& outcome = entry.outcome;
  ordered_json head;
  head["schema"] = log_schema;
  head["experiment"] = entry.run.experiment->name;
  head["point"] = entry.run.point->id;
  head["parameters"] = to_json(entry.run.point->parameters);
  head["repetition"] = entry.run.repetition;
  head["order"] = entry.order;
  head["load_seed"] =
      entry.load && entry.load->seed ? ordered_json(*entry.load->seed) : ordered_json(nullptr);
  head["load"] = entry.load ? ordered_json(entry.load->text) : ordered_json(nullptr);
  head["command"] = entry.command;
  head["started_at"] = entry.started_at;
  head["wall_s"] = rounded(outcome.wall_s);
  head["overhead_s"] = rounded(entry.overhead_s);
  head["exit_code"] = outcome.exit_code;
  head["status"] = status_name(outcome.status);
  head["error"] = outcome.error.empty() ? ordered_json(nullptr) : ordered_json(outcome.error);
  std::string line = one_line(head);
  line.pop_back();
  // The record is copied as text, because parsing and printing thousands of chunks would take time.
  return line + R"(,"record":)" + (entry.record.empty() ? "null" : entry.record) + "}";
}

std::vector<LoggedRun> read_log(const std::string& path) {
  std::vector<LoggedRun> runs;
  each_line(path, [&](const std::string& line, int number) {
    try {
      const nlohmann::json parsed = nlohmann::json::parse(line);
      require_schema(parsed, path, number);
      runs.push_back(logged(parsed));
    } catch (const nlohmann::json::exception&) {
      throw UsageError(fmt::format("{}:{}:1: this line is not a run", path, number), "the file is damaged",
                       "remove the line; --resume repeats its run");
    }
  });
  return runs;
}

void repair_log(const std::string& path) {
  std::error_code failure;
  if (!std::filesystem::exists(path, failure)) return;
  const std::uintmax_t complete = each_line(path, [](const std::string&, int) {});
  if (complete == std::filesystem::file_size(path)) return;
  std::filesystem::resize_file(path, complete, failure);
  if (failure)
    throw Error(ExitCode::run_failed, fmt::format("cannot remove the incomplete last line of {}", path),
                error_text(failure));
}

ordered_json manifest_of(const SweepSpec& spec, const std::string& version) {
  ordered_json json;
  json["schema"] = 1;
  json["title"] = spec.title;
  json["source"] = spec.source;
  json["reduced"] = spec.setting == Setting::reduced;
  json["seed"] = spec.seed;
  json["experiments"] = ordered_json::array();
  for (const Experiment& experiment : spec.experiments)
    json["experiments"].push_back(experiment_json(experiment));
  json["versions"] = {{"loadshare", version}};
  json["host"] = host_name();
  json["processors"] = sysconf(_SC_NPROCESSORS_ONLN);
  return json;
}

std::string difference(const ordered_json& older, const ordered_json& newer) {
  if (part(older, "reduced") != part(newer, "reduced"))
    return part(older, "reduced") == true ? "it was reduced" : "it was not reduced";
  for (const char* key : {"schema", "seed"})
    if (part(older, key) != part(newer, key)) return fmt::format("it had another '{}'", key);
  const ordered_json before = part(older, "experiments");
  const ordered_json now = part(newer, "experiments");
  if (before.size() != now.size()) return "it had another number of experiments";
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (part(before[i], "name") != now[i]["name"])
      return fmt::format("it had no experiment {} there", now[i]["name"].get<std::string>());
    if (const std::string what = experiment_difference(before[i], now[i]); !what.empty())
      return fmt::format("experiment {} had {}", now[i]["name"].get<std::string>(), what);
  }
  return "";
}

std::vector<LoggedRun> Folder::look(const std::string& path, const ordered_json& manifest, Resume resume) {
  std::vector<LoggedRun> runs = read_log(path + "/runs.jsonl");
  if (runs.empty()) return runs;
  if (resume == Resume::no)
    throw UsageError(fmt::format("'{1}' already contains {0}",
                                 count_text(static_cast<Index>(runs.size()), "run", "runs"), path),
                     "a new sweep would mix with them",
                     "resume it with --resume, or name another folder with --out");
  require_same_sweep(path, manifest);
  return runs;
}

Folder::Folder(std::string path, const ordered_json& manifest, const std::string& sweep_file, Resume resume)
    : path_(std::move(path)) {
  earlier_ = look(path_, manifest, resume);
  require_folder(path_);
  lock();
  repair_log(runs_file());
  earlier_ = look(path_, manifest, resume);
  replace_file(path_ + "/sweep.yaml", content_of(sweep_file));
  replace_file(path_ + "/sweep.json",
               manifest.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n");
  log_.emplace(runs_file());
}

void Folder::lock() {
  lock_ = Descriptor(open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (lock_.number() < 0)
    throw Error(ExitCode::usage, system_error(fmt::format("cannot open '{}'", path_), errno));
  // A child of a sweep that was killed holds the lock for a moment longer.
  constexpr int most_tries = 20;
  int error = lock_file(lock_.number(), LockWait::no);
  for (int tries = 1; error == EWOULDBLOCK && tries < most_tries; ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    error = lock_file(lock_.number(), LockWait::no);
  }
  if (error == EWOULDBLOCK)
    throw UsageError(fmt::format("another sweep is running in '{}'", path_), "their runs would mix",
                     "wait for it, or name another folder with --out");
  if (error != 0)
    lock_note_ =
        fmt::format("cannot lock '{}' ({}: {}); start no other sweep in it before this one has ended", path_,
                    cannot_lock, error_text(error));
}

}  // namespace loadshare::sweep
