#include "experiments/sweep/layers.hpp"

#include <algorithm>

namespace loadshare::sweep {

std::optional<yaml::Value> Layers::find(const std::string& key) {
  std::optional<yaml::Value> topmost;
  for (yaml::Map& map : maps_)
    if (auto value = map.find(key)) topmost = std::move(value);
  return topmost;
}

std::vector<std::pair<std::string, yaml::Value>> Layers::merged(const std::string& key) {
  std::vector<std::pair<std::string, yaml::Value>> all;
  for (yaml::Map& map : maps_) {
    const auto value = map.find(key);
    if (!value) continue;
    for (auto& [name, inner] : value->map().all()) {
      const auto known = std::ranges::find(all, name, &std::pair<std::string, yaml::Value>::first);
      if (known == all.end())
        all.emplace_back(name, std::move(inner));
      else
        known->second = std::move(inner);
    }
  }
  return all;
}

}  // namespace loadshare::sweep
