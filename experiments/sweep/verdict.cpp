#include "experiments/sweep/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "base/io/text.hpp"
#include "base/paired_test.hpp"
#include "base/quantities.hpp"
#include "base/statistics.hpp"

namespace loadshare::sweep {
namespace {

using Times = std::map<Index, double>;

std::vector<double> all_of(const Times& times) {
  std::vector<double> all;
  for (const auto& [repetition, seconds] : times) all.push_back(seconds);
  return all;
}

/// Returns "send:3", but "ranks 2", because a number alone means nothing in a sentence.
std::string name_of(const std::string& axis, const std::string& value) {
  const bool is_meaningful = !parse_number(value) && value != "true" && value != "false";
  return is_meaningful ? value : axis + " " + value;
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

double time_of(const std::pair<const Index, double>& run) {
  if (run.second > 0) return run.second;
  throw UsageError(fmt::format("the run of repetition {} took {} s", run.first, run.second),
                   "compared times must be above 0", "leave that run out");
}

/// Returns the logarithms of the ratios of the rounds that both have.
std::vector<double> log_ratios(const Times& over, const Times& under) {
  std::vector<double> ratios;
  for (const auto& run : over)
    if (const auto pair = under.find(run.first); pair != under.end())
      ratios.push_back(std::log(time_of(run) / time_of(*pair)));
  return ratios;
}

Interval unlogged(const Interval& interval) {
  return {std::exp(interval.low), std::exp(interval.high)};
}

/// Swaps the two values of a ratio.
TimeRatio inverse(TimeRatio ratio) {
  ratio.value = 1 / ratio.value;
  if (ratio.interval) ratio.interval = {1 / ratio.interval->high, 1 / ratio.interval->low};
  return ratio;
}

/// The comparisons of all pairs of points of a setting.
class Comparisons {
 public:
  Comparisons(const Points& points, const MeasuredExperiment& experiment) {
    std::vector<Pair> pairs;
    std::vector<PairedTimes> times;
    for (std::size_t i = 0; i < points.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) {
        pairs.emplace_back(points[i], points[j]);
        times.push_back({&points[i]->times_s, &points[j]->times_s});
      }
    const auto ratios = time_ratios(times, {experiment.error, experiment.equal_within});
    for (std::size_t i = 0; i < pairs.size(); ++i)
      if (ratios[i]) ratios_[pairs[i]] = *ratios[i];
  }

  /// Returns nothing if no round has both.
  std::optional<TimeRatio> ratio(const MeasuredPoint* over, const MeasuredPoint* under) const {
    if (const auto found = ratios_.find({over, under}); found != ratios_.end()) return found->second;
    const auto found = ratios_.find({under, over});
    return found != ratios_.end() ? std::optional(inverse(found->second)) : std::nullopt;
  }

 private:
  using Pair = std::pair<const MeasuredPoint*, const MeasuredPoint*>;

  std::map<Pair, TimeRatio> ratios_;
};

/// Moves the fastest point to the front: the one with the smallest mean, unless the rounds that both have
/// show that another one is faster. Single disturbed runs change a mean, and so do rounds that only one point
/// has.
void order(Points& points, const Comparisons& comparisons) {
  std::ranges::stable_sort(points, is_faster);
  for (auto point = points.begin(); point != points.end(); ++point) {
    const auto ratio = comparisons.ratio(*point, points.front());
    if (ratio && ratio->value < 1) std::rotate(points.begin(), point, point + 1);
  }
}

/// Returns the verdict on the points of one setting.
Verdict compared(const MeasuredExperiment& experiment, Points points) {
  const Comparisons comparisons(points, experiment);
  order(points, comparisons);
  const auto value_of = [&](const MeasuredPoint* point) { return point->parameters.at(experiment.along); };
  const auto baseline = std::ranges::find(points, experiment.baseline, value_of);
  Verdict verdict;
  verdict.is_compared = true;
  verdict.repeats = experiment.repeats;
  verdict.is_reduced = experiment.is_reduced;
  if (baseline != points.end()) verdict.baseline = name_of(experiment.along, experiment.baseline);
  for (const MeasuredPoint* point : points) {
    JudgedValue& value =
        verdict.values.emplace_back(judged(*point, name_of(experiment.along, value_of(point))));
    value.over_fastest = comparisons.ratio(point, points.front());
    if (baseline != points.end()) value.over_baseline = comparisons.ratio(point, *baseline);
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

/// Values by what the runs show of them in comparison with the fastest.
struct Sorted {
  std::vector<const JudgedValue*> slower, equal, undecided;
};

Sorted sorted_by_proof(const Verdict& verdict) {
  Sorted sorted;
  for (std::size_t i = 1; i < verdict.values.size(); ++i) {
    const JudgedValue& value = verdict.values[i];
    if (value.runs == 0) continue;
    const auto& ratio = value.over_fastest;
    const bool is_slower = ratio && ratio->is_shown() && ratio->value > 1;
    const bool is_equal = ratio && ratio->is_equal();
    (is_slower ? sorted.slower : is_equal ? sorted.equal : sorted.undecided).push_back(&value);
  }
  return sorted;
}

std::vector<std::string> names_of(const std::vector<const JudgedValue*>& values) {
  std::vector<std::string> names;
  for (const JudgedValue* value : values) names.push_back(value->name);
  return names;
}

std::string names_with_fastest(const Verdict& verdict, const std::vector<const JudgedValue*>& others) {
  std::vector<std::string> names = names_of(others);
  names.insert(names.begin(), verdict.values.front().name);
  return listed_shortly(std::move(names));
}

/// Returns "1.13 (1.08 to 1.18) times as fast as send:3 and 2.64 (2.6 to 2.7) times as fast as send:1, the
/// slowest".
std::string lead_text(const std::vector<const JudgedValue*>& slower) {
  const JudgedValue& next = *slower.front();
  const JudgedValue& last = *slower.back();
  std::string text = fmt::format("{} times as fast as {}", ratio_text(*next.over_fastest), next.name);
  if (slower.size() > 1)
    text += fmt::format(" and {} times as fast as {}", ratio_text(*last.over_fastest), last.name);
  return text + (slower.size() > 2 ? ", the slowest" : "");
}

std::string margin_text(const JudgedValue& value) {
  return fmt::format("{:g} %", 100 * value.over_fastest->equal_within);
}

/// Returns "gss is the fastest: 1.26 s, 1.13 (1.08 to 1.18) times as fast as send:3".
std::string winner_text(const Verdict& verdict, const Sorted& sorted) {
  const std::string time = duration_text(verdict.values.front().mean_s);
  std::string text =
      sorted.equal.empty()
          ? fmt::format("{} is the fastest: {}", verdict.values.front().name, time)
          : fmt::format("{} are the fastest, equal within {}: {}", names_with_fastest(verdict, sorted.equal),
                        margin_text(*sorted.equal.front()), time);
  return sorted.slower.empty() ? text : text + ", " + lead_text(sorted.slower);
}

bool has_interval(const JudgedValue* value) {
  return value->over_fastest && value->over_fastest->interval;
}

/// Returns "needs at least 9 repeats: set `repeat: 9` and run again with --resume".
std::string too_few_text(const Verdict& verdict, const std::vector<const JudgedValue*>& values) {
  Index rounds = std::numeric_limits<Index>::max(), needed = 0;
  for (const JudgedValue* value : values) {
    const TimeRatio ratio = value->over_fastest.value_or(TimeRatio());
    rounds = std::min(rounds, ratio.rounds);
    needed = std::max(needed, ratio.rounds_needed);
  }
  if (rounds == 0) return "no repetition has a time of both: run again with --resume";
  const std::string advice =
      verdict.repeats >= needed ? "" : repeat_advice(needed, verdict.is_reduced) + " and ";
  return fmt::format("needs at least {} repeats: {}run again with --resume", needed, advice);
}

/// Returns how many rounds would show a difference or equality if the estimate is right: the width of an
/// interval falls with the root of the rounds.
Index estimated_rounds(const TimeRatio& ratio) {
  const double reach = std::log(ratio.interval->high / ratio.interval->low) / 2;
  const double difference = std::abs(std::log(ratio.value));
  const double wanted = std::max(difference, std::log1p(ratio.equal_within) - difference);
  const double rounds = static_cast<double>(ratio.rounds) * std::pow(reach / wanted, 2);
  return std::max(ratio.rounds + 1, static_cast<Index>(std::ceil(rounds)));
}

/// Returns "send:3 took 1.02 (0.97 to 1.07) times as long; about 40 repeats may decide".
std::string overlap_text(const Verdict& verdict, const std::vector<const JudgedValue*>& values) {
  double most = 0;
  Index rounds = 0;
  for (const JudgedValue* value : values) {
    most = std::max(most, value->over_fastest->interval->high);
    rounds = std::max(rounds, estimated_rounds(*value->over_fastest));
  }
  const std::string ratios =
      values.size() == 1
          ? fmt::format("{} took {} times as long", values.front()->name,
                        ratio_text(*values.front()->over_fastest))
          : fmt::format("none took more than {:.2f} times as long as {}", most, verdict.values.front().name);
  return fmt::format("{}; about {} repeats may decide", ratios, rounds);
}

/// Returns the sentence of a setting in which some values may be as fast as the fastest.
std::string no_winner_text(const Verdict& verdict, const Sorted& sorted) {
  const std::string why = std::ranges::all_of(sorted.undecided, has_interval)
                              ? overlap_text(verdict, sorted.undecided)
                              : too_few_text(verdict, sorted.undecided);
  const JudgedValue& fastest = verdict.values.front();
  std::string text =
      fmt::format("no winner yet between {} ({})", names_with_fastest(verdict, sorted.undecided), why);
  if (!sorted.slower.empty())
    text += fmt::format("; {} took {}, {}", fastest.name, duration_text(fastest.mean_s),
                        lead_text(sorted.slower));
  if (!sorted.equal.empty())
    text += fmt::format("; equal to {} within {}: {}", fastest.name, margin_text(*sorted.equal.front()),
                        listed_shortly(names_of(sorted.equal)));
  return text;
}

using Settings = std::vector<std::pair<std::string, Points>>;

/// Groups the points by their values of all axes but the compared one.
Settings settings_of(const MeasuredExperiment& experiment) {
  Settings settings;
  for (const MeasuredPoint& point : experiment.points) {
    const std::string words = words_of(point.parameters, experiment.along);
    const auto known = std::ranges::find(settings, words, &Settings::value_type::first);
    if (known == settings.end())
      settings.push_back({words, {&point}});
    else
      known->second.push_back(&point);
  }
  return settings;
}

// In shorter runs, start and end count too much, and so does a single time slice of some 4 ms that the kernel
// gives to another program.
constexpr double least_comparable_s = 0.1;
constexpr double most_stolen = 0.05;
// A disturbed run takes this many times as long as the median, and is this many deviations away from it.
constexpr double disturbed_by = 1.25;
constexpr double disturbed_deviations = 5;

/// Returns the names of points, or "all 5 points".
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
  return fmt::format(
      "runs too short to compare closely: {} ({} per run{}; enlarge the problem to {} or more)",
      which_text(names, experiment.points.size()), duration_text(least_s),
      names.size() > 1 ? " at the shortest" : "", duration_text(least_comparable_s));
}

/// Returns "1 of 10 runs took up to 2.4 times the median".
std::optional<std::string> outliers(const MeasuredPoint& point) {
  if (static_cast<Index>(point.times_s.size()) < least_samples_of_interval) return std::nullopt;
  const std::vector<double> times_s = all_of(point.times_s);
  const double median_s = median_of(times_s);
  const double limit_s =
      std::max(disturbed_by * median_s, median_s + disturbed_deviations * middle_deviation_of(times_s));
  const auto count = std::ranges::count_if(times_s, [&](double time_s) { return time_s > limit_s; });
  if (count == 0) return std::nullopt;
  return fmt::format("{} of {} runs took up to {:.1f} times the median", count, times_s.size(),
                     std::ranges::max(times_s) / median_s);
}

std::optional<std::string> theft(const MeasuredPoint& point) {
  if (point.stolen.empty() || median_of(point.stolen) <= most_stolen) return std::nullopt;
  return fmt::format("other programs took {} of its processor time", percent_text(median_of(point.stolen)));
}

}  // namespace

std::optional<TimeRatio> time_ratio(const Times& over, const Times& under, const Judging& judging) {
  if (!(judging.equal_within > 0))
    throw UsageError(fmt::format("equal within {}", judging.equal_within), "a margin must be above 0",
                     "give a share such as 0.03");
  const std::vector<double> ratios = log_ratios(over, under);
  if (ratios.empty()) return std::nullopt;
  const SignedRanks ranks(ratios);
  TimeRatio ratio;
  ratio.value = std::exp(ranks.centre());
  if (const auto interval = ranks.interval(judging.error)) ratio.interval = unlogged(*interval);
  ratio.rounds = static_cast<Index>(ratios.size());
  ratio.rounds_needed = static_cast<Index>(fewest_ranked(judging.error));
  ratio.equal_within = judging.equal_within;
  return ratio;
}

std::vector<std::optional<TimeRatio>> time_ratios(const std::vector<PairedTimes>& pairs,
                                                  const Judging& judging) {
  std::vector<std::size_t> judged;
  std::vector<double> p_values;
  for (std::size_t i = 0; i < pairs.size(); ++i)
    if (const auto ratios = log_ratios(*pairs[i].over, *pairs[i].under); !ratios.empty()) {
      judged.push_back(i);
      p_values.push_back(SignedRanks(ratios).p_value());
    }
  const std::vector<double> levels = holm_levels(p_values, judging.error);
  std::vector<std::optional<TimeRatio>> ratios(pairs.size());
  for (std::size_t i = 0; i < judged.size(); ++i) {
    const PairedTimes& pair = pairs[judged[i]];
    ratios[judged[i]] = time_ratio(*pair.over, *pair.under, {levels[i], judging.equal_within});
  }
  return ratios;
}

std::string Verdict::sentence() const {
  if (!is_compared) return "";
  const Sorted sorted = sorted_by_proof(*this);
  if (!sorted.undecided.empty()) return no_winner_text(*this, sorted);
  return sorted.slower.empty() && sorted.equal.empty() ? "" : winner_text(*this, sorted);
}

std::vector<Verdict> verdicts_of(const MeasuredExperiment& experiment) {
  std::vector<Verdict> verdicts;
  if (experiment.along.empty()) {
    Verdict& all = verdicts.emplace_back();
    for (const MeasuredPoint& point : experiment.points)
      all.values.push_back(judged(point, point_name(experiment, point)));
    return verdicts;
  }
  Settings settings = settings_of(experiment);
  for (auto& [words, points] : settings) {
    verdicts.push_back(compared(experiment, std::move(points)));
    if (settings.size() > 1) verdicts.back().setting = words;
  }
  return verdicts;
}

Index repeats_needed(const MeasuredExperiment& experiment) {
  if (experiment.along.empty()) return 0;
  std::size_t values = 0;
  for (const auto& [words, points] : settings_of(experiment)) values = std::max(values, points.size());
  if (values < 2) return 0;
  const auto pairs = static_cast<double>(values * (values - 1) / 2);  // Holm's first step
  return static_cast<Index>(fewest_ranked(experiment.error / pairs));
}

std::string repeat_advice(Index repeats, bool is_reduced) {
  return fmt::format("set `repeat: {}`{}", repeats, is_reduced ? " under `reduced:`" : "");
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
  if (!ratio.interval) return fmt::format("{:.{}f}", ratio.value, least_digits);
  const auto& [low, high] = *ratio.interval;
  int digits = least_digits;
  for (double last = (high - low) / 2 * 100; last < 2 && digits < most_digits; last *= 10) ++digits;
  return fmt::format("{:.{}f} ({:.{}f} to {:.{}f})", ratio.value, digits, low, digits, high, digits);
}

}  // namespace loadshare::sweep
