#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace loadshare::fuzz {

using Input = std::span<const std::uint8_t>;

/// A reader of bytes that others wrote. Whatever they are, it takes them or refuses them as a user's error;
/// what it takes must hold together, or the program is aborted, as by the sanitizers.
struct Target {
  std::string_view name;
  void (*read)(Input);
};

std::span<const Target> targets();

/// Aborts, saying so, where `what` does not hold.
void require(bool holds, const char* what);

// By what the bytes are.
void read_frames(Input input);
void read_journal(Input input);
void read_profile(Input input);
void read_npy(Input input);
void read_record(Input input);
void read_report(Input input);
void read_calibration(Input input);
void read_sweep(Input input);
void read_lab(Input input);
void read_changes(Input input);

}  // namespace loadshare::fuzz
