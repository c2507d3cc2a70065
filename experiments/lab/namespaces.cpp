#include "experiments/lab/namespaces.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <exception>
#include <thread>

#include "runtime/host/descriptor.hpp"

namespace loadshare::lab {
namespace {

namespace fs = std::filesystem;

/// Runs `work` on a thread of its own: what it does to its namespaces goes with it.
template <typename Work>
void on_own_thread(Work work) {
  std::exception_ptr failure;
  std::thread([&] {
    try {
      work();
    } catch (...) {
      failure = std::current_exception();
    }
  }).join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace

void make_namespace(const fs::path& file) {
  const std::string problem = fmt::format("cannot make the network namespace {}", file.string());
  const Descriptor place(checked(open(file.c_str(), O_CREAT | O_RDONLY | O_CLOEXEC, 0444), problem));
  on_own_thread([&] {
    checked(unshare(CLONE_NEWNET), problem);
    checked(mount("/proc/thread-self/ns/net", file.c_str(), nullptr, MS_BIND, nullptr), problem);
  });
}

void drop_namespace(const fs::path& file) {
  umount2(file.c_str(), MNT_DETACH | UMOUNT_NOFOLLOW);
  std::error_code ignored;
  fs::remove(file, ignored);
}

void enter_network(const fs::path& file) {
  const std::string problem = fmt::format("cannot enter the network namespace {}", file.string());
  const Descriptor network(checked(open(file.c_str(), O_RDONLY | O_CLOEXEC), problem));
  checked(setns(network.number(), CLONE_NEWNET), problem);
}

void become_host(const std::string& name, const fs::path& name_table) {
  const std::string problem = fmt::format("cannot become the host {}", name);
  checked(unshare(CLONE_NEWUTS | CLONE_NEWNS), problem);
  checked(sethostname(name.c_str(), name.size()), problem);
  // Mounts below are this host's alone, but the machine's own still come and go here too.
  checked(mount(nullptr, "/", nullptr, MS_SLAVE | MS_REC, nullptr), problem);
  if (!fs::exists("/etc/hosts")) return;
  checked(mount(name_table.c_str(), "/etc/hosts", nullptr, MS_BIND, nullptr), problem);
}

}  // namespace loadshare::lab
