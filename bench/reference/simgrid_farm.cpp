// The reference of the predictor: the same farm as actors of SimGrid, whose master uses the same dispatcher
// and scheduler. Takes the options of bench/predictor/predictor_bench.cpp.
#include <fmt/format.h>
#include <xbt/log.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <simgrid/kernel/ProfileBuilder.hpp>
#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "bench/predictor/simulator.hpp"
#include "runtime/dispatch/dispatcher.hpp"
#include "runtime/host/clock.hpp"

namespace {

using namespace loadshare;
using bench::ScenarioOptions;
namespace sg4 = simgrid::s4u;

/// Flops per second of a host of speed 1; converts seconds of work to flops.
constexpr double flops_per_s = 1e9;

/// The hosts of a farm in SimGrid, with their loads and the master's outgoing and incoming link.
struct SimgridPlatform {
  sg4::Host* master = nullptr;
  std::vector<sg4::Host*> workers;
};

/// Returns a host's remaining speed under a load, one line per change: one cycle, or all of a load that does
/// not repeat.
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
  // A message above the limit waits after its latency; waiting messages are served in order.
  if (options.port == bench::Port::in_turn) link->set_concurrency_limit(1);
  link->seal();
  return {sg4::LinkInRoute(link)};
}

/// Makes SimGrid's messages cost latency + bytes / bandwidth: network model CM02 without its corrections.
/// Must be called before the platform is built.
void set_plain_network() {
  xbt_log_control_set("xbt_cfg.thresh:warning");  // otherwise SimGrid prints each setting
  for (const char* setting : {"network/model:CM02", "network/bandwidth-factor:1", "network/latency-factor:1",
                              "network/TCP-gamma:1e30", "network/crosstraffic:0", "network/weight-S:0"})
    sg4::Engine::set_config(setting);
}

// Only the master's links limit messages; the network between them and the workers does not.
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

/// An order and later its report: the pointer travels to the worker and back.
struct Message {
  std::uint32_t worker = 0;
  Assignment assignment;
  double compute_s = 0;
};

/// The common data of the actors, which all run in one thread.
struct Farm {
  explicit Farm(const ScenarioOptions& asked)
      : options(asked),
        dispatcher(asked.iterations, asked.make_scheduler(), {.workers_expected = std::ssize(asked.speeds)}) {
  }

  const ScenarioOptions& options;
  Dispatcher dispatcher;
  Decisions decisions;
  sg4::Mailbox* reports = sg4::Mailbox::by_name("reports");
  std::vector<sg4::Mailbox*> orders;  // by worker
  bench::Simulated found;
};

void spend(double seconds) {
  if (seconds > 0) sg4::this_actor::execute(seconds * flops_per_s);
}

/// Sends without waiting, because a receive is posted already.
void send(sg4::Mailbox* mailbox, std::unique_ptr<Message> message, double bytes) {
  mailbox->put_init(message.release(), static_cast<std::uint64_t>(bytes))->detach();
}

/// The posted receives of all possible reports, so that no report waits for the master before its transfer.
class Inbox {
 public:
  Inbox(sg4::Mailbox* mailbox, std::size_t at_once) : mailbox_(mailbox) {
    for (std::size_t i = 0; i < at_once; ++i) {
      messages_.push_back(std::make_unique<Message*>(nullptr));
      receives_.push_back(mailbox_->get_async<Message>(messages_.back().get()));
    }
  }

  /// Returns the first report to arrive; among arrived ones, the one that was sent first.
  std::unique_ptr<Message> next() {
    const auto place = sg4::Comm::wait_any(receives_);
    std::rotate(receives_.begin() + place, receives_.begin() + place + 1, receives_.end());
    std::rotate(messages_.begin() + place, messages_.begin() + place + 1, messages_.end());
    std::unique_ptr<Message> message(*messages_.back());
    receives_.back() = mailbox_->get_async<Message>(messages_.back().get());
    return message;
  }

 private:
  sg4::Mailbox* mailbox_;
  std::vector<sg4::CommPtr> receives_;
  std::vector<std::unique_ptr<Message*>> messages_;  // what receives_ fill
};

void carry_out(Farm& farm) {
  for (const Decision& decision : std::exchange(farm.decisions, {})) {
    if (decision.kind == Decision::Kind::publish) ++farm.found.chunks;
    if (decision.kind != Decision::Kind::give) continue;
    const std::uint32_t worker = to_number(decision.worker);
    spend(farm.options.master_order_s);
    send(farm.orders[worker], std::make_unique<Message>(Message{worker, decision.assignment()}),
         farm.options.input_of(decision.chunk));
  }
}

void take(Farm& farm, const Message& report) {
  spend(farm.options.master_report_s);
  farm.dispatcher.returned(WorkerId{report.worker}, report.assignment.id, {.compute_s = report.compute_s},
                           sg4::Engine::get_clock(), farm.decisions);
  carry_out(farm);
}

void run_master(Farm& farm) {
  const auto workers = static_cast<std::uint32_t>(farm.orders.size());
  const auto window = static_cast<std::uint32_t>(farm.options.prefetch + 1);
  Inbox inbox(farm.reports, workers * window);
  for (std::uint32_t worker = 0; worker < workers; ++worker) {
    farm.dispatcher.joined(WorkerId{worker}, {.window = window}, sg4::Engine::get_clock(), farm.decisions);
    carry_out(farm);
  }
  while (!farm.dispatcher.is_over()) take(farm, *inbox.next());
  farm.found.makespan_s = sg4::Engine::get_clock();
}

void run_worker(Farm& farm, std::size_t number) {
  sg4::Actor::self()->daemonize();  // it ends with the master
  farm.orders[number]->set_receiver(sg4::Actor::self());
  for (;;) {
    auto message = farm.orders[number]->get_unique<Message>();
    const Chunk& chunk = message->assignment.chunk;
    const double begun_s = sg4::Engine::get_clock();
    spend(farm.options.work_s(chunk));
    message->compute_s = sg4::Engine::get_clock() - begun_s;
    farm.found.iterations += chunk.size;
    const double bytes = farm.options.result_of(chunk);
    send(farm.reports, std::move(message), bytes);
  }
}

void create_actors(Farm& farm, const SimgridPlatform& platform) {
  sg4::Actor::create("master", platform.master, [&farm] { run_master(farm); });
  for (std::size_t i = 0; i < platform.workers.size(); ++i) {
    farm.orders.push_back(sg4::Mailbox::by_name(fmt::format("orders {}", i)));
    sg4::Actor::create(fmt::format("worker {}", i), platform.workers[i], [&farm, i] { run_worker(farm, i); });
  }
}

bench::Simulated simulate(const ScenarioOptions& options, char** argv) {
  if (sg4::Engine::is_initialized())
    throw UsageError("--repetitions is more than 1", "SimGrid simulates once per process",
                     "run the program several times");
  int words = 1;
  static sg4::Engine engine(&words, argv);  // static, because it cannot be made twice
  set_plain_network();
  const SimgridPlatform platform = build_platform(options);
  Farm farm(options);
  create_actors(farm, platform);
  const double begun_s = monotonic_s();
  engine.run();
  farm.found.taken_s = monotonic_s() - begun_s;
  return farm.found;
}

}  // namespace

int main(int argc, char** argv) {
  return bench::run_simulator("simgrid_farm", argc, argv,
                              [argv](const ScenarioOptions& options) { return simulate(options, argv); });
}
