#include "apps/bucket_sort/sort.hpp"

#include <fmt/format.h>

#include <numeric>

#include "apps/bucket_sort/local_sort.hpp"
#include "apps/bucket_sort/partition.hpp"

namespace loadshare::bucket_sort {

namespace {

constexpr Index phases = 4;  // dealt out, put into buckets, sorted, collected

Bytes bytes_of(Index keys) {
  return multiply_bytes(static_cast<Bytes>(keys), sizeof(Key));
}

}  // namespace

Sort::Sort(const SortOptions& options, spmd::Session& session)
    : options_(options),
      session_(session),
      split_(find_split(options.split)),
      keys_{options.size, static_cast<std::uint64_t>(options.run.seed), find_keys(options.keys).key_at} {
  constexpr Bytes copies = 4;  // dealt out, in buckets, received, sorted
  const Bytes own_bytes = bytes_of(spmd::longest_part(options.size, session.ranks()));
  session.require_memory_for(multiply_bytes(own_bytes, copies), is_whole() ? bytes_of(options.size) : 0,
                             fmt::format("sorting {} keys", options.size));
  if (has_all()) {
    all_.resize(static_cast<std::size_t>(options.size));
    make_keys(keys_, 0, all_);
  } else {
    own_.resize(static_cast<std::size_t>(places().size));
  }
  if (!is_whole()) make_keys(keys_, places().first, own_);
  outgoing_.resize(own().size());
}

spmd::Part Sort::places() const {
  return spmd::part_of(options_.size, session_.ranks(), session_.rank());
}

Index Sort::run() {
  if (is_whole()) deal_out();
  session_.progress(1, phases);
  exchange_buckets(split_.find(session_, own()));
  session_.progress(2, phases);
  sort_bucket();
  session_.progress(3, phases);
  if (is_whole()) collect();
  return static_cast<Index>(received_.size());
}

void Sort::deal_out() {
  session_.exchange().scatter(std::span<const Key>(all_), spmd::part_sizes(options_.size, session_.ranks()),
                              own());
}

void Sort::exchange_buckets(const Splitters& splitters) {
  std::vector<Index> out_sizes;
  session_.clock().compute([&] {
    for (Index time = 0; time < options_.run.work; ++time) {
      out_sizes = bucket_sizes(own(), splitters);
      put_into_buckets(own(), splitters, out_sizes, outgoing_);
    }
  });
  const std::vector<Index> in_sizes = session_.exchange().all_to_all(out_sizes);
  const Index size = std::accumulate(in_sizes.begin(), in_sizes.end(), Index{0});
  session_.clock().compute([&] { received_.resize(static_cast<std::size_t>(size)); });
  session_.exchange().all_to_all(std::span<const Key>(outgoing_), out_sizes, std::span(received_), in_sizes);
}

void Sort::sort_bucket() {
  session_.clock().compute([&] {
    if (!has_all()) bucket_.resize(received_.size());
    for (Index time = 0; time < options_.run.work; ++time) sort_into(received_, bucket());
  });
}

void Sort::collect() {
  const auto size = static_cast<Index>(received_.size());
  const std::vector<Index> sizes = session_.exchange().all_gather(std::span(&size, 1));
  session_.exchange().gather(std::span<const Key>(bucket()), sizes, std::span(all_));
}

}  // namespace loadshare::bucket_sort
