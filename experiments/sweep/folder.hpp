#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "experiments/sweep/child.hpp"
#include "experiments/sweep/run_log.hpp"
#include "runtime/timing/json.hpp"

namespace loadshare::sweep {

enum class Resume { no, yes };

/// The folder of one sweep: sweep.json, sweep.yaml and runs.jsonl. One sweep at a time uses it.
class Folder {
 public:
  /// What is in the folder already and how it goes together with this sweep: makes and changes nothing.
  /// Throws UsageError where there are runs and Resume::no, or where they are another sweep's.
  static std::vector<LoggedRun> look(const std::string& path, const nlohmann::ordered_json& manifest,
                                     Resume resume);

  /// Makes the folder where it is not there, writes the manifest and a copy of the sweep's file, and mends
  /// what a killed sweep left. Throws UsageError where another sweep is using it, or as look() does.
  Folder(std::string path, const nlohmann::ordered_json& manifest, const std::string& sweep_file,
         Resume resume);

  const std::vector<LoggedRun>& earlier() const { return earlier_; }
  std::string runs_file() const { return path_ + "/runs.jsonl"; }
  /// Where a program writes its record.
  std::string record_file() const { return path_ + "/.record.json"; }
  /// Appends a whole line to runs.jsonl, or throws Error (run_failed) and leaves it as it was.
  void append(std::string line) const { log_->append(std::move(line)); }

 private:
  void lock();

  std::string path_;
  Descriptor lock_;
  std::vector<LoggedRun> earlier_;
  std::optional<JsonSink> log_;
};

}  // namespace loadshare::sweep
