#include "tests/models/program/reconstruction/made_runs.hpp"

#include <fmt/format.h>

#include <cmath>

namespace loadshare::reconstruction {

MadeRun::MadeRun(double n, double p) {
  run_.name = fmt::format("made {} {}", n, p);
  run_.setting = {{"n", n}, {"p", p}};
  run_.makespan_s = 1e-3;
  for (int rank = 0; rank < static_cast<int>(p); ++rank) run_.traces.emplace_back().rank = rank;
}

void MadeRun::each_rank(const std::function<void(Trace& trace)>& act) {
  for (Trace& trace : run_.traces) {
    act(trace);
    for (Element& element : trace.elements)
      if (element.site.empty()) element.site = element.call;
  }
}

Element send(double to, double bytes, double computing_s) {
  Element element;
  element.kind = ElementKind::send;
  element.call = "MPI_Send";
  element.to = static_cast<std::int32_t>(to);
  element.bytes = bytes;
  element.computing_s = computing_s;
  return element;
}

Element receive(double from, double computing_s) {
  Element element;
  element.kind = ElementKind::receive;
  element.call = "MPI_Recv";
  element.from = static_cast<std::int32_t>(from);
  element.from_tag = 0;
  element.computing_s = computing_s;
  return element;
}

Element collective(const std::string& call, double bytes, double computing_s) {
  Element element;
  element.kind = ElementKind::collective;
  element.call = call;
  element.bytes = bytes;
  element.computing_s = computing_s;
  return element;
}

ProfiledRun ring_run(double n, double p) {
  MadeRun run(n, p);
  run.each_rank([&](Trace& trace) {
    for (int round = 0; round < static_cast<int>(n / 1000); ++round) {
      trace.elements.push_back(send(std::fmod(trace.rank + 1, p), 8 * n, 2e-9 * n / p));
      trace.elements.push_back(receive(std::fmod(trace.rank + p - 1, p)));
    }
    trace.elements.push_back(collective("allreduce", 64));
  });
  return run.built();
}

}  // namespace loadshare::reconstruction
