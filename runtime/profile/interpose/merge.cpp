#include "runtime/profile/interpose/merge.hpp"

#include <algorithm>
#include <vector>

namespace loadshare::profile {
namespace {

constexpr std::uint64_t piece_bytes = 4 << 20;
constexpr int merge_tag = 2;

std::uint64_t whole_pages(std::uint64_t bytes) {
  return (bytes + page_bytes - 1) / page_bytes * page_bytes;
}

/// Calls `move(offset, bytes)` for piece after piece.
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
    section.read(piece.data(), bytes, offset);  // what lies behind the file's end is an empty rest of a block
    PMPI_Send(piece.data(), static_cast<int>(bytes), MPI_CHAR, 0, merge_tag, world);
  });
  int is_safe = 0;
  PMPI_Recv(&is_safe, 1, MPI_INT, 0, merge_tag, world, MPI_STATUS_IGNORE);
  if (is_safe != 0) section.remove();
}

/// Where a section was to go, and whether it is there.
struct Received {
  std::uint64_t end;  ///< the next one goes there
  int is_safe;
};

/// What was written of one that found no room is taken back.
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
  // Whoever is killed before this has left all files of the other kernels as they were.
  if (begin > first) section.header().merged_bytes = first;
  for (std::size_t i = 0; i < others.size(); ++i)
    PMPI_Send(&are_safe[i], 1, MPI_INT, others[i], merge_tag, kernels.own_world());
}

}  // namespace loadshare::profile
