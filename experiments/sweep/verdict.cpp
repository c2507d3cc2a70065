#include "experiments/sweep/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/io/text.hpp"
#include "base/quantities.hpp"
#include "base/statistics.hpp"

namespace loadshare::sweep {
namespace {

using Times = std::map<Index, double>;

constexpr double confidence = 0.95;

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

std::vector<double> all_of(const Times& times) {
  std::vector<double> all;
  for (const auto& [repetition, seconds] : times) all.push_back(seconds);
  return all;
}

/// "send:3", but "ranks 2": a number alone says nothing in a sentence.
std::string name_of(const std::string& axis, const std::string& value) {
  const bool is_telling = !parse_number(value) && value != "true" && value != "false";
  return is_telling ? value : axis + " " + value;
}

std::string words_of(const std::map<std::string, std::string>& parameters, const std::string& but) {
  std::string words;
  for (const auto& [axis, value] : parameters)
    if (axis != but) words += fmt::format("{}{} {}", words.empty() ? "" : ", ", axis, value);
  return words;
}

JudgedValue judged(const MeasuredPoint& point, std::string name) {
  JudgedValue value;
  value.name = std::move(name);
  value.point = point.id;
  value.runs = static_cast<Index>(point.times_s.size());
  if (value.runs == 0) return value;
  const std::vector<double> times_s = all_of(point.times_s);
  value.mean_s = mean_of(times_s);
  value.deviation_s = standard_deviation_of(times_s);
  value.least_s = std::ranges::min(times_s);
  value.most_s = std::ranges::max(times_s);
  return value;
}

using Points = std::vector<const MeasuredPoint*>;

bool is_faster(const MeasuredPoint* one, const MeasuredPoint* other) {
  if (one->times_s.empty() || other->times_s.empty()) return other->times_s.empty() && !one->times_s.empty();
  return mean_of(all_of(one->times_s)) < mean_of(all_of(other->times_s));
}

/// The fastest to the front. That is the one of the least mean, but where points ran a different number of
/// times the rounds that both have may show another one to be faster.
void order(Points& points, Index comparisons) {
  std::ranges::stable_sort(points, is_faster);
  for (std::size_t i = 1; i < points.size(); ++i) {
    const auto ratio = time_ratio(points[i]->times_s, points.front()->times_s, comparisons);
    if (ratio && ratio->is_shown() && ratio->value < 1) std::swap(points.front(), points[i]);
  }
}

/// The verdict on the points of one setting.
Verdict compared(const MeasuredExperiment& experiment, Points points) {
  const Index comparisons =
      std::ranges::count_if(points, [](const MeasuredPoint* point) { return !point->times_s.empty(); }) - 1;
  order(points, comparisons);
  const auto value_of = [&](const MeasuredPoint* point) { return point->parameters.at(experiment.along); };
  const auto baseline = std::ranges::find(points, experiment.baseline, value_of);
  Verdict verdict;
  verdict.is_compared = true;
  if (baseline != points.end()) verdict.baseline = name_of(experiment.along, experiment.baseline);
  for (const MeasuredPoint* point : points) {
    JudgedValue& value =
        verdict.values.emplace_back(judged(*point, name_of(experiment.along, value_of(point))));
    if (point != points.front())
      value.over_fastest = time_ratio(point->times_s, points.front()->times_s, comparisons);
    if (baseline != points.end() && point != *baseline)
      value.over_baseline = time_ratio(point->times_s, (*baseline)->times_s, comparisons);
  }
  return verdict;
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  return text;
}

constexpr std::size_t most_named = 4;

std::string listed_shortly(std::vector<std::string> names) {
  if (names.size() > most_named + 1) {
    const std::size_t more = names.size() - most_named;
    names.resize(most_named);
    names.push_back(fmt::format("{} more", more));
  }
  return listed(names);
}

/// Values by whether the runs show that they are slower than the fastest.
struct Sorted {
  std::vector<const JudgedValue*> slower, undecided;
};

Sorted sorted_by_proof(const Verdict& verdict) {
  Sorted sorted;
  for (std::size_t i = 1; i < verdict.values.size(); ++i) {
    const JudgedValue& value = verdict.values[i];
    if (value.runs == 0) continue;
    const bool is_slower = value.over_fastest && value.over_fastest->is_shown();
    (is_slower ? sorted.slower : sorted.undecided).push_back(&value);
  }
  return sorted;
}

/// "gss ran 1.13 +- 0.05 times as fast as send:3 and 2.64 +- 0.04 times as fast as send:1, the slowest"
std::string won_text(const Verdict& verdict, const std::vector<const JudgedValue*>& slower) {
  const JudgedValue& next = *slower.front();
  const JudgedValue& last = *slower.back();
  std::string text = fmt::format("{} ran {} times as fast as {}", verdict.values.front().name,
                                 ratio_text(*next.over_fastest), next.name);
  if (slower.size() > 1)
    text += fmt::format(" and {} times as fast as {}", ratio_text(*last.over_fastest), last.name);
  return text + (slower.size() > 2 ? ", the slowest" : "");
}

std::string undecided_text(const Verdict& verdict, const std::vector<const JudgedValue*>& undecided) {
  std::vector<std::string> names{verdict.values.front().name};
  const TimeRatio* widest = nullptr;
  for (const JudgedValue* value : undecided) {
    names.push_back(value->name);
    const auto& ratio = value->over_fastest;
    if (ratio && std::isfinite(ratio->reach) && (widest == nullptr || ratio->value > widest->value))
      widest = &*ratio;
  }
  const std::string why =
      widest == nullptr
          ? "too few runs to tell"
          : fmt::format("{}{} times as long", names.size() > 2 ? "at most " : "", ratio_text(*widest));
  return fmt::format("undecided between {} ({})", listed_shortly(std::move(names)), why);
}

// A run of less is swayed by its own beginning and end, and by single slices of some 4 ms that the kernel
// gives to other programs.
constexpr double least_comparable_s = 0.1;
constexpr double most_stolen = 0.05;
// A run is disturbed that takes this much longer than the middle one, and is that many deviations away.
constexpr double disturbed_by = 1.25;
constexpr double disturbed_deviations = 5;

/// Names of points, each in words; all of them where it is every point.
std::string which_text(const std::vector<std::string>& names, std::size_t points) {
  if (names.size() == points && points > 2) return fmt::format("all {} points", points);
  return listed_shortly(names);
}

std::string point_name(const MeasuredExperiment& experiment, const MeasuredPoint& point) {
  if (point.parameters.empty()) return experiment.name;
  if (point.parameters.size() == 1)
    return name_of(point.parameters.begin()->first, point.parameters.begin()->second);
  return words_of(point.parameters, "");
}

std::optional<std::string> shortness(const MeasuredExperiment& experiment) {
  std::vector<std::string> names;
  double least_s = std::numeric_limits<double>::infinity();
  for (const MeasuredPoint& point : experiment.points) {
    if (point.times_s.empty()) continue;
    const double median_s = median_of(all_of(point.times_s));
    if (median_s >= least_comparable_s) continue;
    names.push_back(point_name(experiment, point));
    least_s = std::min(least_s, median_s);
  }
  if (names.empty()) return std::nullopt;
  return fmt::format("too short to compare closely: {} ({} a run{}; give each {} or more to do)",
                     which_text(names, experiment.points.size()), duration_text(least_s),
                     names.size() > 1 ? " of the shortest" : "", duration_text(least_comparable_s));
}

/// "1 of 10 runs took up to 2.4 times as long as the middle one"
std::optional<std::string> outliers(const MeasuredPoint& point) {
  if (static_cast<Index>(point.times_s.size()) < least_samples_of_interval) return std::nullopt;
  const std::vector<double> times_s = all_of(point.times_s);
  const double median_s = median_of(times_s);
  const double limit_s =
      std::max(disturbed_by * median_s, median_s + disturbed_deviations * middle_deviation_of(times_s));
  const auto count = std::ranges::count_if(times_s, [&](double time_s) { return time_s > limit_s; });
  if (count == 0) return std::nullopt;
  return fmt::format("{} of {} runs took up to {:.1f} times as long as the middle one", count, times_s.size(),
                     std::ranges::max(times_s) / median_s);
}

std::optional<std::string> theft(const MeasuredPoint& point) {
  if (point.stolen.empty() || median_of(point.stolen) <= most_stolen) return std::nullopt;
  return fmt::format("other programs took {} of its time", percent_text(median_of(point.stolen)));
}

}  // namespace

std::optional<TimeRatio> time_ratio(const Times& over, const Times& under, Index comparisons) {
  std::vector<double> one, other;
  for (const auto& [round, seconds] : over)
    if (const auto found = under.find(round); found != under.end()) {
      one.push_back(seconds);
      other.push_back(found->second);
    }
  if (one.empty()) return std::nullopt;
  TimeRatio ratio;
  ratio.rounds = static_cast<Index>(one.size());
  ratio.value = mean_of(one) / mean_of(other);
  if (one.size() < 2) return ratio;
  // The delta method: the ratio errs as the mean of these residuals over the mean below.
  std::vector<double> residuals;
  for (std::size_t i = 0; i < one.size(); ++i) residuals.push_back(one[i] - ratio.value * other[i]);
  const double error =
      standard_deviation_of(residuals) / (std::sqrt(static_cast<double>(one.size())) * mean_of(other));
  const double together = 1 - (1 - confidence) / static_cast<double>(std::max<Index>(1, comparisons));
  ratio.reach = error * students_t_within(together, one.size() - 1);
  return ratio;
}

std::string Verdict::sentence() const {
  const Sorted sorted = sorted_by_proof(*this);
  if (!is_compared || (sorted.slower.empty() && sorted.undecided.empty())) return "";
  std::string text = sorted.slower.empty() ? "" : won_text(*this, sorted.slower);
  if (!sorted.undecided.empty()) text += (text.empty() ? "" : "; ") + undecided_text(*this, sorted.undecided);
  return text;
}

std::vector<Verdict> verdicts_of(const MeasuredExperiment& experiment) {
  std::vector<Verdict> verdicts;
  if (experiment.along.empty()) {
    Verdict& all = verdicts.emplace_back();
    for (const MeasuredPoint& point : experiment.points)
      all.values.push_back(judged(point, point_name(experiment, point)));
    return verdicts;
  }
  std::vector<std::pair<std::string, Points>> settings;
  for (const MeasuredPoint& point : experiment.points) {
    const std::string words = words_of(point.parameters, experiment.along);
    const auto known = std::ranges::find(settings, words, &std::pair<std::string, Points>::first);
    if (known == settings.end())
      settings.push_back({words, {&point}});
    else
      known->second.push_back(&point);
  }
  for (auto& [words, points] : settings) {
    verdicts.push_back(compared(experiment, std::move(points)));
    if (settings.size() > 1) verdicts.back().setting = words;
  }
  return verdicts;
}

std::vector<std::string> doubts_about(const MeasuredExperiment& experiment) {
  std::vector<std::string> doubts;
  if (const auto text = shortness(experiment)) doubts.push_back(*text);
  for (const MeasuredPoint& point : experiment.points)
    for (const auto& text : {outliers(point), theft(point)})
      if (text) doubts.push_back(fmt::format("disturbed: {} ({})", point_name(experiment, point), *text));
  return doubts;
}

std::string ratio_text(const TimeRatio& ratio) {
  constexpr int least_digits = 2, most_digits = 4;
  if (!std::isfinite(ratio.reach)) return fmt::format("{:.{}f}", ratio.value, least_digits);
  int digits = least_digits;
  for (double last = ratio.reach * 100; last < 2 && digits < most_digits; last *= 10) ++digits;
  return fmt::format("{:.{}f} +- {:.{}f}", ratio.value, digits, ratio.reach, digits);
}

}  // namespace loadshare::sweep
