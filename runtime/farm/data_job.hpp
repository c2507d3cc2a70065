#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "runtime/farm/job.hpp"
#include "runtime/farm/loops.hpp"
#include "runtime/transport/transport.hpp"

namespace loadshare {

/// Memory of the farm's in which ranks of a host share a loop's data, used again by the next loop.
class SharedScratch {
 public:
  explicit SharedScratch(Transport& transport) : transport_(transport) {}

  /// Seen by the ranks of the master's host; empty elsewhere. All ranks ask for the same.
  std::span<std::byte> input(std::size_t bytes) { return fit(input_, bytes, &Transport::resident); }
  std::span<std::byte> output(std::size_t bytes) { return fit(output_, bytes, &Transport::resident); }
  /// One copy on each host.
  std::span<std::byte> shared(std::size_t bytes) { return fit(shared_, bytes, &Transport::replicated); }

 private:
  struct Room {
    std::size_t bytes = 0;
    std::span<std::byte> memory;
  };
  std::span<std::byte> fit(Room& room, std::size_t bytes,
                           std::span<std::byte> (Transport::*take)(std::size_t));

  Transport& transport_;
  Room input_, output_, shared_;
};

/// A DataLoop as a job. Threads use the program's own memory; for ranks its data are brought to where those
/// of the master's host see them, and results from there to every rank's own.
class DataJob final : public Job, private Workload {
 public:
  DataJob(const DataLoop& loop, Transport& transport, SharedScratch& scratch)
      : loop_(loop), transport_(transport), scratch_(scratch), iteration_name_(loop.iteration_name) {}

  std::string application() const override { return "a loop"; }
  void describe(JobDescription& description) override;
  Workload& make(const JobDescription& description, Farm& farm) override;
  void fill() override;
  void tell(RunRecord& record) const override;

  /// After the run: the results, wherever they are kept. Collective.
  void deliver();

 private:
  Index iterations() const override { return iterations_; }
  std::string_view iteration_name() const override { return iteration_name_; }
  std::string kind() const override { return loop_.body.target_type().name(); }
  std::size_t input_bytes(Chunk chunk) const override { return part(input_bytes_, chunk); }
  std::size_t output_bytes(Chunk chunk) const override { return part(output_bytes_, chunk); }
  std::span<const std::byte> input(Chunk chunk) const override { return part(input_, chunk); }
  std::span<std::byte> output(Chunk chunk) override { return part(output_, chunk); }
  std::span<std::byte> shared_input() override { return shared_; }
  void compute(Work& work) override;

  /// Of `bytes` that belong to all iterations.
  std::size_t part(std::size_t bytes, Chunk chunk) const {
    return iterations_ == 0
               ? 0
               : bytes / static_cast<std::size_t>(iterations_) * static_cast<std::size_t>(chunk.size);
  }
  std::span<std::byte> part(std::span<std::byte> all, Chunk chunk) const {
    return all.empty() ? all : all.subspan(part(all.size(), {0, chunk.first}), part(all.size(), chunk));
  }
  void take_own_memory();
  void take_shared_memory();
  bool is_kept_here() const { return transport_.is_master() || loop_.keep == Keep::everywhere; }
  void receive(std::span<std::byte> place);

  const DataLoop& loop_;
  Transport& transport_;
  SharedScratch& scratch_;
  std::string iteration_name_;
  Index iterations_ = 0;
  std::size_t input_bytes_ = 0, output_bytes_ = 0, shared_bytes_ = 0;
  std::span<std::byte> input_, output_, shared_;
};

}  // namespace loadshare
