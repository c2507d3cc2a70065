#pragma once

#include <string>
#include <string_view>

namespace loadshare::sweep {

/// The end of what a program printed, however much that was.
class OutputTail {
 public:
  void append(std::string_view bytes);

  /// The last lines that are not blank, at most five and 2,000 bytes, without the last line end.
  std::string last_lines() const;

 private:
  std::string text_;
};

}  // namespace loadshare::sweep
