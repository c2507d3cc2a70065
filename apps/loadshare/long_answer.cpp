#include "apps/loadshare/long_answer.hpp"

#include <fmt/format.h>

#include <chrono>
#include <system_error>
#include <utility>

#include "runtime/records/progress.hpp"

namespace loadshare::tool {

LongAnswer::LongAnswer(std::string doing, std::function<std::string()> how_far)
    : doing_(std::move(doing)), how_far_(std::move(how_far)) {
  try {
    teller_ = std::thread([this] { tell_until_stopped(); });
  } catch (const std::system_error&) {  // the answer comes without it
  }
}

LongAnswer::~LongAnswer() {
  if (!teller_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    is_stopped_ = true;
  }
  stopped_.notify_one();
  teller_.join();
}

void LongAnswer::tell_until_stopped() {
  constexpr std::chrono::seconds first_after(5);
  std::unique_lock lock(mutex_);
  const auto begun = std::chrono::steady_clock::now();
  for (auto after = first_after;; after *= 2) {
    if (stopped_.wait_until(lock, begun + after, [this] { return is_stopped_; })) return;
    const std::string far = how_far_();
    write_note(fmt::format("loadshare: still {} after {} s{}; Ctrl-C ends it\n", doing_, after.count(),
                           far.empty() ? "" : ", " + far));
  }
}

}  // namespace loadshare::tool
