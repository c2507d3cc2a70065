#pragma once

#include <exception>
#include <string>
#include <string_view>

namespace loadshare::tool {

enum class OutputForm { text, json };

/// Whoever read our stdout has had enough (`| head`): a reason to stop, none to complain.
struct ReaderGone final : std::exception {};

/// Writes to stdout, buffered; throws ReaderGone, or Error (run_failed) where it cannot be written.
void print(std::string_view text);

/// Writes what is still buffered; throws as print does.
void finish_printing();

/// Writes what --json asked for to the file `path`, or to stdout where that is "-"; throws as print does.
void write_json(const std::string& path, const std::string& text);

}  // namespace loadshare::tool
