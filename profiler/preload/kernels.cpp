#include "profiler/preload/kernels.hpp"

#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <string_view>
#include <unordered_map>

#include "profiler/preload/ticks.hpp"

namespace loadshare::profile {
namespace {

std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char letter : text) hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3U;
  return hash;
}

/// Identifies the kernel by its boot id. Tests set LOADSHARE_PROFILE_KERNEL to imitate several kernels.
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
  return number | 1;  // 0 means no run
}

constexpr int round_trips = 32;
constexpr int clock_tag = 1;

void answer(int asker, MPI_Comm world) {
  for (int i = 0; i < round_trips; ++i) {
    std::int64_t asked = 0;
    PMPI_Recv(&asked, 1, MPI_INT64_T, asker, clock_tag, world, MPI_STATUS_IGNORE);
    const std::int64_t now_ns = nanoseconds(CLOCK_MONOTONIC);
    PMPI_Send(&now_ns, 1, MPI_INT64_T, asker, clock_tag, world);
  }
}

/// Uses the shortest round trip, because its half is the best estimate of the way there.
ClockOffset ask(MPI_Comm world) {
  ClockOffset best;
  std::int64_t shortest_ns = std::numeric_limits<std::int64_t>::max();
  for (int i = 0; i < round_trips; ++i) {
    const std::int64_t sent_ns = nanoseconds(CLOCK_MONOTONIC);
    PMPI_Send(&sent_ns, 1, MPI_INT64_T, 0, clock_tag, world);
    std::int64_t there_ns = 0;
    PMPI_Recv(&there_ns, 1, MPI_INT64_T, 0, clock_tag, world, MPI_STATUS_IGNORE);
    const std::int64_t back_ns = nanoseconds(CLOCK_MONOTONIC);
    if (back_ns - sent_ns >= shortest_ns) continue;
    shortest_ns = back_ns - sent_ns;
    best = {back_ns, sent_ns + shortest_ns / 2 - there_ns};
  }
  return best;
}

constexpr std::uint64_t piece_bytes = 4 << 20;
constexpr int merge_tag = 2;

std::uint64_t whole_pages(std::uint64_t bytes) {
  return (bytes + page_bytes - 1) / page_bytes * page_bytes;
}

/// Calls `move(offset, bytes)` for each piece.
template <typename Move>
void in_pieces(std::uint64_t total, Move move) {
  for (std::uint64_t offset = 0; offset < total; offset += piece_bytes)
    move(offset, std::min(piece_bytes, total - offset));
}

void send_section(Section& section, MPI_Comm world) {
  std::uint64_t total = section.bytes();
  PMPI_Send(&total, 1, MPI_UINT64_T, 0, merge_tag, world);
  std::vector<char> piece(piece_bytes);
  in_pieces(total, [&](std::uint64_t offset, std::uint64_t bytes) {
    std::fill(piece.begin(), piece.end(), char{});
    section.read(piece.data(), bytes, offset);  // bytes after the file's end are zero: the rest of a block
    PMPI_Send(piece.data(), static_cast<int>(bytes), MPI_CHAR, 0, merge_tag, world);
  });
  int is_safe = 0;
  PMPI_Recv(&is_safe, 1, MPI_INT, 0, merge_tag, world, MPI_STATUS_IGNORE);
  if (is_safe != 0) section.remove();
}

/// The result of receiving a section.
struct Received {
  std::uint64_t end;  ///< offset of the next section
  int is_safe;
};

/// Receives a section and writes it at `begin`. Takes it back if it does not fit.
Received receive_section(Section& section, int leader, std::uint64_t begin, MPI_Comm world) {
  std::uint64_t total = 0;
  PMPI_Recv(&total, 1, MPI_UINT64_T, leader, merge_tag, world, MPI_STATUS_IGNORE);
  std::vector<char> piece(piece_bytes);
  int is_safe = 1;
  in_pieces(total, [&](std::uint64_t offset, std::uint64_t bytes) {
    PMPI_Recv(piece.data(), static_cast<int>(bytes), MPI_CHAR, leader, merge_tag, world, MPI_STATUS_IGNORE);
    if (!section.write(piece.data(), bytes, begin + offset)) is_safe = 0;
  });
  if (is_safe == 0) section.cut(begin);
  return {is_safe != 0 ? begin + whole_pages(total) : begin, is_safe};
}

}  // namespace

Kernels Kernels::locate() {
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

ClockOffset exchange_clocks(const Kernels& kernels) {
  if (kernels.rank() == 0)
    for (const int leader : kernels.other_leaders()) answer(leader, kernels.own_world());
  return kernels.is_leader() && kernels.leader() != 0 ? ask(kernels.own_world()) : ClockOffset{};
}

void merge_sections(Section& section, const Kernels& kernels) {
  PMPI_Barrier(kernels.own_world());  // every slot and block is in its file
  const std::vector<int>& others = kernels.other_leaders();
  if (kernels.is_leader() && kernels.leader() != 0) send_section(section, kernels.own_world());
  if (kernels.rank() != 0) return;
  const std::uint64_t first = whole_pages(section.bytes());
  std::uint64_t begin = first;
  std::vector<int> are_safe;
  for (const int leader : others) {
    const Received received = receive_section(section, leader, begin, kernels.own_world());
    begin = received.end;
    are_safe.push_back(received.is_safe);
  }
  // If the run is killed before this line, the files of the other kernels are still complete.
  if (begin > first) section.header().merged_bytes = first;
  for (std::size_t i = 0; i < others.size(); ++i)
    PMPI_Send(&are_safe[i], 1, MPI_INT, others[i], merge_tag, kernels.own_world());
}

}  // namespace loadshare::profile
