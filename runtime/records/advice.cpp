#include "runtime/records/advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "base/io/text.hpp"
#include "runtime/records/worker_name.hpp"

namespace loadshare {
namespace {

/// The cost ratio from which narrow chunks deserve a line.
constexpr double least_width_ratio = 1.2;
/// The share of the workers' time from which a loss deserves advice.
constexpr double least_loss = 0.1;
constexpr double least_gap_loss = 0.05;

/// A loss, as a share of the workers' time, and its remedy.
struct Loss {
  double share = 0;
  std::string advice;
};

bool was_chosen(const RunRecord& record, std::string_view technique) {
  return record.scheduler.starts_with(technique);
}

std::string larger_chunks(const RunRecord& record) {
  return was_chosen(record, "factoring") ? "a larger min for factoring"
                                         : "larger chunks, as --scheduler factoring cuts them";
}

Loss of_narrow_chunks(const RunRecord& record) {
  if (width_cost_text(record).empty()) return {};
  return {worker_shares(record).computing * (1 - 1 / record.width_cost->ratio), larger_chunks(record)};
}

/// If chunks are short, messages cost most of the communication time. The time until the broadcast input was
/// everywhere is not theirs. With one chunk per worker, chunks cannot be larger.
Loss of_short_chunks(const RunRecord& record) {
  constexpr double short_s = 1e-3;
  if (record.chunks_total <= record.workers) return {};
  double computing_s = 0;
  for (const RankRecord& rank : record.ranks) computing_s += rank.computing_s;
  const double chunk_s = computing_s / static_cast<double>(record.chunks_total);
  if (chunk_s >= short_s) return {};
  const double share = worker_shares(record).communicating - record.shared_input_s / record.makespan_s;
  return {share,
          fmt::format("{}: a chunk takes {} to compute, and communication took {} of the workers' time",
                      larger_chunks(record), duration_text(chunk_s), percent_text(share))};
}

/// The chunks of each worker by the time computing began; empty if some chunks have no times.
using ChunksByWorker = std::map<WorkerId, std::vector<const ChunkRecord*>>;

ChunksByWorker all_chunks(const RunRecord& record) {
  ChunksByWorker chunks;
  if (record.is_thinned) return chunks;
  for (const ChunkRecord& chunk : record.chunks) chunks[chunk.worker].push_back(&chunk);
  for (auto& [worker, own] : chunks) std::ranges::sort(own, {}, &ChunkRecord::begun_s);
  return chunks;
}

/// Returns whether some timed chunks are not listed, because there were too many.
bool has_unlisted(const RunRecord& record) {
  return std::ssize(record.chunks) < record.chunks_timed;
}

/// Returns a worker's idle time between its chunks. If not all chunks are listed, it is all idle time except
/// that in which bodies waited. The waits before the first and after the last chunk are then short.
double paused_s(const RunRecord& record, const RankRecord& rank, const ChunksByWorker& chunks) {
  if (has_unlisted(record)) return rank.idle_s - rank.blocked_s;
  const auto& own = chunks.at(*rank.worker);
  double sum_s = 0;
  for (std::size_t i = 1; i < own.size(); ++i) sum_s += std::max(0.0, own[i]->begun_s - own[i - 1]->ended_s);
  return sum_s;
}

/// Returns the share of paused time. Workers under a limit are left out, because their pauses may come from
/// the limit.
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

/// Workers that were present all the time and received nothing, because there were fewer chunks than workers.
Loss of_too_few_chunks(const RunRecord& record, const ChunksByWorker& chunks) {
  const auto idle = std::ranges::count_if(record.ranks, [&](const RankRecord& rank) {
    return rank.worker && rank.away_s <= 0 && !chunks.contains(*rank.worker);
  });
  if (record.is_thinned || chunks.empty() || idle == 0 || record.chunks_total >= record.workers) return {};
  const Index open = record.iterations - (record.journal ? record.journal->recovered : 0);
  const std::string how =
      open < record.workers ? "fewer workers" : "smaller chunks, as --scheduler auto cuts them";
  const std::string what = open < record.workers ? count_text(open, "iteration", "iterations")
                                                 : count_text(record.chunks_total, "chunk", "chunks");
  return {static_cast<double>(idle) / static_cast<double>(record.workers),
          fmt::format("{}: there {} {} for {} workers", how, what.starts_with("1 ") ? "was" : "were", what,
                      record.workers)};
}

/// The chunk that ended last; null if there is none.
const ChunkRecord* last_chunk(const ChunksByWorker& chunks) {
  const ChunkRecord* last = nullptr;
  for (const auto& [worker, own] : chunks)
    if (last == nullptr || own.back()->ended_s > last->ended_s) last = own.back();
  return last;
}

/// The mean time that a worker took for an iteration.
struct Pace {
  WorkerId worker{};
  double iteration_s = 0;
};

/// The slowest worker first. A worker's chunk that ended the run counts only if it had no other, because that
/// chunk may have been long by chance.
std::vector<Pace> paces_of(const ChunksByWorker& chunks, const ChunkRecord* last) {
  std::vector<Pace> paces;
  for (const auto& [worker, own] : chunks) {
    double busy_s = 0, iterations = 0;
    for (const ChunkRecord* chunk : own) {
      if (chunk == last && own.size() > 1) continue;
      busy_s += chunk->ended_s - chunk->begun_s - chunk->waited_s;
      iterations += static_cast<double>(chunk->chunk.size);
    }
    if (iterations > 0 && busy_s > 0) paces.push_back({worker, busy_s / iterations});
  }
  std::ranges::sort(paces, std::ranges::greater(), &Pace::iteration_s);
  return paces;
}

/// Workers had finished while a slower one still computed. A worker that had left was not idle.
Loss of_unequal_workers(const RunRecord& record, const ChunksByWorker& chunks, const ChunkRecord& last,
                        const std::vector<Pace>& paces) {
  if (record.choice || was_chosen(record, "steady")) return {};
  double idle_s = 0;
  for (const RankRecord& rank : record.ranks)
    if (rank.worker && chunks.contains(*rank.worker))
      idle_s += std::max(0.0, last.ended_s - chunks.at(*rank.worker).back()->ended_s - rank.away_s);
  const double share = idle_s / (record.makespan_s * static_cast<double>(record.workers));
  return {share,
          fmt::format(
              "--scheduler auto or steady, which follow the speeds of the workers: an iteration takes "
              "{:.1f} times as long for {} as for {}, and at the end workers were idle for {} of "
              "their time",
              paces.front().iteration_s / paces.back().iteration_s, worker_text(record, paces.front().worker),
              worker_text(record, paces.back().worker), percent_text(share))};
}

/// Workers had finished while another one still computed its last chunk, of which they could have had a part.
Loss of_long_last_chunk(const RunRecord& record, const ChunksByWorker& chunks) {
  constexpr double unequal = 1.5;
  const ChunkRecord* last = last_chunk(chunks);
  if (last == nullptr) return {};
  const std::vector<Pace> paces = paces_of(chunks, last);
  if (paces.size() > 1 && paces.front().iteration_s > unequal * paces.back().iteration_s)
    return of_unequal_workers(record, chunks, *last, paces);
  if (last->chunk.size < 2 || was_chosen(record, "factoring")) return {};
  double idle_s = 0;
  for (const auto& [worker, own] : chunks)
    idle_s += std::max(0.0, last->ended_s - std::max(own.back()->ended_s, last->begun_s));
  const double share = idle_s / (record.makespan_s * static_cast<double>(record.workers));
  return {share, fmt::format("smaller chunks at the end, as --scheduler factoring cuts them: for {} of their "
                             "time workers were idle while one computed its last {} {}",
                             percent_text(share), grouped_text(last->chunk.size), record.iteration_name)};
}

/// The workers of one host, the processors that they may use, and the time they computed.
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

/// Returns the free share of the processors that the workers may use.
double free_share(const RunRecord& record) {
  double used_s = 0, all_s = 0;
  for (const auto& [host, crowd] : crowds(record)) {
    used_s += crowd.computing_s;
    all_s += record.makespan_s * static_cast<double>(crowd.cpus.empty() ? crowd.workers : crowd.cpus.size());
  }
  return all_s > 0 ? std::max(0.0, 1 - used_s / all_s) : 0;
}

// The loss of waiting in the loop's body. If the processors are in use, bodies may have waited for child
// processes that waited for a processor. Then more workers would not help, so the loss is limited to the free
// share.
Loss of_waiting_bodies(const RunRecord& record) {
  const double share = worker_shares(record).waiting;
  return {
      std::min(share, free_share(record)),
      fmt::format("more workers than processors: for {} of their time the loop's body slept, or waited for "
                  "something other than a processor, such as a disk",
                  percent_text(share))};
}

Loss of_others(const RunRecord& record) {
  const double share = worker_shares(record).stolen;
  if (record.load) return {};  // the load was requested
  for (const auto& [host, crowd] : crowds(record))
    if (!crowd.cpus.empty() && crowd.workers > crowd.cpus.size())
      return {share,
              fmt::format("at most as many workers as processors: on {}, {} workers share {}", host,
                          crowd.workers, count_text(std::ssize(crowd.cpus), "processor", "processors"))};
  return {share,
          fmt::format("end other programs on the hosts (`loadshare doctor` names them): they took {} of "
                      "the workers' time",
                      percent_text(share))};
}

/// A word of the summary, the runs that use it, and its meaning.
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
     "share of the makespan in which the rank computed, or an iteration slept or waited. Processor time of "
     "child processes that an iteration waited for is included"},
    {"stolen%", always,
     "share of the makespan in which the rank had something to compute, but its processor ran something "
     "else: another program, the background load, or another rank if there are more ranks than "
     "processors"},
    {"comm%", has_chunks,
     "share of the makespan spent moving chunks, results and the broadcast input, or waiting for that input"},
    {"comm+wait%", [](const RunRecord& record) { return !record.is_idle_known; },
     "share of the makespan spent exchanging data with other ranks, and waiting for them"},
    {"idle%", [](const RunRecord& record) { return record.is_idle_known; },
     "share of the makespan with nothing to do, before the next chunk arrived or after the last one"},
    {"makespan", always,
     "time from the inputs in the master's memory to the last result in place; it does not include "
     "reading and writing files, or verification"},
    {"efficiency", always,
     "mean of busy% over all ranks that compute. It does not show whether computing was fast: narrow chunks, "
     "or a processor shared with other programs, make the same work take longer"},
    {"chunks", [](const RunRecord& record) { return !width_cost_text(record).empty(); },
     "extra cost of narrow chunks, which the efficiency does not show. It is estimated from neighbouring "
     "chunks of both widths. If the program allows iterations to be repeated, it is measured after the run: "
     "the master's host computes some of them again, in chunks of both widths"},
    {"load", [](const RunRecord& record) { return record.load.has_value(); },
     "processor time that --load took while it was on, and the share that it left to the workers"},
    {"waiting", [](const RunRecord& record) { return burns(record); },
     "processor time of ranks that had nothing to do and polled for work, as Open MPI does. They receive it "
     "some microseconds sooner, and slow down other programs on their processors. With --wait nap they sleep "
     "between polls"},
    {"auto", [](const RunRecord& record) { return record.choice.has_value(); },
     "technique that --scheduler auto used in the end; forecast is the makespan that it expected at its "
     "latest comparison"},
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
  std::vector<Loss> losses{of_narrow_chunks(record),          of_short_chunks(record),
                           of_waiting_bodies(record),         of_others(record),
                           of_too_few_chunks(record, chunks), of_long_last_chunk(record, chunks)};
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
