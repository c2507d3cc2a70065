#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <deque>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/io/descriptor.hpp"
#include "runtime/farm/program.hpp"
#include "runtime/transport/network.hpp"

namespace loadshare::bench {

/// Processes that join this one over loopback. They are forked before it has threads, and wait for the
/// master's address.
class Members {
 public:
  /// Starts a process that calls `body` with the address and ends.
  template <class Body>
  void start(Body&& body) {
    std::array<int, 2> ends{};
    checked(pipe(ends.data()), "cannot make a pipe");
    Descriptor out(ends[0]);
    addresses_.emplace_back(ends[1]);
    if (checked(fork(), "cannot start a worker") != 0) return;
    _exit(run_program([&] {
      std::array<char, 64> text{};
      checked(static_cast<int>(read(out.number(), text.data(), text.size() - 1)),
              "cannot read the master's address");
      body(std::string(text.data()));
      return ExitCode::good;
    }));
  }
  /// Returns the master's options, which send its address to the processes. They must not outlive this
  /// object.
  NetworkOptions network() const {
    NetworkOptions options;
    options.listen = "127.0.0.1:0";
    options.note = [this](const std::string& note) {
      constexpr std::string_view before = "listening at ";
      if (!note.starts_with(before)) return;
      for (const Descriptor& address : addresses_)
        (void)!write(address.number(), note.data() + before.size(), note.size() - before.size());
    };
    return options;
  }
  /// Waits for all of them. Throws if one has failed.
  void await_end() const {
    for (std::size_t i = 0; i < addresses_.size(); ++i) {
      int status = 0;
      checked(wait(&status), "cannot wait for the workers");
      if (status != 0) throw Error(ExitCode::run_failed, "a worker has failed");
    }
  }

 private:
  std::deque<Descriptor> addresses_;
};

}  // namespace loadshare::bench
