#pragma once

#include <string>
#include <string_view>

#include "apps/common/own_files.hpp"
#include "schedulers/error.hpp"
#include "schedulers/types.hpp"

namespace loadshare {

/// Throws UsageError where one operand of a product has a file and the other has none; `both` is what a
/// product needs.
void require_both_files(const NamedFile& a, const NamedFile& b, std::string_view both);

/// The error for sizes that stand beside files; `operands_are` as "the matrix is".
UsageError sizes_beside_files(std::string_view operands_are, std::string_view size_options);

/// A dimension of a random operand: what `option` says; if that is not given, what --size says; if that is
/// not either, the usual one. Throws UsageError.
Index dimension(const char* option, const std::string& word, const std::string& size, const char* usual);

}  // namespace loadshare
