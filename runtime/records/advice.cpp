#include "runtime/records/advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "base/io/text.hpp"

namespace loadshare {
namespace {

/// From so many times the cost on, narrow chunks are worth a line.
constexpr double least_width_ratio = 1.2;
/// From this share of the workers' time on, a loss is worth advice.
constexpr double least_loss = 0.1;
constexpr double least_gap_loss = 0.05;

/// A loss, as a share of the workers' time, and what to do about it.
struct Loss {
  double share = 0;
  std::string advice;
};

bool was_chosen(const RunRecord& record, std::string_view technique) {
  return record.scheduler.starts_with(technique);
}

Loss of_narrow_chunks(const RunRecord& record) {
  if (width_cost_text(record).empty()) return {};
  const char* how = was_chosen(record, "factoring") ? "a larger min for factoring"
                                                    : "larger chunks, as --scheduler factoring cuts them";
  return {worker_shares(record).computing * (1 - 1 / record.width_cost->ratio), how};
}

/// The workers' chunks by when they began; nothing where not every chunk has its times.
using ChunksByWorker = std::map<WorkerId, std::vector<const ChunkRecord*>>;

ChunksByWorker all_chunks(const RunRecord& record) {
  ChunksByWorker chunks;
  if (record.is_thinned) return chunks;
  for (const ChunkRecord& chunk : record.chunks) chunks[chunk.worker].push_back(&chunk);
  for (auto& [worker, own] : chunks) std::ranges::sort(own, {}, &ChunkRecord::begun_s);
  return chunks;
}

/// Whether timed chunks were too many to list all of them.
bool has_unlisted(const RunRecord& record) {
  return std::ssize(record.chunks) < record.chunks_timed;
}

/// Returns a worker's idle time between its chunks. If not all chunks are listed, this is all its idle time
/// except that in which its bodies waited, because the waits before its first and after its last chunk are
/// then short.
double paused_s(const RunRecord& record, const RankRecord& rank, const ChunksByWorker& chunks) {
  if (has_unlisted(record)) return rank.idle_s - rank.blocked_s;
  const auto& own = chunks.at(*rank.worker);
  double sum_s = 0;
  for (std::size_t i = 1; i < own.size(); ++i) sum_s += std::max(0.0, own[i]->begun_s - own[i - 1]->ended_s);
  return sum_s;
}

/// Of the workers whose host slows them down only by what others do there: under a limit a pause may be its.
double paused_share(const RunRecord& record, const ChunksByWorker& chunks) {
  double paused = 0, all_s = 0;
  for (const RankRecord& rank : record.ranks) {
    if (!rank.worker || rank.capacity < 1) continue;
    if (!has_unlisted(record) && !chunks.contains(*rank.worker)) continue;
    all_s += record.makespan_s;
    paused += paused_s(record, rank, chunks);
  }
  return all_s > 0 ? paused / all_s : 0;
}

Loss of_pauses(const RunRecord& record, const ChunksByWorker& chunks) {
  const auto prefetch = record.options.find("prefetch");
  if (prefetch == record.options.end() || prefetch->second != OptionValue(Index{0})) return {};
  const double share = paused_share(record, chunks);
  if (share < least_gap_loss) return {};
  return {share, fmt::format("--prefetch 1: {} of the workers' time passed between one chunk and the next",
                             percent_text(share))};
}

/// Nothing to do any more, while another worker still computes its last chunk, of which it could have had a
/// part.
Loss of_long_last_chunk(const RunRecord& record, const ChunksByWorker& chunks) {
  const ChunkRecord* last = nullptr;
  for (const auto& [worker, own] : chunks)
    if (last == nullptr || own.back()->ended_s > last->ended_s) last = own.back();
  if (last == nullptr || last->chunk.size < 2 || was_chosen(record, "factoring")) return {};
  double idle_s = 0;
  for (const auto& [worker, own] : chunks)
    idle_s += std::max(0.0, last->ended_s - std::max(own.back()->ended_s, last->begun_s));
  const double share = idle_s / (record.makespan_s * static_cast<double>(record.workers));
  return {share, fmt::format("smaller chunks at the end, as --scheduler factoring cuts them: for {} of their "
                             "time workers had nothing left, while one computed its last {} {}",
                             percent_text(share), grouped_text(last->chunk.size), record.iteration_name)};
}

/// How many workers a host has, which processors they may use, and how long they computed.
struct Crowd {
  std::size_t workers = 0;
  std::set<int> cpus;
  double computing_s = 0;
};

std::map<std::string, Crowd> crowds(const RunRecord& record) {
  std::map<std::string, Crowd> hosts;
  for (const RankRecord& rank : record.ranks) {
    if (!rank.worker) continue;
    Crowd& crowd = hosts[rank.host];
    ++crowd.workers;
    crowd.cpus.insert(rank.cpus.begin(), rank.cpus.end());
    crowd.computing_s += rank.computing_s;
  }
  return hosts;
}

/// The free share of the processors that the workers may use.
double free_share(const RunRecord& record) {
  double used_s = 0, all_s = 0;
  for (const auto& [host, crowd] : crowds(record)) {
    used_s += crowd.computing_s;
    all_s += record.makespan_s * static_cast<double>(crowd.cpus.empty() ? crowd.workers : crowd.cpus.size());
  }
  return all_s > 0 ? std::max(0.0, 1 - used_s / all_s) : 0;
}

// If the processors are in use, bodies may have waited for child processes that waited for a processor. More
// workers would not help then.
Loss of_waiting_bodies(const RunRecord& record) {
  const double share = worker_shares(record).waiting;
  return {
      std::min(share, free_share(record)),
      fmt::format("more workers than processors: for {} of their time the loop's body slept, or waited for a "
                  "disk or something else",
                  percent_text(share))};
}

Loss of_others(const RunRecord& record) {
  const double share = worker_shares(record).stolen;
  if (record.load) return {};  // as it was asked for
  for (const auto& [host, crowd] : crowds(record))
    if (!crowd.cpus.empty() && crowd.workers > crowd.cpus.size())
      return {share, fmt::format("no more workers than processors: on {}, {} share {}", host, crowd.workers,
                                 crowd.cpus.size())};
  return {share, fmt::format("see which programs run beside it, with `loadshare doctor`: they took {} of the "
                             "workers' time",
                             percent_text(share))};
}

/// A word of the summary, and what it means.
struct Word {
  const char* word;
  bool (*is_said)(const RunRecord&);
  const char* meaning;
};

bool always(const RunRecord&) {
  return true;
}

bool has_chunks(const RunRecord& record) {
  return has_master(record);
}

const Word words[] = {
    {"busy%", always,
     "of the makespan: the rank computed, or an iteration slept or waited. Processor time of child processes "
     "for which an iteration waited is included"},
    {"stolen%", always,
     "of the makespan: the rank had something to compute, and somebody else had the processor, be it another "
     "program, the background load, or another rank where there are more of them than processors"},
    {"comm%", has_chunks,
     "of the makespan: moving chunks, results and the broadcast input, or waiting for it"},
    {"comm+wait%", [](const RunRecord& record) { return !record.tells_idle; },
     "of the makespan: exchanging data with other ranks, and waiting for them"},
    {"idle%", [](const RunRecord& record) { return record.tells_idle; },
     "of the makespan: nothing to do, before the next chunk arrived or after the last one"},
    {"makespan", always,
     "from the inputs in the master's memory to the last result at its place; reading and writing files and "
     "verifying are not in it"},
    {"efficiency", always,
     "the mean of busy% over all that compute. It does not say whether computing was fast: narrow chunks, or "
     "a processor shared with others, make the same work take longer"},
    {"chunks", [](const RunRecord& record) { return !width_cost_text(record).empty(); },
     "the cost of narrow chunks, which the efficiency does not show. It is estimated from neighbouring "
     "chunks of both widths. If the program allows iterations to be repeated, it is measured: some in the "
     "middle of the loop are computed again after the run, in chunks of both widths, on the master's host"},
    {"load", [](const RunRecord& record) { return record.load.has_value(); },
     "what --load took while it was on, and what it left to the workers beside it"},
    {"burnt", [](const RunRecord& record) { return burns(record); },
     "processor time of ranks that had nothing to do and looked for work all the time, as Open MPI does. "
     "They "
     "hear of it some microseconds sooner; whatever else runs on their processors is slower for it. With "
     "--wait nap they sleep between looks"},
    {"chosen", [](const RunRecord& record) { return record.choice.has_value(); },
     "what --scheduler auto ran by in the end, and the makespan it expected when it last looked"},
    {"verified", always, "whether the result was checked, and is right"},
};

}  // namespace

std::string width_cost_text(const RunRecord& record) {
  if (!record.width_cost || record.width_cost->ratio < least_width_ratio) return {};
  const WidthCost& cost = *record.width_cost;
  return fmt::format("{} cost {:.1f} times as much in chunks of {} as in chunks of {}{}",
                     record.iteration_name, cost.ratio, grouped_text(cost.narrow), grouped_text(cost.wide),
                     cost.source == WidthCost::Source::repetition ? ", tried after the run" : "");
}

std::string advice(const RunRecord& record) {
  if (!has_master(record) || record.makespan_s <= 0 || record.workers < 1) return {};
  const ChunksByWorker chunks = all_chunks(record);
  std::vector<Loss> losses{of_narrow_chunks(record), of_waiting_bodies(record), of_others(record)};
  if (Loss loss = of_long_last_chunk(record, chunks); loss.share >= least_loss) losses.push_back(loss);
  std::erase_if(losses, [](const Loss& loss) { return loss.share < least_loss; });
  losses.push_back(of_pauses(record, chunks));
  return std::ranges::max_element(losses, {}, &Loss::share)->advice;
}

std::string explanation(const RunRecord& record, int columns_wide) {
  constexpr int word_width = 12;
  std::string text;
  for (const Word& word : words)
    if (word.is_said(record))
      text +=
          wrapped(fmt::format("{:<{}}{}", word.word, word_width, word.meaning), columns_wide, word_width) +
          "\n";
  return text;
}

}  // namespace loadshare
