#include "apps/loadshare/metrics/record.hpp"

#include <fmt/format.h>

#include "apps/loadshare/metrics/fields.hpp"
#include "apps/loadshare/metrics/record_ranks.hpp"
#include "apps/loadshare/metrics/record_setting.hpp"
#include "models/granularity/account.hpp"

namespace loadshare::tool {
namespace {

void require_record(const Fields& record) {
  constexpr const char* suggestion = "give what a program wrote with --json, a sweep's folder, or a profile";
  if (!record.has("schema") || !record.has("makespan_s") || !record.has("ranks"))
    record.refuse("this is no run record", "it lacks schema, makespan_s or ranks", suggestion);
  if (const nlohmann::json& schema = record.any("schema"); schema != RunRecord::schema)
    record.refuse(fmt::format("a record of schema {}", schema.dump()),
                  fmt::format("this program reads {}", RunRecord::schema), "use the loadshare that wrote it");
}

/// Whether the run timed its chunks one by one; else nobody knows which rank did how much.
bool is_thinned(const Fields& record) {
  return record.has("timing") && record.object("timing").value("thinned", false);
}

}  // namespace

SourcedRun read_run_record(const nlohmann::json& line, const std::string& place) {
  const Fields record(line, place);
  require_record(record);
  SourcedRun run;
  run.place = place;
  run.times.program = record.text("app");
  run.times.run_s = record.seconds("makespan_s");
  read_record_ranks(record, run);
  run.is_right = record.any("verified") != false;
  if (is_thinned(record))
    run.remarks.push_back(
        "chunks were too short to time each: which rank did how much, and so its speed, is not known");
  granularity::require_sound(run.times, place + ": ");
  run.setting = read_setting(record);
  run.repeats_work = repeats_work(record);
  const nlohmann::json& versions = record.object("versions");
  if (versions.contains("loadshare") && versions["loadshare"].is_string())
    run.version = versions["loadshare"];
  return run;
}

}  // namespace loadshare::tool
