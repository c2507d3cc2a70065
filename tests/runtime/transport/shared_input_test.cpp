#include "runtime/transport/shared_input.hpp"

#include <gtest/gtest.h>

#include <array>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "runtime/farm/workload.hpp"
#include "runtime/transport/host_memory.hpp"
#include "tests/error_of.hpp"

namespace loadshare {
namespace {

/// Bytes that count how often they were prepared.
class Counted final : public DataLayout {
 public:
  explicit Counted(std::size_t bytes) : bytes_(bytes) {}
  std::span<std::byte> shared_input() override { return bytes_; }
  std::size_t shared_piece_bytes() const override { return 10; }
  void prepare_shared(std::size_t, std::span<std::byte> bytes) override {
    for (std::byte& byte : bytes)
      byte = std::byte{static_cast<unsigned char>(std::to_integer<int>(byte) + 1)};
  }
  bool is_each_prepared_once() const {
    return std::ranges::all_of(bytes_, [](std::byte byte) { return byte == std::byte{1}; });
  }

 private:
  std::vector<std::byte> bytes_;
};

/// A host's shared input with everything it needs.
struct Host {
  explicit Host(std::size_t bytes)
      : layout(bytes),
        shape{.channels = 0, .prefetch = 0, .pieces = SharedInput::count_pieces(layout)},
        memory(ControlBlock::bytes(shape)),
        control(shape, memory.bytes().data()),
        shared(layout, control) {}
  Counted layout;
  ControlShape shape;
  PrivateMemory memory;
  ControlBlock control;
  SharedInput shared;
};

TEST(SharedInput, HasNoPiecesWhereThereIsNone) {
  Counted none(0);
  EXPECT_EQ(SharedInput::count_pieces(none), 0u);
}

TEST(SharedInput, TheLastPieceMayBeShorter) {
  Host host(25);
  EXPECT_EQ(host.shape.pieces, 3u);
  EXPECT_EQ(host.shared.bytes(1).size(), 10u);
  EXPECT_EQ(host.shared.bytes(2).size(), 5u);
}

TEST(SharedInput, IsPreparedOnceHoweverManyWantIt) {
  Host host(5000);
  host.shared.mark_all_raw();
  {
    std::vector<std::jthread> workers;
    for (int worker = 0; worker < 4; ++worker)
      workers.emplace_back([&] {
        double waited_s = 0;
        for (std::size_t piece = 0; piece < host.shape.pieces; ++piece)
          for (std::byte byte : host.shared.acquire(piece, waited_s)) EXPECT_EQ(byte, std::byte{1});
      });
  }
  EXPECT_TRUE(host.shared.is_complete());
  EXPECT_TRUE(host.layout.is_each_prepared_once());
}

TEST(SharedInput, IsPreparedByThoseAloneWhoMay) {
  Host host(25);
  host.shared.mark_all_raw();
  SharedInput elsewhere(host.layout, host.control, false);
  EXPECT_FALSE(elsewhere.prepare_next());
  EXPECT_FALSE(elsewhere.try_prepare(0));
  {
    std::jthread worker([&] {
      double waited_s = 0;
      for (std::size_t piece = 0; piece < host.shape.pieces; ++piece) elsewhere.acquire(piece, waited_s);
    });
    while (host.shared.prepare_next()) {
    }
  }
  EXPECT_TRUE(elsewhere.is_complete());
  EXPECT_TRUE(host.layout.is_each_prepared_once());
}

TEST(SharedInput, WaitsForWhatHasNotArrivedAndSaysHowLong) {
  Host host(25);
  std::jthread receiver([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    host.shared.mark_ready(1);
  });
  double waited_s = 0;
  EXPECT_EQ(host.shared.acquire(1, waited_s).size(), 10u);
  EXPECT_GE(waited_s, 0.02);
  EXPECT_FALSE(host.shared.is_complete());
}

/// Cannot prepare its second piece.
class Unprepared final : public DataLayout {
 public:
  std::span<std::byte> shared_input() override { return bytes_; }
  std::size_t shared_piece_bytes() const override { return 10; }
  void prepare_shared(std::size_t piece, std::span<std::byte>) override {
    if (piece != 1) return;
    ++tries;
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    throw std::runtime_error("no memory to pack it");
  }

  int tries = 0;

 private:
  std::array<std::byte, 25> bytes_{};
};

// A half-prepared piece is not prepared again, and a thread that waits for it must not wait forever.
TEST(SharedInput, APieceThatCannotBePreparedIsAnErrorForAllThatWantIt) {
  Unprepared layout;
  const ControlShape shape{.channels = 0, .prefetch = 0, .pieces = SharedInput::count_pieces(layout)};
  PrivateMemory memory(ControlBlock::bytes(shape));
  ControlBlock control(shape, memory.bytes().data());
  SharedInput here(layout, control), of_another_process(layout, control);
  here.mark_all_raw();
  const auto reason = [](SharedInput& shared) {
    return thrown_text([&] {
      double waited_s = 0;
      shared.acquire(1, waited_s);
    });
  };
  {
    std::array<std::string, 3> reasons;
    std::vector<std::jthread> workers;
    for (std::string& text : reasons) workers.emplace_back([&] { text = reason(here); });
    workers.clear();
    for (const std::string& text : reasons) EXPECT_EQ(text, "no memory to pack it");
  }
  EXPECT_EQ(reason(of_another_process),
            "piece 1 of the broadcast input could not be prepared by another process");
  EXPECT_EQ(layout.tries, 1);
  double waited_s = 0;
  EXPECT_EQ(here.acquire(2, waited_s).size(), 5u) << "of the others nothing is wrong";
}

TEST(SharedInput, RefusesAPieceThatIsNotThere) {
  Host host(25);
  double waited_s = 0;
  EXPECT_THROW(host.shared.acquire(3, waited_s), std::out_of_range);
}

TEST(SharedInput, WaitsNoLongerThanTheRun) {
  Host host(25);
  host.control.over() = 1;
  double waited_s = 0;
  host.shared.acquire(0, waited_s);
  EXPECT_FALSE(host.shared.is_ready(0));
}

// Another rank of the host may hear first that the run is over; this one must not compute with what never
// came.
TEST(SharedInput, AWorkerThatWaitsNoMoreIsCancelled) {
  Host host(25);
  const std::atomic<std::uint32_t> not_heard_here = 0;
  Work work({0, 1}, WorkerId{0}, {}, {}, host.shared, not_heard_here);
  EXPECT_FALSE(work.is_cancelled());
  host.control.over() = 1;
  work.shared_piece(1);
  EXPECT_TRUE(work.is_cancelled());
}

}  // namespace
}  // namespace loadshare
