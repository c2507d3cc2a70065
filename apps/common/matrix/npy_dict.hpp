#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "schedulers/types.hpp"

namespace loadshare {

/// The three entries of a .npy header, as written there.
struct NpyDict {
  std::string descr;  ///< e.g. "<f8"
  bool is_fortran_order = false;
  std::vector<Index> shape;
};

/// What is wrong with a header's text; the caller knows the file and tells the user.
class NpyDictError final : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Parses a header's Python literal, e.g. `{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }`,
/// which may be padded with white space. Dimensions are not negative. Throws NpyDictError. Source: NEP 1, "A
/// simple file format for NumPy arrays".
NpyDict parse_npy_dict(std::string_view text);

}  // namespace loadshare
