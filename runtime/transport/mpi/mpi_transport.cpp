#include "runtime/transport/mpi/mpi_transport.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <utility>

#include "runtime/host/clock.hpp"
#include "runtime/host/scheduling.hpp"
#include "runtime/transport/mpi/check.hpp"
#include "runtime/transport/mpi/group.hpp"
#include "runtime/transport/mpi/mpi_session.hpp"
#include "runtime/transport/mpi/shared_window.hpp"

namespace loadshare {

namespace mpi {

namespace {

std::string library_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  check(MPI_Get_library_version(text.data(), &length), "MPI_Get_library_version");
  const std::string all(text.data(), static_cast<std::size_t>(length));
  return all.substr(0, all.find(','));
}

/// How many ranks before this one, of the same machine, may use the very same processors. Collective there.
int count_before_on_cpus(const Communicator& machine) {
  const cpu_set_t own = allowed_cpu_set();
  std::vector<cpu_set_t> all(static_cast<std::size_t>(machine.size()));
  check(MPI_Allgather(&own, sizeof(own), MPI_BYTE, all.data(), sizeof(own), MPI_BYTE, machine.get()),
        "MPI_Allgather");
  const auto is_same = [&own](const cpu_set_t& other) { return CPU_EQUAL(&own, &other) != 0; };
  return static_cast<int>(std::count_if(all.begin(), all.begin() + machine.rank(), is_same));
}

class MpiTransport final : public Transport {
 public:
  explicit MpiTransport(const MpiOptions& options)
      : group_(options),
        clock_offset_s_(measure_clock_offset_s(group_)),
        number_on_cpus_(count_before_on_cpus(group_.machine())) {}

  std::string_view name() const override { return "mpi"; }
  int rank() const override { return group_.rank(); }
  int ranks() const override { return group_.ranks(); }
  int master_rank() const override { return group_.master_rank(); }
  std::size_t workers() const override { return group_.worker_ranks().size(); }
  std::map<std::string, std::string> versions() const override { return {{"mpi", library_version()}}; }
  int local_ranks() const override { return group_.machine().size(); }
  int number_on_cpus() const override { return number_on_cpus_; }
  double clock_offset_s() const override { return clock_offset_s_; }

  std::span<std::byte> resident(std::size_t bytes) override {
    return group_.is_on_masters_host(rank()) ? replicated(bytes) : std::span<std::byte>{};
  }
  std::span<std::byte> replicated(std::size_t bytes) override {
    return windows_.emplace_back(group_.host(), bytes).bytes();
  }
  std::unique_ptr<Session> open(const RunPlan& plan, DataLayout& layout) override {
    // Kept until the farm ends: freeing is collective, and a run may end while a rank is still late.
    const std::size_t bytes = MpiSession::control_bytes(group_, plan, layout);
    return std::make_unique<MpiSession>(group_, plan, layout, replicated(bytes));
  }

  std::string from_master(std::string text) override {
    auto length = static_cast<int>(text.size());
    broadcast(&length, 1, MPI_INT);
    text.resize(static_cast<std::size_t>(length));
    broadcast(text.data(), length, MPI_CHAR);
    return text;
  }
  std::vector<std::string> to_master(std::string text, double patience_s) override;

 private:
  void broadcast(void* data, int count, MPI_Datatype type) {
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Ibcast(data, count, type, master_rank(), group_.all().get(), &request), "MPI_Ibcast");
    wait_quietly(request);
  }

  void send_report(std::string text);
  bool take_report(std::vector<std::string>& texts);

  Group group_;
  double clock_offset_s_;
  int number_on_cpus_;
  std::deque<SharedWindow> windows_;
  std::deque<std::string> sent_;  // reports that may still be under way
  int reports_ = 0;               // rounds of them
};

std::vector<std::string> MpiTransport::to_master(std::string text, double patience_s) {
  ++reports_;
  if (!is_master()) {
    send_report(std::move(text));
    return {};
  }
  std::vector<std::string> texts(static_cast<std::size_t>(ranks()));
  texts[static_cast<std::size_t>(rank())] = std::move(text);
  const double end_s = monotonic_s() + patience_s;
  GrowingNap nap;
  for (int missing = ranks() - 1; missing > 0;) {
    if (take_report(texts))
      --missing;
    else if (monotonic_s() > end_s)
      break;
    else
      nap.rest();
  }
  return texts;
}

// The master may have lost patience and never take it: so nothing waits for this send, and its memory stays.
void MpiTransport::send_report(std::string text) {
  const std::string& message = sent_.emplace_back(std::to_string(reports_) + ' ' + std::move(text));
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Isend(message.data(), static_cast<int>(message.size()), MPI_CHAR, master_rank(),
                  number(Tag::account), group_.all().get(), &request),
        "MPI_Isend");
  check(MPI_Request_free(&request), "MPI_Request_free");
}

// Whether a report of this round was there; one of an earlier round, come too late, is dropped.
bool MpiTransport::take_report(std::vector<std::string>& texts) {
  int is_there = 0;
  MPI_Status status;
  check(MPI_Iprobe(MPI_ANY_SOURCE, number(Tag::account), group_.all().get(), &is_there, &status),
        "MPI_Iprobe");
  if (is_there == 0) return false;
  int length = 0;
  check(MPI_Get_count(&status, MPI_CHAR, &length), "MPI_Get_count");
  std::string message(static_cast<std::size_t>(length), '\0');
  check(MPI_Recv(message.data(), length, MPI_CHAR, status.MPI_SOURCE, number(Tag::account),
                 group_.all().get(), MPI_STATUS_IGNORE),
        "MPI_Recv");
  const std::size_t space = message.find(' ');
  if (message.substr(0, space) != std::to_string(reports_)) return false;
  texts[static_cast<std::size_t>(status.MPI_SOURCE)] = message.substr(space + 1);
  return true;
}

bool is_running() {
  int is_started = 0, is_over = 0;
  MPI_Initialized(&is_started);
  MPI_Finalized(&is_over);
  return is_started != 0 && is_over == 0;
}

}  // namespace
}  // namespace mpi

std::unique_ptr<Transport> make_mpi_transport(const MpiOptions& options) {
  return std::make_unique<mpi::MpiTransport>(options);
}

bool is_mpi_running() {
  return mpi::is_running();
}

void leave_mpi_orderly() {
  if (mpi::is_running()) MPI_Finalize();
}

void abort_mpi(int exit_code) {
  if (mpi::is_running()) MPI_Abort(MPI_COMM_WORLD, exit_code);
}

}  // namespace loadshare
