#include "experiments/sweep/run_log.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>

#include "experiments/sweep/json_values.hpp"
#include "schedulers/error.hpp"

namespace loadshare::sweep {
namespace {

using nlohmann::ordered_json;

/// Times to the microsecond: more would only be noise to read.
double rounded(double seconds) {
  return std::round(seconds * 1e6) / 1e6;
}

template <typename T>
ordered_json or_null(bool is_there, const T& value) {
  return is_there ? ordered_json(value) : ordered_json(nullptr);
}

constexpr int log_schema = 1;

void require_schema(const nlohmann::json& line, const std::string& path, int number) {
  if (line.at("schema") != log_schema)
    throw UsageError(fmt::format("{}:{}:1: a run of schema {}", path, number, line["schema"].dump()),
                     fmt::format("this program reads {}", log_schema), "name another folder with --out");
}

LoggedRun logged(const nlohmann::json& line) {
  LoggedRun run;
  run.point = line.at("point").get<std::string>();
  run.repetition = line.at("repetition").get<Index>();
  run.is_ok = line.at("status") == "ok";
  if (run.is_ok) run.makespan_s = line.at("record").at("makespan_s").get<double>();
  return run;
}

/// Calls `visit(line, number)` for each finished line; returns how many bytes they take together.
std::uintmax_t each_line(const std::string& path, const std::function<void(const std::string&, int)>& visit) {
  std::ifstream file(path, std::ios::binary);
  std::string line;
  std::uintmax_t bytes = 0;
  for (int number = 1; std::getline(file, line) && !file.eof(); ++number) {
    visit(line, number);
    bytes += line.size() + 1;
  }
  return bytes;
}

}  // namespace

ProgramRecord read_record(const std::string& path) {
  ProgramRecord record;
  std::ifstream file(path);
  std::getline(file, record.line);
  if (record.line.empty())
    throw Error(ExitCode::run_failed, "the program wrote no record", "it exited with 0",
                "does it take --json FILE?");
  const nlohmann::json parsed = nlohmann::json::parse(record.line, nullptr, false);
  if (!parsed.is_object() || !parsed.contains("makespan_s") || !parsed["makespan_s"].is_number())
    throw Error(ExitCode::run_failed, "the program's record is not one", "it has no number makespan_s");
  record.makespan_s = parsed["makespan_s"].get<double>();
  if (record.makespan_s <= 0)
    throw Error(ExitCode::run_failed, fmt::format("the program's makespan_s is {}", record.makespan_s),
                "no run takes so little", "the time is to be in seconds");
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
  head["error"] = or_null(!outcome.error.empty(), outcome.error);
  std::string line = one_line(head);
  line.pop_back();
  // The record goes in as it came: thousands of chunks need not be taken apart and put together again.
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
      throw UsageError(fmt::format("{}:{}:1: this line is no run", path, number), "the file is damaged",
                       "take the line out, and its run is made again");
    }
  });
  return runs;
}

void mend_log(const std::string& path) {
  std::error_code failure;
  if (!std::filesystem::exists(path, failure)) return;
  const std::uintmax_t whole = each_line(path, [](const std::string&, int) {});
  if (whole == std::filesystem::file_size(path)) return;
  std::filesystem::resize_file(path, whole, failure);
  if (failure) throw Error(ExitCode::run_failed, fmt::format("cannot mend {}", path), failure.message());
}

}  // namespace loadshare::sweep
