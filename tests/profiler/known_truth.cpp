#include "tests/profiler/known_truth.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace loadshare {
namespace {

/// The ranks that are late in a phase, for which the others wait.
enum class Late { rank_0, others, any, neighbours, ends };

/// A phase. If it also moves data, all its time except the waiting is exchange.
struct Phase {
  Late late;
  bool is_exchange = false;
};

constexpr std::array<Phase, phases> first_phases{{{Late::rank_0},
                                                  {Late::rank_0},
                                                  {Late::rank_0},
                                                  {Late::rank_0},
                                                  {Late::rank_0, true},
                                                  {Late::rank_0},
                                                  {Late::rank_0},
                                                  {Late::others},
                                                  {Late::any},
                                                  {Late::any},
                                                  {Late::any},
                                                  {Late::any}}};

Phase phase_at(std::size_t number) {
  if (number < phases) return first_phases.at(number);
  return {number < phases + ring_messages ? Late::neighbours : Late::ends, true};
}

bool waits_for(std::size_t rank, std::size_t other, Late late, std::size_t ranks) {
  switch (late) {
    case Late::rank_0:
      return other == 0;
    case Late::others:
      return rank == 0;
    case Late::any:
      return true;
    case Late::neighbours:
      return other == (rank + 1) % ranks || rank == (other + 1) % ranks;
    case Late::ends:
      return rank + other == ranks - 1 && (rank == 0 || other == 0);
  }
  return false;
}

double waited_s(const std::vector<Log>& logs, std::size_t rank, std::size_t phase) {
  double came_s = logs[rank].came_s[phase];
  for (std::size_t other = 0; other < logs.size(); ++other)
    if (waits_for(rank, other, phase_at(phase).late, logs.size()))
      came_s = std::max(came_s, logs[other].came_s[phase]);
  return came_s - logs[rank].came_s[phase];
}

nlohmann::json truth_of(const std::vector<Log>& logs, std::size_t rank, double begin_s, double end_s) {
  const Log& log = logs[rank];
  double meeting_s = 0;
  double in_exchange_s = 0;
  for (std::size_t phase = 0; phase < log.came_s.size(); ++phase)
    (phase_at(phase).is_exchange ? in_exchange_s : meeting_s) += waited_s(logs, rank, phase);
  const double absent_s = (log.begin_s - begin_s) + (end_s - log.end_s);
  return {{"rank", rank},
          {"computing_s", log.computing_s},
          {"communicating_s", log.exchanging_s - in_exchange_s},
          {"idle_s", log.asleep_s + absent_s + meeting_s + in_exchange_s},
          {"stolen_s", log.stolen_s},
          {"theft_s", log.theft_s}};
}

}  // namespace

std::string truth_text(const std::vector<Log>& logs) {
  double begin_s = logs.front().begin_s;
  double end_s = logs.front().end_s;
  for (const Log& log : logs) {
    begin_s = std::min(begin_s, log.begin_s);
    end_s = std::max(end_s, log.end_s);
  }
  nlohmann::json truth{{"run_s", end_s - begin_s}};
  for (std::size_t rank = 0; rank < logs.size(); ++rank)
    truth["ranks"].push_back(truth_of(logs, rank, begin_s, end_s));
  return truth.dump();
}

}  // namespace loadshare
