#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace loadshare::tool {

/// Reports on stderr, while it exists, that an answer is still being computed: after five seconds, and then
/// each time the wait has doubled.
class LongAnswer final {
 public:
  /// `how_far` returns a text such as "12 runs simulated", or an empty one. Another thread calls it.
  LongAnswer(std::string doing, std::function<std::string()> how_far);
  ~LongAnswer();
  LongAnswer(const LongAnswer&) = delete;
  LongAnswer& operator=(const LongAnswer&) = delete;

 private:
  void tell_until_stopped();

  std::string doing_;
  std::function<std::string()> how_far_;
  std::mutex mutex_;
  std::condition_variable stopped_;
  bool is_stopped_ = false;
  std::thread teller_;
};

}  // namespace loadshare::tool
