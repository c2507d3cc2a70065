#pragma once

#include <span>
#include <vector>

#include "models/scaling/term.hpp"

namespace loadshare::scaling {

/// The terms that a law may consist of, the simplest first: products of one power or logarithm of each
/// parameter that differs among `settings`. The number of ranks `p` may stand below the line, for work that
/// is divided, the others not. Without the constant.
std::vector<Term> term_pool(std::span<const Setting> settings);

}  // namespace loadshare::scaling
