#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "base/types.hpp"

namespace loadshare {

/// How a farm whose workers come and go over TCP is set up. Neither `listen` nor `join`: there is none.
struct NetworkOptions {
  std::string listen = {};       ///< HOST:PORT where this process, the master, waits for workers; port 0: any
  std::string join = {};         ///< HOST:PORT where the master waits for this one
  std::string secret_file = {};  ///< what both know; "-": of stdin; empty: nothing
  bool without_secret = false;   ///< on purpose, where other hosts or other users of this one could come
  Index expect = 0;              ///< workers before a loop begins
  /// Seconds since the farm was made after which a loop begins all the same; where none are expected, it
  /// waits so long for whoever comes.
  double start_after_s = 0;
  double patience_s = 600;  ///< how long work may wait with no worker there
  /// If copies are never made: how long a worker goes on computing without reaching the master.
  double lease_s = 10;
  static constexpr double least_lease_s = 1;
  bool resumes = false;  ///< an earlier master may have had workers that have not stopped yet
  /// Of a master: where it is killed, another may go on from its journal. Of a process that was started
  /// again, its master's.
  bool may_come_back = false;
  /// Where the connection to the master was cut and it is there again: starts this process anew, to join as
  /// who it was. Returns where that fails; empty: it ends.
  std::function<void(const std::string& known_as, bool may_come_back)> start_again = {};
  std::string known_as = {};  ///< of a process that was started so
  /// When it becomes true, a process that waits for the master leaves; null: never.
  const std::atomic<bool>* interrupted = nullptr;
  std::string start_on = {};  ///< a file of hosts on which the master starts workers; empty: none
  /// The command by which a program is started on a {host}.
  std::string start_by = "ssh -o BatchMode=yes -o ConnectTimeout=10 {host}";
  std::string started_as = {};  ///< of a process that a master has started so: what that one calls it
  /// Where a page shows the run while it goes on: HOST:PORT, or a port of this host alone; empty: nowhere.
  std::string status = {};
  /// The program's command line; on a process that has joined, the master's.
  std::vector<std::string> words = {};
  /// Tells a person what happens: where the master listens, who comes, who was lost. On any rank.
  std::function<void(const std::string&)> note = [](const std::string&) {};

  bool is_used() const { return !listen.empty() || !join.empty(); }
};

}  // namespace loadshare
