#include "runtime/host/threads.hpp"

#include <sys/resource.h>

#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/io/error_text.hpp"
#include "base/quantities.hpp"
#include "runtime/host/cgroup_quota.hpp"

namespace loadshare {

namespace {

std::optional<rlim_t> limit_of(__rlimit_resource resource) {
  rlimit limit{};
  if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
  return limit.rlim_cur;
}

}  // namespace

std::string why_no_thread(const std::system_error& error) {
  std::string why = error_text(error.code());
  if (const auto most = limit_of(RLIMIT_NPROC))
    why += "; this user may have " + std::to_string(*most) + " processes and threads (ulimit -u)";
  if (const auto most = cgroup_process_limit())
    why += "; this control group may have " + std::to_string(*most) + " (pids.max)";
  if (const auto most = limit_of(RLIMIT_AS))
    why += "; this process may use " + human_bytes(*most) + " of address space (ulimit -v)";
  return why;
}

void CheckedThread::start(std::string_view purpose, std::function<void()> body) {
  try {
    thread_ = std::thread([this, body = std::move(body)] {
      try {
        body();
      } catch (...) {
        failure_ = std::current_exception();
      }
    });
  } catch (const std::system_error& error) {
    throw Error(ExitCode::run_failed, "the system cannot start a thread " + std::string(purpose),
                why_no_thread(error), "end other programs of this user, or have the limit raised");
  }
}

void CheckedThread::wait() noexcept {
  if (thread_.joinable()) thread_.join();
}

void CheckedThread::join() {
  wait();
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

}  // namespace loadshare
