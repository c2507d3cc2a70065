// 1,000 ordinary differential equations, of pendulums with a drive: a loop with inputs, shared data and
// results.
//   orbits --scheduler factoring --workers 2        mpirun -q -np 4 orbits
#include <cmath>
#include <iostream>
#include <loadshare/loadshare.hpp>
#include <span>
#include <vector>

struct Pendulum {
  double angle = 0, speed = 0;
};

/// Integrates by semi-implicit Euler steps, one per value of the drive, which are equally spaced in time.
Pendulum swing(Pendulum at, std::span<const double> push) {
  constexpr double step = 1e-3;
  for (int i = 0; i < 10'000; ++i) {
    at.speed += step * (push[static_cast<std::size_t>(i) % push.size()] - std::sin(at.angle));
    at.angle += step * at.speed;
  }
  return at;
}

int main(int argc, char** argv) {
  return loadshare::run(argc, argv, [](loadshare::Farm& farm) {
    constexpr int pendulums = 1000;
    std::vector<Pendulum> start(pendulums), end(pendulums);
    for (int i = 0; i < pendulums; ++i) start[i].angle = i * 2e-3;
    std::vector<double> push(6283);
    for (std::size_t i = 0; i < push.size(); ++i) push[i] = 0.1 * std::sin(1e-3 * static_cast<double>(i));
    using loadshare::in, loadshare::out, loadshare::shared;
    farm.for_chunks(pendulums, in(start), shared(push), out(end),
                    [](loadshare::Chunk, auto start, auto push, auto end) {
                      for (std::size_t i = 0; i < end.size(); ++i) end[i] = swing(start[i], push);
                    });
    if (farm.is_master()) std::cout << "the last is at " << end.back().angle << "\n";
  });
}
