#include "runtime/transport/mpi/mpi_transport.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <numeric>

#include "runtime/transport/mpi/clock_offset.hpp"
#include "runtime/transport/mpi/mpi_session.hpp"
#include "runtime/transport/mpi/quiet.hpp"
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

class MpiTransport final : public Transport {
 public:
  explicit MpiTransport(const MpiOptions& options)
      : group_(options), clock_offset_s_(measure_clock_offset_s(group_)) {}

  std::string_view name() const override { return "mpi"; }
  int rank() const override { return group_.rank(); }
  int ranks() const override { return group_.ranks(); }
  int master_rank() const override { return group_.master_rank(); }
  std::size_t workers() const override { return group_.worker_ranks().size(); }
  std::map<std::string, std::string> versions() const override { return {{"mpi", library_version()}}; }
  double clock_offset_s() const override { return clock_offset_s_; }

  std::span<std::byte> resident(std::size_t bytes) override {
    return group_.is_on_masters_host(rank()) ? replicated(bytes) : std::span<std::byte>{};
  }
  std::span<std::byte> replicated(std::size_t bytes) override {
    return windows_.emplace_back(group_.host(), bytes).bytes();
  }
  std::unique_ptr<Session> open(const RunPlan& plan, Cargo& cargo) override {
    return std::make_unique<MpiSession>(group_, plan, cargo);
  }

  std::string from_master(std::string text) override {
    auto length = static_cast<int>(text.size());
    broadcast(&length, 1, MPI_INT);
    text.resize(static_cast<std::size_t>(length));
    broadcast(text.data(), length, MPI_CHAR);
    return text;
  }
  std::vector<std::string> to_master(std::string text) override;

 private:
  void broadcast(void* data, int count, MPI_Datatype type) {
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Ibcast(data, count, type, master_rank(), group_.all().get(), &request), "MPI_Ibcast");
    wait_quietly(request);
  }

  Group group_;
  double clock_offset_s_;
  std::deque<SharedWindow> windows_;
};

std::vector<std::string> MpiTransport::to_master(std::string text) {
  const auto length = static_cast<int>(text.size());
  std::vector<int> lengths(static_cast<std::size_t>(ranks())), starts(lengths.size());
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Igather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, master_rank(), group_.all().get(),
                    &request),
        "MPI_Igather");
  wait_quietly(request);
  std::exclusive_scan(lengths.begin(), lengths.end(), starts.begin(), 0);
  std::string all(static_cast<std::size_t>(starts.back() + lengths.back()), '\0');
  check(MPI_Igatherv(text.data(), length, MPI_CHAR, all.data(), lengths.data(), starts.data(), MPI_CHAR,
                     master_rank(), group_.all().get(), &request),
        "MPI_Igatherv");
  wait_quietly(request);
  std::vector<std::string> texts;
  if (!is_master()) return texts;
  for (std::size_t i = 0; i < lengths.size(); ++i)
    texts.push_back(all.substr(static_cast<std::size_t>(starts[i]), static_cast<std::size_t>(lengths[i])));
  return texts;
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

void leave_mpi_orderly() {
  if (mpi::is_running()) MPI_Finalize();
}

void abort_mpi(int exit_code) {
  if (mpi::is_running()) MPI_Abort(MPI_COMM_WORLD, exit_code);
}

}  // namespace loadshare
