#include "apps/loadshare/predict/host_counts.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "models/predictor/choice.hpp"
#include "models/predictor/prediction.hpp"

namespace loadshare::tool {
namespace {

constexpr std::size_t most_counts = 16;

std::vector<std::size_t> counts_to_try(std::size_t fewest, std::size_t all) {
  std::vector<std::size_t> counts;
  const double ratio = static_cast<double>(all) / static_cast<double>(fewest);
  for (std::size_t row = 0; row < most_counts; ++row) {
    const double part = static_cast<double>(row) / (most_counts - 1);
    const auto step =
        static_cast<std::size_t>(std::lround(static_cast<double>(fewest) * std::pow(ratio, part)));
    counts.push_back(all <= most_counts ? std::min(fewest + row, all) : step);
  }
  const auto [first, last] = std::ranges::unique(counts);
  counts.erase(first, last);
  return counts;
}

/// The first hosts of the list, the master's in any case.
predictor::FarmSetting first_hosts(predictor::FarmSetting setting, std::size_t count) {
  for (std::size_t rank = 0; rank < setting.hosts.size(); ++rank)
    setting.hosts[rank].load_rank = static_cast<int>(rank);
  if (setting.master_rank >= count) {
    std::swap(setting.hosts[count - 1], setting.hosts[setting.master_rank]);
    setting.master_rank = count - 1;
  }
  setting.hosts.resize(count);
  return setting;
}

HostCount best_for(const Question& question, const SchedulerTable& table,
                   const std::vector<std::string>& schedulers, std::size_t count, std::size_t replicates) {
  const predictor::FarmSetting setting = first_hosts(question.setting, count);
  const predictor::Predictor predictor(
      table,
      [&](std::uint64_t replicate) {
        return make_scenario(question.model, setting, question.network, replicate);
      },
      has_chance(question.model, setting) ? replicates : 1);
  std::vector<predictor::Prediction> predictions;
  const auto workers = static_cast<Index>(predictor.middle().workers.size());
  for (const std::string& spec :
       schedulers.empty() ? table.candidates({question.model.iterations, workers}) : schedulers)
    predictions.push_back(predictor.predict(spec));
  const predictor::Prediction& chosen = predictions[choose(predictions, table).chosen];
  return {count, chosen.scheduler, chosen.makespan_s, 0};
}

}  // namespace

std::vector<HostCount> predict_host_counts(const Question& question, const SchedulerTable& table,
                                           const std::vector<std::string>& schedulers,
                                           std::size_t replicates) {
  std::vector<HostCount> rows;
  const std::size_t fewest = question.setting.master_works ? 1 : 2;
  for (const std::size_t count : counts_to_try(fewest, question.setting.hosts.size())) {
    HostCount row = best_for(question, table, schedulers, count, replicates);
    if (!rows.empty()) {
      const HostCount& before = rows.back();
      row.gain = (1 - row.makespan_s / before.makespan_s) / static_cast<double>(count - before.hosts);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

const HostCount& enough_hosts(const std::vector<HostCount>& counts) {
  constexpr double close = 1.05;
  const double best_s = std::ranges::min_element(counts, {}, &HostCount::makespan_s)->makespan_s;
  return *std::ranges::find_if(counts,
                               [=](const HostCount& row) { return row.makespan_s <= close * best_s; });
}

}  // namespace loadshare::tool
