#include "bench/reference/simgrid_platform.hpp"

#include <fmt/format.h>
#include <xbt/log.h>

#include <simgrid/kernel/ProfileBuilder.hpp>
#include <string>

namespace loadshare::bench {

namespace sg4 = simgrid::s4u;

namespace {

/// What a load leaves of a host's speed, a line an instant: one cycle of it, or all of one that does not
/// repeat.
std::string rates(const LoadPlan& plan) {
  std::string lines = fmt::format("0 {}\n", 1 - plan.share_at(0));
  for (auto change = plan.next_change(0); change; change = plan.next_change(change->at_s)) {
    if (plan.period_s() > 0 && change->at_s >= plan.period_s()) break;
    lines += fmt::format("{} {}\n", change->at_s, 1 - change->share);
  }
  return lines;
}

void disturb(sg4::Host* host, const LoadPlan& plan) {
  const double period_s = plan.period_s() > 0 ? plan.period_s() : -1;
  host->set_speed_profile(
      simgrid::kernel::profile::ProfileBuilder::from_string(host->get_name(), rates(plan), period_s));
}

sg4::Host* add_host(sg4::NetZone* zone, const ScenarioOptions& options, std::size_t rank) {
  const double speed = rank == 0 ? 1 : options.speeds[rank - 1];
  sg4::Host* host = zone->create_host(fmt::format("host {}", rank), speed * flops_per_s);
  if (const auto plan = options.load_of(rank)) disturb(host, *plan);
  host->seal();
  return host;
}

std::vector<sg4::LinkInRoute> add_link(sg4::NetZone* zone, const ScenarioOptions& options, const char* name) {
  sg4::Link* link = zone->create_link(name, options.bandwidth_bytes_per_s);
  link->set_latency(options.latency_s);
  // A message beyond the limit has had its latency and waits: who began to wait first is served first.
  if (options.port == Port::in_turn) link->set_concurrency_limit(1);
  link->seal();
  return {sg4::LinkInRoute(link)};
}

}  // namespace

void set_plain_network() {
  xbt_log_control_set("xbt_cfg.thresh:warning");  // else each setting is told
  for (const char* setting : {"network/model:CM02", "network/bandwidth-factor:1", "network/latency-factor:1",
                              "network/TCP-gamma:1e30", "network/crosstraffic:0", "network/weight-S:0"})
    sg4::Engine::set_config(setting);
}

// The master's link alone limits: what lies between it and the workers is as wide as can be.
SimgridPlatform build_platform(const ScenarioOptions& options) {
  sg4::NetZone* zone = sg4::create_full_zone("farm");
  SimgridPlatform platform{add_host(zone, options, 0), {}};
  const std::vector<sg4::LinkInRoute> out = add_link(zone, options, "out");
  const std::vector<sg4::LinkInRoute> in = add_link(zone, options, "in");
  for (std::size_t rank = 1; rank <= options.speeds.size(); ++rank) {
    sg4::Host* host = add_host(zone, options, rank);
    zone->add_route(platform.master->get_netpoint(), host->get_netpoint(), nullptr, nullptr, out, false);
    zone->add_route(host->get_netpoint(), platform.master->get_netpoint(), nullptr, nullptr, in, false);
    platform.workers.push_back(host);
  }
  zone->seal();
  return platform;
}

}  // namespace loadshare::bench
