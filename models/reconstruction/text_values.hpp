#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/reconstruction/rule.hpp"

namespace loadshare::reconstruction {

/// What an expression gives at each of these, as timing graphs evaluate it; nothing where one of its values
/// is no number, or where it has names that are unknown there.
std::optional<std::vector<double>> values_of_text(const std::string& text,
                                                  std::span<const Sighting> sightings);

}  // namespace loadshare::reconstruction
