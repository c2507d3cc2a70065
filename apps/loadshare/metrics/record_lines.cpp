#include "apps/loadshare/metrics/record_lines.hpp"

#include <fmt/format.h>

#include "apps/loadshare/metrics/record.hpp"
#include "apps/loadshare/record_stream.hpp"

namespace loadshare::tool {

Source read_record_lines(const std::string& path) {
  Source source;
  std::vector<std::string> wrong;
  std::vector<std::string> notes = read_records(path, WithChunks::no, [&](const RecordLine& line) {
    SourcedRun run = read_run_record(line.record, line.place);
    if (line.experiment) run.setting.options[experiment_option] = *line.experiment;
    // Whose result was wrong did not compute the problem; its times are those of something else.
    if (run.is_right)
      source.runs.push_back(std::move(run));
    else
      wrong.push_back(fmt::format("{}: left out, for the run's result was found wrong", line.place));
  });
  source.notes = std::move(notes);
  source.notes.insert(source.notes.end(), wrong.begin(), wrong.end());
  return source;
}

}  // namespace loadshare::tool
