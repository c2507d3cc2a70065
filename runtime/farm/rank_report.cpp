#include "runtime/farm/rank_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/error.hpp"
#include "base/io/process.hpp"
#include "base/io/text.hpp"
#include "runtime/host/cgroup_quota.hpp"
#include "runtime/host/scheduling.hpp"

namespace loadshare {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Account, chunks, iterations, computing_s, stolen_s, blocked_s,
                                   communicating_s, idle_s, waiting_cpu_s, start_s, last_end_s, end_s)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(LoadMeasure, on_s, asked_s, cpu_s, late_p99_s, late_max_s, cycles)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(LoadReport, rank, cpu, capacity, is_lost, measure, trouble)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RankReport, rank, host, cpus, quota, quota_period_s, tick_s, follows_quota,
                                   wait, way, clock_offset_s, carrying_cpu_s, has_thinned, is_absent, workers,
                                   loads)

RankReport describe_process(int rank) {
  RankReport report;
  report.rank = rank;
  report.host = host_name();
  report.cpus = allowed_cpus();
  if (const std::optional<CpuLimit> limit = cgroup_cpu_limit()) {
    report.quota = limit->processors;
    report.quota_period_s = limit->period_s;
    report.tick_s = quota_look_s();
  }
  return report;
}

namespace {
constexpr std::size_t most_report_text = 255;
}  // namespace

KnownWorkers known_workers(Transport& transport) {
  if (transport.comes_and_goes()) return {};
  if (!transport.has_ranks()) {
    KnownWorkers threads;
    for (std::size_t worker = 0; worker < transport.workers(); ++worker)
      threads.names.push_back({.rank = static_cast<Index>(worker) + 1, .host = host_name()});
    return threads;
  }
  const nlohmann::json own{{"host", host_name()}, {"share", capacity_of_one(transport.local_ranks())}};
  const auto texts = transport.to_master(own.dump(), RunPlan::forever_s);
  const bool does_master_compute = transport.workers() == texts.size();
  KnownWorkers known;
  for (std::size_t rank = 0; rank < texts.size(); ++rank) {
    if (!does_master_compute && static_cast<int>(rank) == transport.master_rank()) continue;
    const auto told = nlohmann::json::parse(texts[rank], nullptr, false);
    if (!told.is_object() || !told.contains("host") || !told["host"].is_string() || !told.contains("share") ||
        !told["share"].is_number())
      throw Error(ExitCode::run_failed, fmt::format("the host of rank {} is not known", rank),
                  "its message cannot be read", "start the same program on all ranks");
    known.names.push_back({.rank = static_cast<Index>(rank),
                           .host = printable(told["host"].get<std::string>(), most_report_text)});
    known.shares.push_back(told["share"]);
  }
  return known;
}

RankReport absent_rank(int rank, const std::string& host, std::size_t workers) {
  RankReport report;
  report.rank = rank;
  report.host = host.empty() ? std::string(vanished_host) : host;
  report.is_absent = true;
  report.workers.resize(workers);
  return report;
}

std::string encode(const RankReport& report) {
  return nlohmann::json(report).dump();
}

namespace {

// Far beyond any measurement of a process; sums of them stay finite.
constexpr double most_report_s = 1e10;
constexpr Index most_report_count = Index{1} << 53;
constexpr std::size_t most_report_cpus = std::size_t{1} << 16;

bool are_reported_times(std::initializer_list<double> times_s) {
  return std::ranges::all_of(times_s, [](double time_s) { return std::abs(time_s) < most_report_s; });
}

bool is_reported_count(Index count) {
  return count >= 0 && count < most_report_count;
}

bool is_sound(const Account& its) {
  return is_reported_count(its.chunks) && is_reported_count(its.iterations) &&
         are_reported_times({its.computing_s, its.stolen_s, its.blocked_s, its.communicating_s, its.idle_s,
                             its.waiting_cpu_s, its.start_s, its.last_end_s, its.end_s});
}

bool is_sound(const LoadReport& load) {
  const LoadMeasure& its = load.measure;
  return are_reported_times(
             {load.capacity, its.on_s, its.asked_s, its.cpu_s, its.late_p99_s, its.late_max_s}) &&
         is_reported_count(its.cycles);
}

bool is_sound(const RankReport& report) {
  const auto is_of_one = [](const auto& part) { return is_sound(part); };
  return report.cpus.size() <= most_report_cpus &&
         are_reported_times({report.quota, report.quota_period_s, report.tick_s, report.clock_offset_s,
                             report.carrying_cpu_s}) &&
         std::ranges::all_of(report.workers, is_of_one) && std::ranges::all_of(report.loads, is_of_one);
}

}  // namespace

std::optional<RankReport> decode_rank_report(const std::string& text, const Whereabouts& sender) {
  try {
    auto report = nlohmann::json::parse(text).get<RankReport>();
    const bool is_its_own = report.rank == sender.rank && !report.is_absent &&
                            (sender.host.empty() || report.workers.size() == sender.workers);
    if (!is_its_own || !is_sound(report)) return std::nullopt;
    if (!sender.host.empty()) report.host = sender.host;
    for (std::string* word : {&report.host, &report.wait, &report.way})
      *word = printable(*word, most_report_text);
    return report;
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

RankReport report_of_rank(int rank, const std::string& text) {
  if (auto report = decode_rank_report(text, {.rank = rank})) return *std::move(report);
  throw Error(ExitCode::run_failed, fmt::format("the report of rank {} cannot be read", rank),
              "it was not written by this program", "start the same program on all ranks");
}

RankRecord row_of(const RankReport& report, Role role, std::size_t sharing) {
  RankRecord row;
  row.rank = report.rank;
  row.role = role;
  row.host = report.host;
  row.cpus = report.cpus;
  row.capacity = report.quota > 0 ? std::min(1.0, report.quota / static_cast<double>(sharing)) : 1;
  if (row.capacity < 1) {
    row.limit_period_s = report.quota_period_s;
    row.tick_s = report.tick_s;
  }
  row.clock_offset_s = report.clock_offset_s;
  return row;
}

std::string binding_of(const std::vector<RankReport>& reports) {
  std::size_t most = 0;
  for (const RankReport& report : reports) most = std::max(most, report.cpus.size());
  return most == 1 ? "one processor a rank" : "up to " + std::to_string(most) + " processors a rank";
}

}  // namespace loadshare
