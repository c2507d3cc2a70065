// Targets of text formats: JSON and YAML.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "apps/loadshare/calibration_file.hpp"
#include "apps/loadshare/changes.hpp"
#include "apps/loadshare/hosts_by_hand.hpp"
#include "base/error.hpp"
#include "base/io/text.hpp"
#include "experiments/lab/lab_file.hpp"
#include "experiments/sweep/sweep_file.hpp"
#include "experiments/yaml/document.hpp"
#include "runtime/farm/rank_report.hpp"
#include "runtime/records/reading.hpp"
#include "schedulers/table.hpp"
#include "tests/fuzz/memory_file.hpp"
#include "tests/fuzz/targets.hpp"

namespace loadshare::fuzz {
namespace {

std::string text_of(Input input) {
  return {input.begin(), input.end()};
}

/// Accepts a user's error as an answer; any other exception ends the program.
template <class Read>
void may_refuse(Read read) {
  try {
    read();
  } catch (const UsageError& error) {
    require(!error.text().problem.empty(), "an error says what is wrong");
  }
}

/// Limits the number of hosts, because a thousandth one is created like the first and costs the fuzzer's
/// time.
bool asks_for_crowds(const tool::Change& change) {
  std::size_t digits = 0;
  for (const char letter : change.who) {
    if (letter == 'x' && digits > 2) return true;
    digits = letter >= '0' && letter <= '9' ? digits + 1 : 0;
  }
  return false;
}

}  // namespace

/// Reads the report of a member at the end of a run, and any text from outside.
void read_report(Input input) {
  const std::string text = text_of(input);
  const auto is_plain = [](const std::string& shown) {
    return std::ranges::none_of(shown, [](char byte) { return static_cast<unsigned char>(byte) < ' '; });
  };
  const std::string shown = printable(text);
  require(is_plain(shown) && printable(shown) == shown, "a text is printable once it is made so");
  const Whereabouts sender{.rank = 1, .host = "node1", .address = "10.0.0.1", .workers = 2};
  const auto report = decode_rank_report(text, sender);
  if (!report) return;
  require(report->rank == 1 && report->host == "node1" && report->workers.size() == 2, "it is the sender's");
  require(is_plain(report->way) && is_plain(report->wait), "its texts are printable");
  for (const Account& account : report->workers)
    require(account.chunks >= 0 && account.iterations >= 0 && std::isfinite(account.computing_s),
            "its numbers are those of a run");
}

void read_record(Input input) {
  static MemoryFile file;
  file.put(std::as_bytes(input));
  for (const RecordParts parts : {RecordParts::accounts, RecordParts::farm})
    may_refuse([parts] {
      read_records(file.path(), parts, [](const ReadRun& run) {
        require(run.record.workers >= 1 && run.record.iterations >= 0, "a run has workers");
        setting_options(run.record.options);
        if (run.record.load) without_seed(run.record.load->spec);
      });
    });
}

void read_calibration(Input input) {
  may_refuse([input] {
    const calibration::Calibration read = tool::parse_calibration(text_of(input), "pair.json");
    for (const calibration::Pair& pair : calibration::pairs_of(read)) {
      require(!calibration::samples_of(read, pair).empty(), "a pair has samples");
      calibration::gaps_of(read, pair);
      calibration::share_host(read, pair);
    }
    for (const auto spread : {calibration::Spread::one_host, calibration::Spread::a_host_each}) {
      calibration::collective_samples_of(read, spread);
      calibration::rooted_samples_of(read, spread);
    }
    for (const calibration::Launch& launch : read.launches)
      calibration::ways_difference(read.launches.front(), launch);
    const std::string written = tool::to_json(read);
    require(tool::to_json(tool::parse_calibration(written, "again")) == written, "it is read as written");
  });
}

void read_sweep(Input input) {
  static const SchedulerTable schedulers = built_in_schedulers();
  may_refuse([input] {
    const yaml::Value file = yaml::read(text_of(input), "sweep.yaml");
    for (const sweep::Setting setting : {sweep::Setting::full, sweep::Setting::reduced})
      may_refuse([&] {
        const sweep::SweepSpec spec = sweep::read_sweep(file, setting, schedulers);
        require(!spec.experiments.empty(), "a sweep has experiments");
        for (const sweep::Experiment& one : spec.experiments)
          require(!one.points.empty() && one.repeat.at_least >= 1, "an experiment has runs");
      });
  });
}

void read_lab(Input input) {
  may_refuse([input] {
    const lab::LabPlan plan = lab::read_lab(yaml::read(text_of(input), "lab.yaml"));
    require(!plan.hosts.empty(), "a lab has hosts");
  });
}

void read_changes(Input input) {
  may_refuse([input] {
    std::vector<predictor::HostModel> hosts = tool::parse_hosts_by_hand("3x1,fast=2");
    const std::vector<tool::Change> changes = tool::read_changes(yaml::read(text_of(input), "changes.yaml"));
    if (std::ranges::any_of(changes, asks_for_crowds)) return;
    tool::apply_changes(changes, hosts);
    require(hosts.size() >= 4, "nobody vanishes");
    double came_s = 0;
    for (const predictor::HostModel& host : hosts) {
      require(host.stay.from_s >= came_s && host.stay.until_s >= host.stay.from_s,
              "they come in their order");
      came_s = host.stay.from_s;
    }
    tool::changes_text(hosts);
  });
}

}  // namespace loadshare::fuzz
