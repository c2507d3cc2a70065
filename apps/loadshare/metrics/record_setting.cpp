#include "apps/loadshare/metrics/record_setting.hpp"

#include <algorithm>
#include <array>

namespace loadshare::tool {
namespace {

constexpr const char* measured_rounds = "rounds_per_second";

/// They follow from the number of ranks, or from the other options.
constexpr std::array derived{"workers",      "ranks",          "wait_in_force", "least_makespan_s",
                             "cost_total_s", "cost_dearest_s", "cost_cv"};

/// What was found out, how the result was looked at, and where it went.
constexpr std::array of_the_result{"escape_iterations", "verified_points", "verify", "image", "y", "c"};

bool is_setting(const std::string& name, bool repeats) {
  if (name == measured_rounds) return repeats;
  return std::ranges::find(derived, name) == derived.end() &&
         std::ranges::find(of_the_result, name) == of_the_result.end();
}

OptionValue option_value(const Fields& record, const std::string& name, const nlohmann::json& value) {
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number_integer()) return value.get<Index>();
  if (value.is_number()) return value.get<double>();
  if (value.is_string()) return value.get<std::string>();
  record.refuse("option '" + name + "' is " + value.dump(), "options are numbers, texts or true and false");
}

}  // namespace

std::string without_seed(std::string load) {
  constexpr std::string_view seed = ",seed=";
  const std::size_t from = load.find(seed);
  if (from == std::string::npos) return load;
  return load.erase(from, load.find(',', from + seed.size()) - from);
}

std::map<std::string, OptionValue> setting_options(const std::map<std::string, OptionValue>& options) {
  const auto measured = options.find("rounds_are_measured");
  const bool repeats = measured == options.end() || measured->second != OptionValue(true);
  std::map<std::string, OptionValue> own = options;
  std::erase_if(own, [repeats](const auto& option) { return !is_setting(option.first, repeats); });
  return own;
}

bool repeats_work(const Fields& record) {
  const nlohmann::json& options = record.object("options");
  return !options.contains("rounds_are_measured") || options["rounds_are_measured"] != true;
}

Setting read_setting(const Fields& record) {
  Setting setting;
  setting.program = record.text("app");
  const bool repeats = repeats_work(record);
  for (const auto& [name, value] : record.object("options").items())
    if (is_setting(name, repeats)) setting.options[name] = option_value(record, name, value);
  // Peers share work that may depend on how many they are; their options alone say what the problem is.
  if (!record.is_null("scheduler")) setting.options["iterations"] = record.whole("iterations", 0);
  setting.options["transport"] = record.text("transport");
  if (!record.is_null("scheduler")) setting.options["scheduler"] = record.text("scheduler");
  if (!record.is_null("seed")) setting.options["seed"] = record.whole("seed", 0);
  if (!record.is_null("load"))
    setting.options[load_option] =
        without_seed(Fields(record.object("load"), record.place(), "'load'").text("spec"));
  return setting;
}

}  // namespace loadshare::tool
