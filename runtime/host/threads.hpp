#pragma once

#include <exception>
#include <functional>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>

namespace loadshare {

/// Why the system refuses a further thread, and the limits that this process is under, for an error's text.
std::string why_no_thread(const std::system_error& error);

/// A thread that hands its exception to the thread that joins it.
class CheckedThread final {
 public:
  CheckedThread() = default;
  ~CheckedThread() { wait(); }
  CheckedThread(const CheckedThread&) = delete;
  CheckedThread& operator=(const CheckedThread&) = delete;

  /// To be called once. Throws Error(run_failed) if the system refuses a further thread; `purpose` is for its
  /// text: "for the journal".
  void start(std::string_view purpose, std::function<void()> body);
  bool is_started() const { return thread_.joinable(); }
  /// Waits for its end.
  void wait() noexcept;
  /// Waits for its end, and rethrows its exception, once.
  void join();

 private:
  std::thread thread_;
  std::exception_ptr failure_;
};

}  // namespace loadshare
