#include "apps/loadshare/record_stream.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <fstream>

#include "base/error.hpp"
#include "base/io/files.hpp"
#include "base/io/json.hpp"

namespace loadshare::tool {
namespace {

constexpr int known_sweep_schema = 1;

/// A line as JSON; nothing where it is none.
std::optional<nlohmann::json> parsed(const std::string& line, WithChunks chunks) {
  const auto keep = [chunks](int, nlohmann::json::parse_event_t event, nlohmann::json& value) {
    return chunks == WithChunks::yes || event != nlohmann::json::parse_event_t::key || value != "chunks";
  };
  nlohmann::json result = nlohmann::json::parse(line, keep, false);
  if (result.is_discarded()) return std::nullopt;
  return result;
}

/// Reads one file's lines one after the other.
class Lines {
 public:
  Lines(const std::string& path, WithChunks chunks, const std::function<void(const RecordLine&)>& take)
      : path_(path), chunks_(chunks), take_(take) {}

  void read() {
    std::ifstream file(path_, std::ios::binary);
    if (!file) throw UsageError(fmt::format("cannot read {}", path_), system_reason(errno));
    std::string line;
    for (number_ = 1; std::getline(file, line); ++number_)
      if (line.find_first_not_of(" \t\r") != std::string::npos) add(line, !file.eof());
    if (file.bad()) throw UsageError(fmt::format("cannot read {}", path_), system_reason(errno));
  }
  std::vector<std::string> take_notes() { return std::move(notes_); }

 private:
  void add(const std::string& line, bool is_finished) {
    std::optional<nlohmann::json> value = parsed(line, chunks_);
    if (value) return add(std::move(*value));
    if (!is_finished && line.front() == '{') return note("left out, for the line is torn");
    throw UsageError(fmt::format("{}: this line is no JSON", place()), "a record stands on one line",
                     "give what a program wrote with --json, a sweep's folder, or a profile");
  }

  void add(nlohmann::json line) {
    if (!line.is_object() || !line.contains("record"))
      return take_({std::move(line), place(), std::nullopt, ""});
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
      take_({line.object("record"), place(), line.text("experiment"), line.text("point")});
    } catch (const UsageError& error) {
      notes_.push_back(fmt::format("{}; left out", error.what()));
    }
  }

  std::string place() const { return fmt::format("{}:{}", path_, number_); }
  void note(const std::string& text) { notes_.push_back(fmt::format("{}: {}", place(), text)); }

  const std::string& path_;
  WithChunks chunks_;
  const std::function<void(const RecordLine&)>& take_;
  int number_ = 0;
  std::vector<std::string> notes_;
};

}  // namespace

std::vector<std::string> read_records(const std::string& path, WithChunks chunks,
                                      const std::function<void(const RecordLine&)>& take) {
  Lines lines(path, chunks, take);
  lines.read();
  return lines.take_notes();
}

}  // namespace loadshare::tool
