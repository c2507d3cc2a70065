#pragma once

#include <asio/steady_timer.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/io/process.hpp"
#include "base/types.hpp"
#include "runtime/transport/network.hpp"
#include "runtime/transport/tcp/connection.hpp"

namespace loadshare::tcp {

/// A host on which workers are to be started.
struct HostToStart {
  std::string name;
  Index workers = 0;  ///< 0: one for each processor granted there
};

/// A line of a file each, `node7` or `node7 workers=4`; blank lines are passed over, and what follows a #.
/// Throws UsageError as `file:line:column: problem (why); suggestion`.
std::vector<HostToStart> read_hosts_to_start(const std::string& path);

/// What starts a program there: the words of `start_by`, with the host's name for each {host}, and those of
/// the program as a shell reads them, for that is what ssh gives them to. Throws UsageError where `start_by`
/// has no {host}.
Words words_to_start(const std::string& start_by, const std::string& host, const Words& program);

/// Workers that the master starts on other hosts, by a program such as ssh for each. What these say on stderr
/// is kept until it is wanted. They end with this process, however it ends.
class StartedHosts final {
 public:
  /// How long workers may take to come up.
  static constexpr double usual_s = 30;

  /// Starts them all, to join at `master`; the calling thread has to stay. Throws UsageError where the file
  /// or the command is no good.
  StartedHosts(Loop& loop, const NetworkOptions& network, const std::string& master);
  /// Ends what does not end by itself in a moment.
  ~StartedHosts();
  StartedHosts(const StartedHosts&) = delete;
  StartedHosts& operator=(const StartedHosts&) = delete;

  /// Whether it was this master that has given the name (NetworkOptions::started_as).
  bool has_started(const std::string& name) const;
  void joined(const std::string& name);
  /// That they end from now on is as it should be.
  void expect_ends() { timer_.cancel(); }
  /// Whether some may yet come up, within the usual time.
  bool awaits_some() const;
  /// Of hosts that have not come up, and why.
  std::vector<std::string> failures() const;
  /// Throws Error(workers_lost) where not one has come up.
  void require_some() const;

 private:
  enum class State { coming, here, failed };
  struct Host {
    std::string name;
    std::string started_as;
    Descriptor said;     // a file in memory
    pid_t process = -1;  // -1: it has ended
    State state = State::coming;
    std::string why = {};  // it failed

    std::string failure() const { return "no workers came up on " + name + ": " + why; }
  };

  Host start(const HostToStart& host, const Words& program);
  void look_later();
  void look();
  void ended(Host& host, int exit_code);
  void fail(Host& host, const std::string& why);
  std::string own_host_hint(const std::string& why) const;
  bool has_running() const;
  void await_ends(double limit_s);
  void signal_running(int number) const;

  const NetworkOptions& network_;
  std::string master_;  // where it listens
  std::string secret_;
  std::vector<Host> hosts_;
  double begun_s_;
  asio::steady_timer timer_;
};

}  // namespace loadshare::tcp
