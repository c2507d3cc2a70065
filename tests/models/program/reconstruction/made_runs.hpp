#pragma once

#include <functional>

#include "models/program/reconstruction/roles.hpp"

namespace loadshare::reconstruction {

/// A run of a made-up program with `n` of something on `p` ranks.
class MadeRun {
 public:
  MadeRun(double n, double p);

  double n() const { return run_.setting.at("n"); }
  double p() const { return run_.setting.at("p"); }

  /// Adds to what each rank does; the elements' sites are their calls unless they have one.
  void each_rank(const std::function<void(Trace& trace)>& act);

  ProfiledRun built() const { return run_; }

 private:
  ProfiledRun run_;
};

Element send(double to, double bytes, double computing_s = 0);
Element receive(double from, double computing_s = 0);
Element collective(const std::string& call, double bytes, double computing_s = 0);

/// Returns a run of a program in which every rank, n / 1000 times, computes 2 ns n / p, sends 8 n bytes to
/// the next rank of a ring and receives those of the previous one. Then all ranks reduce 64 bytes.
ProfiledRun ring_run(double n, double p);

}  // namespace loadshare::reconstruction
