#include "runtime/profile/interpose/kernels.hpp"

#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>
#include <unordered_map>

#include "runtime/profile/interpose/small_file.hpp"
#include "runtime/profile/interpose/ticks.hpp"

namespace loadshare::profile {
namespace {

std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char letter : text) hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3U;
  return hash;
}

/// Tests make up kernels by LOADSHARE_PROFILE_KERNEL.
std::uint64_t kernel() {
  if (const char* made_up = std::getenv("LOADSHARE_PROFILE_KERNEL")) return hash_of(made_up);
  return hash_of(SmallFile<64>("/proc/sys/kernel/random/boot_id").text());
}

std::uint64_t host() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return hash_of(name.data());
}

std::uint64_t random_number() {
  std::uint64_t number = 0;
  if (getrandom(&number, sizeof number, GRND_NONBLOCK) != sizeof number)
    number = Ticks::now() ^ (static_cast<std::uint64_t>(getpid()) << 32);
  return number | 1;  // 0 stands for no run
}

}  // namespace

Kernels Kernels::look_around() {
  Kernels found;
  int ranks = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &found.rank_);
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  found.all_.resize(static_cast<std::size_t>(ranks));
  const Place own{kernel(), host(), random_number()};
  constexpr int words = sizeof own / sizeof(std::uint64_t);
  PMPI_Allgather(&own, words, MPI_UINT64_T, found.all_.data(), words, MPI_UINT64_T, MPI_COMM_WORLD);
  found.find_leaders();
  if (!found.other_leaders().empty()) PMPI_Comm_dup(MPI_COMM_WORLD, &found.own_world_);
  return found;
}

void Kernels::free_own_world() {
  if (own_world_ != MPI_COMM_NULL) PMPI_Comm_free(&own_world_);
}

void Kernels::find_leaders() {
  std::unordered_map<std::uint64_t, int> leaders;
  for (int rank = 0; rank < ranks(); ++rank) {
    const std::uint64_t kernel = all_[static_cast<std::size_t>(rank)].kernel;
    if (leaders.emplace(kernel, rank).second && rank != 0) other_leaders_.push_back(rank);
  }
  leader_ = leaders.at(own().kernel);
}

std::uint32_t Kernels::number_here() const {
  return static_cast<std::uint32_t>(std::count_if(
      all_.begin(), all_.begin() + rank_, [&](const Place& one) { return one.kernel == own().kernel; }));
}

std::uint32_t Kernels::ranks_here() const {
  return static_cast<std::uint32_t>(std::ranges::count(all_, own().kernel, &Place::kernel));
}

int Kernels::ranks_of_host() const {
  return static_cast<int>(std::ranges::count_if(
      all_, [&](const Place& one) { return one.kernel == own().kernel && one.host == own().host; }));
}

}  // namespace loadshare::profile
