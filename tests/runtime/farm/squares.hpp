#pragma once

#include <atomic>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "runtime/farm/farm.hpp"

namespace loadshare::test {

/// Where a test workload's data lies.
enum class Memory { own, farm };

/// result[i] = input[i]^2 + sum(shared), with `width` doubles an iteration. The data can be large enough for
/// any message size.
class Squares final : public Workload {
 public:
  Squares(Farm& farm, Index iterations, std::size_t width, std::size_t shared_doubles, Memory memory)
      : iterations_(iterations), width_(width), memory_(memory) {
    const std::size_t values = static_cast<std::size_t>(iterations) * width;
    shared_ = farm.replicated<double>(shared_doubles);
    if (memory == Memory::farm) {
      input_ = farm.resident<double>(values);
      output_ = farm.resident<double>(values);
    } else if (farm.is_master()) {
      own_.assign(2 * values, 0.0);
      input_ = std::span(own_).first(values);
      output_ = std::span(own_).last(values);
    }
    if (!farm.is_master()) return;
    std::iota(input_.begin(), input_.end(), 1.0);
    std::ranges::fill(shared_, 0.5);
    std::ranges::fill(output_, -1.0);
  }

  Index iterations() const override { return iterations_; }
  std::size_t input_bytes(Chunk chunk) const override {
    return bytes(chunk) + (chunk.size < iterations_ ? more_input_bytes : 0);
  }
  std::size_t output_bytes(Chunk chunk) const override { return bytes(chunk); }
  std::span<const std::byte> input(Chunk chunk) const override {
    return std::as_bytes(part(std::span<const double>(input_), chunk));
  }
  std::span<std::byte> output(Chunk chunk) override { return std::as_writable_bytes(part(output_, chunk)); }
  std::span<std::byte> shared_input() override { return std::as_writable_bytes(shared_); }
  std::size_t shared_piece_bytes() const override { return piece_doubles * sizeof(double); }
  // Preparing doubles a value: each of them must be prepared exactly once.
  void prepare_shared(std::size_t, std::span<std::byte> bytes) override {
    if (fails_to_prepare) throw std::runtime_error("no way to prepare this");
    has_prepared = true;
    for (double& value : std::span(reinterpret_cast<double*>(bytes.data()), bytes.size() / sizeof(double)))
      value *= 2;
  }

  void compute(Work& work) override {
    const std::span input(reinterpret_cast<const double*>(work.input().data()), work.input().size() / 8);
    const std::span output(reinterpret_cast<double*>(work.output().data()), work.output().size() / 8);
    if (input.size() != static_cast<std::size_t>(work.chunk().size) * width_ || output.size() != input.size())
      throw std::logic_error("a view has the wrong size");
    if (fail_at >= work.chunk().first && fail_at < work.chunk().end())
      throw std::runtime_error("iteration " + std::to_string(fail_at) + " is unlucky");
    const double shared = shared_sum(work);
    if (sleep_s > 0 && work.chunk().first >= sleeps_from)
      std::this_thread::sleep_for(std::chrono::duration<double>(sleep_s));
    const bool is_late = work.worker() == late_worker;
    if (is_late) std::this_thread::sleep_for(std::chrono::duration<double>(late_s));
    for (std::size_t i = 0; i < input.size(); ++i) output[i] = is_late ? -2 : input[i] * input[i] + shared;
  }

  /// The first wrong value's index, or -1; on the master. Of `left_out` no value is right.
  Index first_wrong(Index left_out = -1) const {
    for (std::size_t i = 0; i < output_.size(); ++i) {
      const bool is_right = output_[i] == static_cast<double>(i + 1) * static_cast<double>(i + 1) +
                                              static_cast<double>(shared_.size());
      if (is_right == (static_cast<Index>(i / width_) == left_out)) return static_cast<Index>(i);
    }
    return -1;
  }

  Index iterations_at_once() const override { return at_once; }

  Index at_once = 1;
  std::size_t more_input_bytes = 0;  ///< of a chunk, than it has
  std::size_t piece_doubles = 1000;  ///< of the shared input
  Index fail_at = -1;
  bool fails_to_prepare = false;
  std::atomic<bool> has_prepared = false;
  double sleep_s = 0;
  Index sleeps_from = 0;  ///< the first iteration that does
  /// Takes so long for its chunk that a copy must be first, and then has a result that nobody may see.
  std::optional<WorkerId> late_worker;
  static constexpr double late_s = 0.5;

 private:
  std::size_t bytes(Chunk chunk) const {
    return static_cast<std::size_t>(chunk.size) * width_ * sizeof(double);
  }
  template <class Span>
  Span part(Span all, Chunk chunk) const {
    if (all.empty()) return {};
    return all.subspan(static_cast<std::size_t>(chunk.first) * width_,
                       static_cast<std::size_t>(chunk.size) * width_);
  }
  double shared_sum(Work& work) const {
    double sum = 0;
    for (std::size_t piece = 0; piece * piece_doubles < shared_.size(); ++piece) {
      const auto bytes = work.shared_piece(piece);
      if (work.is_cancelled()) break;  // somebody may still be writing it
      for (double value : std::span(reinterpret_cast<const double*>(bytes.data()), bytes.size() / 8))
        sum += value;
    }
    return sum;
  }

  Index iterations_;
  std::size_t width_;
  Memory memory_;
  std::vector<double> own_;
  std::span<double> input_, output_, shared_;
};

}  // namespace loadshare::test
