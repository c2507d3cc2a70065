#include "apps/loadshare/predict/run_record_reader.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "apps/loadshare/metrics/fields.hpp"
#include "apps/loadshare/metrics/sources.hpp"
#include "apps/loadshare/record_stream.hpp"
#include "schedulers/error.hpp"

namespace loadshare::tool {
namespace {

constexpr const char* what_to_give = "give what a farm application wrote with --json, or a sweep's folder";

void require_farm_record(const Fields& record) {
  if (!record.has("schema") || !record.has("makespan_s") || !record.has("ranks") || !record.has("chunks"))
    record.refuse("this is no run record", "it lacks schema, makespan_s, ranks or chunks", what_to_give);
  if (const nlohmann::json& schema = record.any("schema"); schema != RunRecord::schema)
    record.refuse(fmt::format("a record of schema {}", schema.dump()),
                  fmt::format("this program reads {}", RunRecord::schema), "use the loadshare that wrote it");
  if (record.is_null("scheduler"))
    record.refuse("the run had no master", "nobody handed its work out in chunks", what_to_give);
}

OptionValue option_value(const nlohmann::json& value) {
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number_integer()) return value.get<Index>();
  if (value.is_number()) return value.get<double>();
  return value.is_string() ? value.get<std::string>() : value.dump();
}

Role role_of(const Fields& rank) {
  const std::string name = rank.text("role");
  for (const Role role : {Role::worker, Role::master, Role::working_master})
    if (role_name(role) == name) return role;
  rank.refuse(fmt::format("a rank's role is '{}'", name), "a farm has workers and a master");
}

RankRecord read_rank(const Fields& fields) {
  RankRecord rank;
  rank.rank = static_cast<int>(fields.whole("rank", 0));
  rank.role = role_of(fields);
  if (!fields.is_null("worker"))
    rank.worker = WorkerId{static_cast<std::uint32_t>(fields.whole("worker", 0))};
  rank.host = fields.text("host");
  rank.capacity = fields.has("capacity") ? fields.number("capacity", 0, 1) : 1;
  if (fields.has("limit") && !fields.is_null("limit")) {
    const Fields limit(fields.object("limit"), fields.place(), "a rank's limit");
    rank.limit_period_s = limit.seconds("period_s");
    rank.tick_s = limit.seconds("tick_s");
  }
  rank.chunks = fields.whole("chunks", 0);
  rank.iterations = fields.whole("iterations", 0);
  rank.computing_s = fields.seconds("computing_s");
  rank.stolen_s = fields.seconds("stolen_s");
  rank.communicating_s = fields.seconds("communicating_s");
  rank.idle_s = fields.is_null("idle_s") ? 0 : fields.seconds("idle_s");
  rank.coordinating_cpu_s = fields.seconds("coordinating_cpu_s");
  return rank;
}

ChunkRecord read_chunk(const nlohmann::json& line, const Fields& record) {
  const auto seconds = [&](const char* key) { return line.at(key).get<double>(); };
  try {
    return {{line.at("first").get<Index>(), line.at("size").get<Index>()},
            WorkerId{line.at("worker").get<std::uint32_t>()},
            seconds("assigned_s"),
            seconds("received_s"),
            seconds("begun_s"),
            seconds("ended_s"),
            seconds("returned_s"),
            seconds("cpu_s"),
            line.at("duplicate").get<bool>()};
  } catch (const nlohmann::json::exception& error) {
    record.refuse("a chunk is damaged", error.what());
  }
}

std::optional<LoopRecord> read_loop(const Fields& record) {
  if (!record.has("loop") || record.is_null("loop")) return std::nullopt;
  const Fields fields(record.object("loop"), record.place(), "its loop");
  LoopRecord loop{fields.amount("input_bytes"),
                  fields.amount("result_bytes"),
                  fields.amount("shared_bytes"),
                  fields.amount("shared_piece_bytes"),
                  {}};
  if (fields.is_null("work")) return loop;
  for (const nlohmann::json& part : fields.list("work")) {
    if (!part.is_number() || part.get<double>() < 0)
      fields.refuse("'work' of its loop has " + part.dump(), "a part's work is a number of at least 0");
    loop.work.push_back(part.get<double>());
  }
  return loop;
}

std::optional<ChoiceRecord> read_choice(const Fields& record) {
  if (!record.has("choice") || record.is_null("choice")) return std::nullopt;
  const Fields fields(record.object("choice"), record.place(), "its choice");
  ChoiceRecord choice;
  if (!fields.is_null("scheduler")) choice.scheduler = fields.text("scheduler");
  choice.predicted_s = fields.seconds("predicted_s");
  return choice;
}

std::vector<EtaRecord> read_etas(const Fields& record) {
  std::vector<EtaRecord> etas;
  if (!record.has("etas")) return etas;
  for (const nlohmann::json& line : record.list("etas")) {
    const Fields eta(line, record.place(), "an eta");
    etas.push_back({eta.seconds("at_s"), eta.seconds("makespan_s")});
  }
  return etas;
}

std::optional<LoadRecord> read_load(const Fields& record) {
  if (!record.has("load") || record.is_null("load")) return std::nullopt;
  LoadRecord load;
  load.spec = Fields(record.object("load"), record.place(), "its load").text("spec");
  return load;
}

std::vector<std::string> files_of(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) files.push_back(files_behind(path).front());
  return files;
}

/// Where the file has the run of the line; its sweep is the folder that it lies in.
FarmRuns::Place place_of(const RecordLine& line, const std::string& file) {
  if (!line.experiment) return {};
  const std::string folder = std::filesystem::path(file).parent_path().string();
  return {folder.empty() ? "." : folder, *line.experiment, line.point};
}

}  // namespace

RunRecord read_farm_record(const nlohmann::json& line, const std::string& place) {
  const Fields record(line, place);
  require_farm_record(record);
  RunRecord run;
  run.app = record.text("app");
  run.scheduler = record.text("scheduler");
  run.workers = record.whole("workers", 1);
  run.iterations = record.whole("iterations", 0);
  run.iteration_name = record.text("iteration_name");
  run.makespan_s = record.seconds("makespan_s");
  run.shared_input_s = record.seconds("shared_input_s");
  if (record.has("seed") && !record.is_null("seed")) run.seed = record.whole("seed", 0);
  if (record.any("verified").is_boolean()) run.verified = record.any("verified").get<bool>();
  for (const auto& [name, value] : record.object("options").items()) run.options[name] = option_value(value);
  run.load = read_load(record);
  run.loop = read_loop(record);
  run.choice = read_choice(record);
  run.etas = read_etas(record);
  for (const nlohmann::json& rank : record.list("ranks"))
    run.ranks.push_back(read_rank(Fields(rank, place, "a rank")));
  for (const nlohmann::json& chunk : record.list("chunks")) run.chunks.push_back(read_chunk(chunk, record));
  return run;
}

FarmRuns read_farm_runs(const std::vector<std::string>& paths) {
  FarmRuns all;
  for (const std::string& path : files_of(paths)) {
    const std::size_t before = all.runs.size();
    const auto notes = read_records(path, WithChunks::yes, [&](const RecordLine& line) {
      RunRecord run = read_farm_record(line.record, line.place);
      if (run.verified == false)
        return all.notes.push_back(line.place + ": left out, for the run's result was found wrong");
      all.runs.push_back(std::move(run));
      all.places.push_back(place_of(line, path));
    });
    all.notes.insert(all.notes.end(), notes.begin(), notes.end());
    if (all.runs.size() == before)
      throw UsageError(path + " holds no runs", all.notes.empty() ? "it is empty" : all.notes.back(),
                       what_to_give);
  }
  return all;
}

}  // namespace loadshare::tool
