#include "apps/loadshare/metrics/record_lines.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "apps/common/system_reason.hpp"
#include "apps/loadshare/metrics/fields.hpp"
#include "apps/loadshare/metrics/record.hpp"

namespace loadshare::tool {
namespace {

using nlohmann::json;

constexpr int known_sweep_schema = 1;

/// A line as JSON without its chunks, which may be a million and are of no use here; nothing where it is no
/// JSON.
std::optional<json> parsed(const std::string& line) {
  const auto keep = [](int, json::parse_event_t event, json& value) {
    return event != json::parse_event_t::key || value != "chunks";
  };
  json result = json::parse(line, keep, false);
  if (result.is_discarded()) return std::nullopt;
  return result;
}

/// Reads one file's lines one after the other.
class Lines {
 public:
  explicit Lines(const std::string& path) : path_(path) {}

  void read() {
    std::ifstream file(path_, std::ios::binary);
    if (!file) throw UsageError(fmt::format("cannot read {}", path_), system_reason(errno));
    std::string line;
    for (number_ = 1; std::getline(file, line); ++number_)
      if (line.find_first_not_of(" \t\r") != std::string::npos) add(line, !file.eof());
    if (file.bad()) throw UsageError(fmt::format("cannot read {}", path_), system_reason(errno));
  }
  Source take() { return std::move(source_); }

 private:
  void add(const std::string& line, bool is_finished) {
    const std::optional<json> value = parsed(line);
    if (value) return add(*value);
    if (!is_finished && line.front() == '{') return note("left out, for the line is torn");
    throw UsageError(fmt::format("{}: this line is no JSON", place()), "a record stands on one line",
                     "give what a program wrote with --json, a sweep's folder, or a profile");
  }

  void add(const json& line) {
    if (!line.is_object() || !line.contains("record")) return add(read_run_record(line, place()));
    add_of_sweep(Fields(line, place(), "the sweep's line"));
  }

  void add_of_sweep(const Fields& line) {
    if (line.whole("schema", 0) != known_sweep_schema)
      line.refuse(fmt::format("a sweep's run of schema {}", line.whole("schema", 0)),
                  fmt::format("this program reads {}", known_sweep_schema),
                  "use the loadshare that wrote it");
    const std::string status = line.text("status");
    if (status != "ok") return note(fmt::format("left out, for the run did not succeed ({})", status));
    add_record_of_sweep(line);
  }

  /// One run of a sweep that cannot be trusted, or whose program tells less, is no reason to refuse the
  /// others.
  void add_record_of_sweep(const Fields& line) {
    try {
      SourcedRun run = read_run_record(line.object("record"), place());
      run.setting.options[experiment_option] = line.text("experiment");
      add(std::move(run));
    } catch (const UsageError& error) {
      source_.notes.push_back(fmt::format("{}; left out", error.what()));
    }
  }

  /// Whose result was wrong did not compute the problem; its times are those of something else.
  void add(SourcedRun run) {
    if (!run.is_right) return note("left out, for the run's result was found wrong");
    source_.runs.push_back(std::move(run));
  }

  std::string place() const { return fmt::format("{}:{}", path_, number_); }
  void note(const std::string& text) { source_.notes.push_back(fmt::format("{}: {}", place(), text)); }

  const std::string& path_;
  int number_ = 0;
  Source source_;
};

}  // namespace

Source read_record_lines(const std::string& path) {
  Lines lines(path);
  lines.read();
  return lines.take();
}

}  // namespace loadshare::tool
