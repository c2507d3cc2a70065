#pragma once

#include <cstddef>
#include <numeric>
#include <vector>

namespace loadshare::timing_graph::collectives {

/// One collective call of all members of a group, who are counted from 0 in it.
struct Call {
  int size = 1;
  int root = 0;
  /// By member; of alltoallv by sender, then receiver.
  std::vector<double> bytes;

  double of(int member) const { return bytes[static_cast<std::size_t>(member)]; }
  double between(int from, int to) const {
    const auto row = static_cast<std::size_t>(from) * static_cast<std::size_t>(size);
    return bytes[row + static_cast<std::size_t>(to)];
  }
  double total() const { return std::accumulate(bytes.begin(), bytes.end(), 0.0); }
  /// The member `steps` after `member`, around the ring; `steps` may be negative, down to -size.
  int after(int member, int steps) const { return (member + steps + size) % size; }
  /// Bytes of `count` members from `first` on, around the ring.
  double of_some(int first, int count) const {
    double sum = 0;
    for (int i = 0; i < count; ++i) sum += of((first + i) % size);
    return sum;
  }
};

}  // namespace loadshare::timing_graph::collectives
