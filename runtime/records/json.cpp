#include "runtime/records/json.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "base/io/error_text.hpp"
#include "base/io/file_lock.hpp"
#include "base/io/files.hpp"

namespace loadshare {
namespace {

using nlohmann::ordered_json;

template <typename T>
ordered_json or_null(const std::optional<T>& value) {
  return value ? ordered_json(*value) : ordered_json(nullptr);
}

ordered_json options_json(const std::map<std::string, OptionValue>& options) {
  ordered_json json = ordered_json::object();
  for (const auto& [name, value] : options)
    std::visit([&](const auto& scalar) { json[name] = scalar; }, value);
  return json;
}

ordered_json findings_json(const std::vector<Finding>& findings) {
  ordered_json json = ordered_json::object();
  for (const Finding& finding : findings)
    std::visit([&](const auto& scalar) { json[finding.name] = scalar; }, finding.value);
  return json;
}

ordered_json limit_json(const RankRecord& rank) {
  if (rank.limit_period_s <= 0) return nullptr;
  return {{"period_s", rank.limit_period_s}, {"tick_s", rank.tick_s}};
}

ordered_json rank_json(const RankRecord& rank, bool is_idle_known) {
  ordered_json json;
  json["rank"] = rank.rank;
  json["role"] = name_among(roles, rank.role);
  json["worker"] = rank.worker ? ordered_json(to_number(*rank.worker)) : ordered_json(nullptr);
  json["host"] = rank.host;
  json["cpus"] = rank.cpus;
  json["capacity"] = rank.capacity;
  json["limit"] = limit_json(rank);
  json["chunks"] = rank.chunks;
  json["iterations"] = rank.iterations;
  json["work"] = or_null(rank.work);
  json["computing_s"] = rounded_to_ns(rank.computing_s);
  json["stolen_s"] = rounded_to_ns(rank.stolen_s);
  json["communicating_s"] = rounded_to_ns(rank.communicating_s);
  json["idle_s"] = is_idle_known ? ordered_json(rounded_to_ns(rank.idle_s)) : ordered_json(nullptr);
  json["blocked_s"] = rounded_to_ns(rank.blocked_s);
  json["away_s"] = rounded_to_ns(rank.away_s);
  json["unaccounted_s"] = rounded_to_ns(rank.unaccounted_s);
  json["waiting_cpu_s"] = rounded_to_ns(rank.waiting_cpu_s);
  json["coordinating_cpu_s"] = rounded_to_ns(rank.coordinating_cpu_s);
  json["clock_offset_s"] = rounded_to_ns(rank.clock_offset_s);
  return json;
}

ordered_json ranks_json(const RunRecord& record) {
  ordered_json json = ordered_json::array();
  for (const RankRecord& rank : record.ranks) json.push_back(rank_json(rank, record.is_idle_known));
  return json;
}

ordered_json loaded_rank_json(const LoadedRank& rank) {
  ordered_json json;
  json["rank"] = rank.rank;
  json["host"] = rank.host;
  json["cpu"] = rank.cpu;
  json["capacity"] = rank.capacity;
  json["phase_s"] = rounded_to_ns(rank.phase_s);
  json["share_asked"] = rounded_to_ns(rank.share_asked);
  json["share_taken"] = rounded_to_ns(rank.share_taken);
  json["worker_share"] =
      rank.worker_share ? ordered_json(rounded_to_ns(*rank.worker_share)) : ordered_json(nullptr);
  json["cpu_s"] = rounded_to_ns(rank.cpu_s);
  json["on_s"] = rounded_to_ns(rank.on_s);
  json["late_p99_s"] = rounded_to_ns(rank.late_p99_s);
  json["late_max_s"] = rounded_to_ns(rank.late_max_s);
  json["cycles"] = rank.cycles;
  return json;
}

ordered_json load_json(const std::optional<LoadRecord>& load) {
  if (!load) return nullptr;
  ordered_json ranks = ordered_json::array();
  for (const LoadedRank& rank : load->ranks) ranks.push_back(loaded_rank_json(rank));
  return {{"spec", load->spec}, {"ranks", ranks}};
}

void add_identity(ordered_json& json, const RunRecord& record) {
  json["schema"] = RunRecord::schema;
  json["app"] = record.app;
  json["scheduler"] = record.scheduler.empty() ? ordered_json(nullptr) : ordered_json(record.scheduler);
  json["workers"] = record.workers;
  json["iterations"] = record.iterations;
  json["iteration_name"] = record.iteration_name;
}

void add_outcome(ordered_json& json, const RunRecord& record) {
  const auto rate = operation_rate(record);
  json["makespan_s"] = rounded_to_ns(record.makespan_s);
  json["shared_input_s"] = rounded_to_ns(record.shared_input_s);
  json["verified"] = or_null(record.verified);
  json["seed"] = or_null(record.seed);
  json["operations"] = or_null(record.operations);
  json["gflops"] = rate ? ordered_json(*rate / 1e9) : ordered_json(nullptr);
  json["findings"] = findings_json(record.findings);
}

void add_circumstances(ordered_json& json, const RunRecord& record) {
  json["transport"] = record.transport;
  json["hosts"] = record.hosts;
  json["versions"] = record.versions;
  json["binding"] = record.binding;
  json["options"] = options_json(record.options);
}

ordered_json choice_json(const std::optional<ChoiceRecord>& choice) {
  if (!choice) return nullptr;
  ordered_json json;
  json["scheduler"] = choice->scheduler.empty() ? ordered_json(nullptr) : ordered_json(choice->scheduler);
  json["level"] = choice->level;
  json["predicted_s"] = rounded_to_ns(choice->predicted_s);
  json["survey_s"] = rounded_to_ns(choice->survey_s);
  json["choosing_s"] = rounded_to_ns(choice->choosing_s);
  json["budget_s"] = rounded_to_ns(choice->budget_s);
  json["tried"] = choice->tried;
  json["candidates"] = choice->candidates;
  json["known_from"] = choice->known_from.empty() ? ordered_json(nullptr) : ordered_json(choice->known_from);
  return json;
}

/// Returns the forecasts. An error is positive if the forecast was too long.
ordered_json etas_json(const RunRecord& record) {
  ordered_json json = ordered_json::array();
  for (const EtaRecord& eta : record.etas)
    json.push_back({{"at_s", rounded_to_ns(eta.at_s)},
                    {"makespan_s", rounded_to_ns(eta.makespan_s)},
                    {"error", record.makespan_s > 0 ? ordered_json(eta.makespan_s / record.makespan_s - 1)
                                                    : ordered_json(nullptr)}});
  return json;
}

ordered_json width_cost_json(const std::optional<WidthCost>& cost) {
  if (!cost) return nullptr;
  return {{"narrow", cost->narrow},
          {"wide", cost->wide},
          {"ratio", cost->ratio},
          {"source", name_among(width_cost_sources, cost->source)}};
}

ordered_json loop_json(const std::optional<LoopRecord>& loop) {
  if (!loop) return nullptr;
  return {{"input_bytes", loop->input_bytes},
          {"result_bytes", loop->result_bytes},
          {"shared_bytes", loop->shared_bytes},
          {"shared_piece_bytes", loop->shared_piece_bytes},
          {"work", loop->work.empty() ? ordered_json(nullptr) : ordered_json(loop->work)}};
}

ordered_json reissue_json(const std::optional<ReissueRecord>& reissue) {
  if (!reissue) return nullptr;
  ordered_json saved = ordered_json::array();
  for (const auto& [worker, chunks] : reissue->saved)
    saved.push_back({{"worker", to_number(worker)}, {"chunks", chunks}});
  return {{"again", reissue->again},
          {"twice", reissue->twice},
          {"copies", reissue->copies},
          {"first", reissue->first},
          {"saved", saved}};
}

ordered_json membership_json(const std::optional<MembershipRecord>& members) {
  if (!members) return nullptr;
  ordered_json events = ordered_json::array(), again = ordered_json::array();
  for (const MemberEvent& event : members->events)
    events.push_back({{"at_s", rounded_to_ns(event.at_s)},
                      {"what", name_among(member_events, event.what)},
                      {"worker", to_number(event.worker)},
                      {"chunks", event.chunks}});
  for (const GivenAgain& one : members->given_again)
    again.push_back({{"at_s", rounded_to_ns(one.at_s)},
                     {"worker", to_number(one.worker)},
                     {"first", one.chunk.first},
                     {"size", one.chunk.size}});
  return {{"events", events},
          {"given_again", again},
          {"given", members->given},
          {"counted", members->counted},
          {"second", members->second},
          {"failed", members->failed},
          {"handed_back", members->handed_back},
          {"lost", members->lost},
          {"left", members->left}};
}

ordered_json journal_json(const std::optional<JournalRecord>& journal) {
  if (!journal) return nullptr;
  return {{"recovered", journal->recovered},
          {"kept", journal->kept},
          {"bytes", journal->bytes},
          {"syncs", journal->syncs},
          {"longest_sync_s", journal->longest_sync_s},
          {"cpu_s", journal->cpu_s},
          {"safe", journal->is_safe()},
          {"problem", journal->is_safe() ? ordered_json() : ordered_json(journal->problem)}};
}

ordered_json skipped_json(const std::vector<SkippedIteration>& skipped) {
  ordered_json json = ordered_json::array();
  for (const SkippedIteration& one : skipped)
    json.push_back({{"iteration", one.iteration}, {"worker", to_number(one.worker)}, {"reason", one.reason}});
  return json;
}

void add_accounts(ordered_json& json, const RunRecord& record) {
  json["accounting"] = {{"closes", account_closes(record)}, {"worst_gap", worst_account_gap(record)}};
  json["timing"] = {{"thinned", record.is_thinned},
                    {"chunks_total", record.chunks_total},
                    {"chunks_timed", record.chunks_timed},
                    {"chunks_listed", record.chunks.size()}};
  json["notes"] = record.notes;
  json["skipped"] = skipped_json(record.skipped);
  json["reissue"] = reissue_json(record.reissue);
  json["membership"] = membership_json(record.membership);
  json["journal"] = journal_json(record.journal);
  json["load"] = load_json(record.load);
  json["loop"] = loop_json(record.loop);
  json["choice"] = choice_json(record.choice);
  json["etas"] = etas_json(record);
  json["width_cost"] = width_cost_json(record.width_cost);
  json["ranks"] = ranks_json(record);
}

void append_chunk(std::string& out, const ChunkRecord& record) {
  fmt::format_to(std::back_inserter(out), R"({{"first":{},"size":{},"worker":{})", record.chunk.first,
                 record.chunk.size, to_number(record.worker));
  const auto add = [&out](std::string_view key, double seconds) {
    out.append(key);
    append_seconds(out, seconds);
  };
  add(R"(,"assigned_s":)", record.assigned_s);
  add(R"(,"received_s":)", record.received_s);
  add(R"(,"begun_s":)", record.begun_s);
  add(R"(,"ended_s":)", record.ended_s);
  add(R"(,"returned_s":)", record.returned_s);
  add(R"(,"cpu_s":)", record.cpu_s);
  add(R"(,"waited_s":)", record.waited_s);
  out.append(record.is_duplicate ? R"(,"duplicate":true})" : R"(,"duplicate":false})");
}

/// Writes the chunks directly into the line: a tree of JSON values for a million of them would take
/// gigabytes.
void append_chunks(std::string& out, const std::vector<ChunkRecord>& chunks) {
  constexpr std::size_t usual_chunk_bytes = 208;
  out.reserve(out.size() + chunks.size() * usual_chunk_bytes + 3);  // with `]}` and the line end
  out += '[';
  for (const ChunkRecord& chunk : chunks) {
    if (&chunk != chunks.data()) out += ',';
    append_chunk(out, chunk);
  }
  out += ']';
}

[[noreturn]] void throw_not_appended(const std::string& path, int error) {
  throw Error(ExitCode::run_failed, fmt::format("cannot append the JSON line to {}", path),
              fmt::format("{}; no part of it was kept", error_text(error)),
              "make room there, or name another file");
}

/// Reports a pipe without a reader: opening it would block without a message.
[[noreturn]] void throw_unread(const std::string& path) {
  throw Error(ExitCode::run_failed, fmt::format("cannot append the JSON line to {}", path),
              "it is a pipe that no process reads", "start its reader first, or name a file");
}

/// Opens the file. Returns a descriptor; -1: errno has the reason. Waits a while for the reader of a pipe.
int open_to_append(const std::string& path) {
  constexpr int flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC;
  constexpr int looks = 50;
  constexpr std::chrono::milliseconds look_again{100};
  struct stat status {};
  if (stat(path.c_str(), &status) != 0 || !S_ISFIFO(status.st_mode)) return open(path.c_str(), flags, 0666);
  for (int look = 0; look < looks; ++look, std::this_thread::sleep_for(look_again)) {
    const int pipe = open(path.c_str(), flags | O_NONBLOCK, 0666);
    if (pipe >= 0) fcntl(pipe, F_SETFL, O_APPEND);
    if (pipe >= 0 || errno != ENXIO) return pipe;
  }
  throw_unread(path);
}

/// A file opened for appending and locked against other runs that append to it.
class AppendedFile {
 public:
  explicit AppendedFile(const std::string& path)
      : path_(path), existed_(access(path.c_str(), F_OK) == 0), descriptor_(open_to_append(path)) {
    if (descriptor_ < 0) throw_not_appended(path, errno);
    // Without a lock, one write to the end of the file is the best alternative.
    lock_error_ = lock_file(descriptor_, LockWait::yes);
    struct stat status {};
    if (fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode)) old_size_ = status.st_size;
  }
  AppendedFile(const AppendedFile&) = delete;
  AppendedFile& operator=(const AppendedFile&) = delete;
  ~AppendedFile() {
    if (descriptor_ >= 0) close(descriptor_);
  }

  /// Returns the errno of the lock; 0: the file is locked.
  int lock_error() const { return lock_error_; }

  void append(std::string_view bytes) {
    const int error = write_fully(descriptor_, bytes);
    if (error == 0) return;
    take_back();
    throw_not_appended(path_, error);
  }

 private:
  void take_back() {
    if (old_size_ < 0) return;
    (void)!ftruncate(descriptor_, old_size_);
    // Another run may have written to the file that this run created.
    if (!existed_ && old_size_ == 0) unlink(path_.c_str());
  }

  const std::string& path_;
  bool existed_;
  int descriptor_;
  int lock_error_ = 0;
  off_t old_size_ = -1;
};

}  // namespace

std::string json_quoted(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

double rounded_to_ns(double seconds) {
  return std::round(seconds * 1e9) / 1e9 + 0.0;  // + 0.0 turns -0 into 0
}

void append_seconds(std::string& out, double seconds) {
  if (!std::isfinite(seconds)) {
    out += "null";
    return;
  }
  fmt::format_to(std::back_inserter(out), "{}", rounded_to_ns(seconds));
}

std::string to_json_line(const RunRecord& record) {
  ordered_json head;
  add_identity(head, record);
  add_outcome(head, record);
  add_circumstances(head, record);
  add_accounts(head, record);
  std::string line = head.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  line.pop_back();
  line += R"(,"chunks":)";
  append_chunks(line, record.chunks);
  line += '}';
  return line;
}

JsonSink::JsonSink(std::string path) : path_(std::move(path)) {
  if (!is_stdout()) require_writable(path_, "the JSON line", Writing::at_the_end);
}

int JsonSink::append(std::string line) const {
  line.push_back('\n');
  if (is_stdout()) {
    std::fflush(stdout);
    if (const int error = write_fully(STDOUT_FILENO, line); error != 0) throw_not_appended("stdout", error);
    return 0;
  }
  AppendedFile file(path_);
  file.append(line);
  return file.lock_error();
}

}  // namespace loadshare
