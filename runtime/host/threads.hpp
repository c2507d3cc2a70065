#pragma once

#include <exception>
#include <functional>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>

namespace loadshare {

/// Returns why the system refuses a further thread, with the limits of this process.
std::string why_no_thread(const std::system_error& error);

/// A thread that hands its exception to the thread that joins it.
class CheckedThread final {
 public:
  CheckedThread() = default;
  ~CheckedThread() { wait(); }
  CheckedThread(const CheckedThread&) = delete;
  CheckedThread& operator=(const CheckedThread&) = delete;

  /// Starts the thread; call once. Throws Error(run_failed) if the system refuses it; the text contains
  /// `purpose`, such as "for the journal".
  void start(std::string_view purpose, std::function<void()> body);
  bool is_started() const { return thread_.joinable(); }
  /// Waits for the thread's end.
  void wait() noexcept;
  /// Waits for the thread's end, and rethrows its exception, once.
  void join();

 private:
  std::thread thread_;
  std::exception_ptr failure_;
};

}  // namespace loadshare
