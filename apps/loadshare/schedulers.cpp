#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "apps/loadshare/chunks.hpp"
#include "apps/loadshare/command.hpp"
#include "apps/loadshare/output.hpp"
#include "base/error.hpp"
#include "base/io/text.hpp"
#include "base/quantities.hpp"
#include "schedulers/table.hpp"

namespace loadshare::tool {
namespace {

/// So many sizes, one behind the other.
struct SizeRun {
  Index size = 0;
  Index count = 0;
};

/// What a scheduler makes of a loop.
struct Sequence {
  std::string scheduler;
  Index chunks = 0;
  Index largest = 0;
  std::vector<SizeRun> runs;
};

Sequence sequence_of(std::string label, ChunkScheduler& scheduler, const LoopFacts& loop) {
  Sequence sequence;
  sequence.scheduler = std::move(label);
  sequence.chunks = cut_loop(scheduler, loop, [&](Index size) {
    if (sequence.runs.empty() || sequence.runs.back().size != size) sequence.runs.push_back({size, 0});
    ++sequence.runs.back().count;
    sequence.largest = std::max(sequence.largest, size);
  });
  return sequence;
}

/// Of the specs, or where there are none of every technique in the table.
std::vector<Sequence> sequences_of(const std::vector<std::string>& specs, const LoopFacts& loop) {
  const SchedulerTable table = built_in_schedulers();
  std::vector<Sequence> sequences;
  const auto add = [&](std::string label, const std::string& spec) {
    sequences.push_back(sequence_of(std::move(label), *table.make(spec, loop), loop));
  };
  for (const std::string& spec : specs) add(table.parse(spec).text(), spec);
  if (!specs.empty()) return sequences;
  for (const auto& entry : table.entries()) add(entry.name, example_of(entry));
  return sequences;
}

/// "125x4 63x4 31", cut where it gets long.
std::string sizes_text(const std::vector<SizeRun>& runs) {
  constexpr std::size_t columns = 60;
  constexpr std::string_view more = " ...";
  std::string text;
  for (const SizeRun& run : runs) {
    std::string word = (text.empty() ? "" : " ") + std::to_string(run.size);
    if (run.count > 1) word += fmt::format("x{}", run.count);
    const bool is_last = &run == &runs.back();
    if (text.size() + word.size() + (is_last ? 0 : more.size()) > columns) return text.append(more);
    text += word;
  }
  return text;
}

std::string comparison_text(const std::vector<Sequence>& sequences, const LoopFacts& loop) {
  std::vector<std::vector<std::string>> rows{{"scheduler", "sizes", "largest", "chunks"}};
  for (const Sequence& one : sequences)
    rows.push_back(
        {one.scheduler, sizes_text(one.runs), std::to_string(one.largest), std::to_string(one.chunks)});
  return fmt::format(
             "{} on {} that ask in turn and have the same speed\n"
             "\n",
             count_text(loop.iterations, "iterations"), count_text(loop.workers, "workers")) +
         table_text(rows, 2);
}

std::string comparison_json(const std::vector<Sequence>& sequences, const LoopFacts& loop) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const Sequence& one : sequences) {
    nlohmann::ordered_json runs = nlohmann::ordered_json::array();
    for (const SizeRun& run : one.runs) runs.push_back({run.size, run.count});
    rows.push_back({{"scheduler", one.scheduler}, {"runs", std::move(runs)}});
  }
  return file_text({{"schema", 1},
                    {"iterations", loop.iterations},
                    {"workers", loop.workers},
                    {"sequences", std::move(rows)}});
}

class Schedulers final : public Command {
 public:
  void describe(CLI::App& app) override {
    const auto add = [&](const char* name, auto& value, const char* type, const char* text) {
      return app.add_option(name, value, text)->type_name(type);
    };
    CLI::Option* const compare =
        app.add_flag("--compare", compares_, "show the chunk sizes of each scheduler for a loop");
    add("SPEC", specs_, "", "schedulers to show instead of all, as gss:14 tss:40,2")->needs(compare);
    add("--iterations", iterations_, "N", "iterations of the loop, at most a million")
        ->capture_default_str()
        ->needs(compare);
    add("--workers", workers_, "P", "workers, which ask in turn and have the same speed")
        ->capture_default_str()
        ->needs(compare);
    add("--plot", outputs_.plot, "FILE.svg|.png", "draw the sequences")->needs(compare);
  }

  ExitCode run() override {
    if (!compares_) {
      print(built_in_schedulers().help(static_cast<std::size_t>(metrics_width)));
      return ExitCode::good;
    }
    constexpr Index most_iterations = 1'000'000;
    constexpr Index most_workers = std::numeric_limits<std::uint32_t>::max();
    const LoopFacts loop{whole_number("--iterations", iterations_, 0, most_iterations),
                         whole_number("--workers", workers_, 1, most_workers)};
    require_outputs(outputs_, {});
    const std::vector<Sequence> sequences = sequences_of(specs_, loop);
    answer(outputs_, "the comparison", comparison_text(sequences, loop), comparison_json(sequences, loop),
           "chunks-plot");
    return ExitCode::good;
  }

 private:
  bool compares_ = false;
  std::vector<std::string> specs_;
  std::string iterations_ = "1000";
  std::string workers_ = "4";
  FigureFiles outputs_;
};

}  // namespace

std::unique_ptr<Command> make_schedulers_command() {
  return std::make_unique<Schedulers>();
}

}  // namespace loadshare::tool
