#include <deque>
#include <memory>

#include "runtime/transport/host_memory.hpp"
#include "runtime/transport/tcp/tcp_transport.hpp"
#include "runtime/transport/tcp/worker_session.hpp"

namespace loadshare {
namespace tcp {
namespace {

class WorkerTransport final : public Transport {
 public:
  WorkerTransport(const NetworkOptions& network, std::size_t workers)
      : network_(network), workers_(workers), master_(network_, workers) {}

  std::string_view name() const override { return "tcp"; }
  bool has_ranks() const override { return true; }
  bool has_other_hosts() const override { return true; }
  bool comes_and_goes() const override { return true; }
  int rank() const override { return static_cast<int>(master_.rank()); }
  int ranks() const override { return rank() + 1; }
  int master_rank() const override { return 0; }
  std::size_t workers() const override { return workers_; }
  double clock_offset_s() const override { return master_.clock_offset_s(); }

  std::span<std::byte> resident(std::size_t) override { return {}; }
  std::span<std::byte> replicated(std::size_t bytes) override { return memory_.emplace_back(bytes).bytes(); }
  std::unique_ptr<Session> open(const RunPlan& plan, DataLayout& layout) override {
    return std::make_unique<WorkerSession>(master_, copies_, ++runs_, workers_, plan, layout);
  }
  std::string from_master(std::string) override { return master_.next_text(); }
  std::vector<std::string> to_master(std::string text, double) override {
    master_.answer(text);
    return {};
  }

 private:
  const NetworkOptions network_;
  std::size_t workers_;
  MasterLine master_;
  std::deque<PrivateMemory> memory_;
  SharedCopies copies_;
  std::uint32_t runs_ = 0;
};

}  // namespace
}  // namespace tcp

std::unique_ptr<Transport> make_tcp_worker(const NetworkOptions& network, std::size_t workers) {
  return std::make_unique<tcp::WorkerTransport>(network, workers);
}

}  // namespace loadshare
