#include "experiments/sweep/json_values.hpp"

namespace loadshare::sweep {

using nlohmann::ordered_json;

ordered_json to_json(const Scalar& value) {
  if (value.is_flag()) return value.text == "true";
  if (value.is_quoted) return value.text;
  const ordered_json number = ordered_json::parse(value.text, nullptr, false);
  return number.is_number() && number.dump() == value.text ? number : ordered_json(value.text);
}

ordered_json to_json(const Parameters& parameters) {
  ordered_json json = ordered_json::object();
  for (const auto& [axis, value] : parameters) json[axis] = to_json(value);
  return json;
}

std::string one_line(const ordered_json& json) {
  return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace loadshare::sweep
