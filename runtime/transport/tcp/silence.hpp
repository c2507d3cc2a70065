#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace loadshare::tcp {

/// Which of several processes, each of which says at least every `beat_s` seconds that it runs, has fallen
/// silent: stopped, frozen, or cut off. What it computes is given to somebody else then, so the longer that
/// took, the longer it is waited for. Pure: seconds are handed in, of any one clock.
class SilenceWatch {
 public:
  static constexpr double beat_s = 0.2;
  /// Who holds no chunk says so less often: there may be thousands of them, and nobody waits for what they
  /// do.
  static constexpr double idle_beat_s = 4;
  static constexpr double least_idle_s = 2.5 * idle_beat_s;
  /// Nobody is silent who was heard in this time.
  static constexpr double least_s = 1;

  /// One more process, just heard; returns its number, counting from 0.
  std::size_t add(double now_s);
  /// Something came of it. Returns whether it was silent.
  bool heard(std::size_t process, double now_s);
  /// It is given something while it held nothing: how long it was quiet counts from now.
  void given(std::size_t process, double now_s);
  /// It is not there any more, which is another thing than silent.
  void gone(std::size_t process) { processes_[process] = {.is_gone = true}; }
  /// It is there again.
  void back(std::size_t process, double now_s) { processes_[process] = {.heard_s = now_s}; }
  bool is_silent(std::size_t process) const { return processes_[process].is_silent; }
  /// When its last message arrived, or it was last given something; without time in which the master did not
  /// check.
  double heard_s(std::size_t process) const { return processes_[process].heard_s; }

  /// Calls `silent(process)` for each that is silent from now on. `expected_s(process)`: how long what it
  /// computes is expected to take; 0: not known. To be called several times a second: where it was not, who
  /// looks was stopped himself (a suspended machine), and blames nobody for that time.
  void look(double now_s, const std::function<double(std::size_t process)>& expected_s,
            const std::function<void(std::size_t process)>& silent);

 private:
  struct Process {
    double heard_s = 0;
    bool is_silent = false;
    bool is_gone = false;
  };

  void forgive_own_absence(double now_s);

  std::vector<Process> processes_;
  double looked_s_ = -1;
};

}  // namespace loadshare::tcp
