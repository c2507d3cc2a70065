#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace loadshare::fuzz {

using Input = std::span<const std::uint8_t>;

/// A reader of bytes from other programs. It accepts any bytes or refuses them as a user's error. If the
/// accepted data are inconsistent, the program aborts, as it does for the sanitizers.
struct Target {
  std::string_view name;
  void (*read)(Input);
};

std::span<const Target> targets();

/// Aborts with a message if `what` does not hold.
void require(bool holds, const char* what);

// The targets, by the kind of the bytes.
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
