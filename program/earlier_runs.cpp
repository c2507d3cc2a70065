#include "program/earlier_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <utility>
#include <variant>

#include "base/error.hpp"
#include "base/io/files.hpp"
#include "runtime/records/json.hpp"
#include "runtime/records/reading.hpp"

namespace loadshare {
namespace {

namespace fs = std::filesystem;

/// Enough chunks to describe the run, and few enough to be read in some milliseconds.
constexpr std::size_t most_chunks_kept = 512;
/// Number of loops in the cache; the oldest are removed.
constexpr std::size_t most_files_kept = 256;

std::vector<std::string> hosts_of(const RunRecord& run) {
  std::vector<std::string> hosts(static_cast<std::size_t>(std::max<Index>(run.workers, 0)));
  for (const RankRecord& rank : run.ranks)
    if (rank.worker && to_number(*rank.worker) < hosts.size()) hosts[to_number(*rank.worker)] = rank.host;
  return hosts;
}

/// Returns the position in `to` of each worker in `from`, if both lists contain the same hosts.
std::optional<std::vector<std::size_t>> renumbering(const std::vector<std::string>& from,
                                                    const std::vector<std::string>& to) {
  if (from.size() != to.size()) return std::nullopt;
  std::vector<std::size_t> numbers;
  std::vector<char> is_taken(to.size());
  for (const std::string& host : from) {
    std::size_t number = 0;
    while (number < to.size() && (is_taken[number] != 0 || to[number] != host)) ++number;
    if (number == to.size()) return std::nullopt;
    is_taken[number] = 1;
    numbers.push_back(number);
  }
  return numbers;
}

void renumber(RunRecord& run, const std::vector<std::size_t>& numbers) {
  const auto renumbered = [&numbers](WorkerId worker) {
    return WorkerId{static_cast<std::uint32_t>(numbers[to_number(worker)])};
  };
  std::erase_if(run.chunks,
                [&](const ChunkRecord& chunk) { return to_number(chunk.worker) >= numbers.size(); });
  for (ChunkRecord& chunk : run.chunks) chunk.worker = renumbered(chunk.worker);
  for (RankRecord& rank : run.ranks)
    if (rank.worker && to_number(*rank.worker) < numbers.size()) rank.worker = renumbered(*rank.worker);
}

/// Returns the workers' iterations per second. Between different loops only their ratios are comparable.
std::vector<double> speeds_of(const RunRecord& run) {
  std::vector<double> iterations(static_cast<std::size_t>(run.workers)), seconds(iterations.size());
  for (const ChunkRecord& chunk : run.chunks) {
    const std::size_t worker = to_number(chunk.worker);
    iterations[worker] += static_cast<double>(chunk.chunk.size);
    seconds[worker] += chunk.ended_s - chunk.begun_s - chunk.waited_s;
  }
  for (std::size_t worker = 0; worker < iterations.size(); ++worker)
    iterations[worker] = seconds[worker] > 0 ? iterations[worker] / seconds[worker] : 0;
  return iterations;
}

std::string text_of(const OptionValue& value) {
  return std::visit([](const auto& scalar) { return fmt::format("{}", scalar); }, value);
}

/// Returns how the run's loop differs from this one, in words: "cost: 0.002 in the record, 0.0005 here".
/// Returns nothing if it is the same loop.
std::optional<std::string> difference(const RunRecord& run, const LoopIdentity& loop) {
  const auto differ = [](const std::string& name, const std::string& of_run, const std::string& here) {
    return fmt::format("{}: {} in the record, {} here", name, of_run, here);
  };
  if (run.app != loop.program) return differ("program", run.app, loop.program);
  if (run.iterations != loop.iterations)
    return differ("iterations", std::to_string(run.iterations), std::to_string(loop.iterations));
  if (run.transport != loop.transport) return differ("transport", run.transport, loop.transport);
  for (const auto& [name, value] : loop.options) {
    const auto of_run = run.options.find(name);
    if (of_run == run.options.end()) return differ(name, "nothing", text_of(value));
    if (of_run->second != value) return differ(name, text_of(of_run->second), text_of(value));
  }
  for (const auto& [name, value] : loop.parameters) {
    const auto of_run = run.options.find(name);
    if (of_run != run.options.end() && text_of(of_run->second) != value)
      return differ(name, text_of(of_run->second), value);
  }
  return std::nullopt;
}

bool is_of_loop(const RunRecord& run, const LoopIdentity& loop) {
  return !difference(run, loop);
}

/// Returns the latest run on these hosts. A run of the same loop precedes runs of other loops.
std::optional<RunRecord> run_of(const std::string& path, const LoopIdentity& loop) {
  std::optional<RunRecord> best;
  read_records(path, RecordParts::farm, [&](ReadRun run) {
    const auto numbers = renumbering(hosts_of(run.record), loop.hosts);
    if (!numbers || run.record.chunks.empty()) return;
    if (best && is_of_loop(*best, loop) && !is_of_loop(run.record, loop)) return;
    renumber(run.record, *numbers);
    best = std::move(run.record);
  });
  return best;
}

std::string cache_file(const LoopIdentity& loop) {
  const std::string folder = auto_cache_folder();
  if (folder.empty() || loop.job.empty() || loop.hosts.empty()) return {};
  std::string key =
      fmt::format("{}\n{}\n{}\n{}", loop.program, loop.job, loop.transport, fmt::join(loop.hosts, " "));
  for (const auto& [name, value] : loop.options) key += fmt::format("\n{}={}", name, text_of(value));
  return fmt::format("{}/{}-{:016x}.jsonl", folder, loop.program, std::hash<std::string>{}(key));
}

/// Returns chunks spread over the run, including each worker's first. A chunk that was queued counts as
/// assigned when its worker returned the previous one.
std::vector<ChunkRecord> spread_chunks(const RunRecord& record) {
  const std::size_t every = record.chunks.size() / most_chunks_kept + 1;
  std::vector<double> returned_s;
  std::vector<ChunkRecord> kept;
  for (std::size_t i = 0; i < record.chunks.size(); ++i) {
    ChunkRecord chunk = record.chunks[i];
    const std::size_t worker = to_number(chunk.worker);
    if (worker >= returned_s.size()) returned_s.resize(worker + 1, -1);
    const bool is_first = returned_s[worker] < 0;
    chunk.assigned_s = std::max(chunk.assigned_s, returned_s[worker]);
    returned_s[worker] = chunk.returned_s;
    if (is_first || i % every == 0) kept.push_back(chunk);
  }
  return kept;
}

void leave_latest(const fs::path& folder) {
  std::vector<std::pair<fs::file_time_type, fs::path>> files;
  for (const auto& entry : fs::directory_iterator(folder)) files.emplace_back(entry.last_write_time(), entry);
  if (files.size() <= most_files_kept) return;
  std::ranges::sort(files);
  files.resize(files.size() - most_files_kept);
  for (const auto& [time, path] : files) fs::remove(path);
}

}  // namespace

std::string auto_cache_folder() {
  const auto folder = [](const char* name) {
    const char* text = std::getenv(name);
    return text != nullptr && *text == '/' ? std::string(text) : std::string();
  };
  if (const std::string cache = folder("XDG_CACHE_HOME"); !cache.empty()) return cache + "/loadshare/auto";
  const std::string home = folder("HOME");
  std::error_code none;
  return fs::is_directory(home, none) ? home + "/.cache/loadshare/auto" : "";
}

KnownBefore EarlierRuns::known(const LoopIdentity& loop) {
  notes_.clear();
  if (word_ == "none") return {};
  return word_.empty() ? cached(loop) : named(loop);
}

KnownBefore EarlierRuns::named(const LoopIdentity& loop) {
  auto run = run_of(word_, loop);
  if (!run)
    throw UsageError(fmt::format("--auto-from {} has no run of these hosts", word_),
                     fmt::format("their names are {}", fmt::join(loop.hosts, ", ")),
                     "give a record of a run on the same hosts with as many workers, or none");
  if (const auto other = difference(*run, loop)) {
    notes_.push_back(
        fmt::format("--auto-from {}: only the speeds of the hosts are used, because the record describes "
                    "another loop ({})",
                    word_, *other));
    return {{}, speeds_of(*run), word_};
  }
  return {std::make_shared<const RunRecord>(std::move(*run)), {}, word_};
}

KnownBefore EarlierRuns::cached(const LoopIdentity& loop) {
  const std::string path = cache_file(loop);
  std::error_code ignored;
  if (path.empty() || kept_.contains(path) || !fs::exists(path, ignored)) return {};
  try {
    auto run = run_of(path, loop);
    if (!run || !is_of_loop(*run, loop)) throw UsageError(path + " describes another loop");
    return {std::make_shared<const RunRecord>(std::move(*run)), {}, path};
  } catch (const Error& error) {
    notes_.push_back(fmt::format("auto measures again, because its cache is damaged: {}", error.what()));
    return {};
  }
}

void EarlierRuns::keep(const LoopIdentity& loop, const RunRecord& record) {
  const std::string path = cache_file(loop);
  if (!word_.empty() || path.empty() || !kept_.insert(path).second) return;
  RunRecord kept = record;
  kept.chunks = spread_chunks(record);
  try {
    const fs::path folder = fs::path(path).parent_path();
    fs::create_directories(folder);
    replace_file(path, to_json_line(kept) + "\n");
    leave_latest(folder);
  } catch (const Error&) {  // without a cache, the next run measures again
  } catch (const fs::filesystem_error&) {
  }
}

}  // namespace loadshare
