#pragma once

#include <exception>
#include <string>
#include <string_view>
#include <vector>

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

/// Where a command's figures go besides the text; an empty path is an output not asked for.
struct FigureFiles {
  std::string json;  ///< a file, or "-" for stdout
  std::string plot;  ///< a file that ends in .svg or .png
};

/// Throws UsageError where one of them could not be written, is the other one, or is one of the files that
/// are read.
void require_outputs(const FigureFiles& outputs, const std::vector<std::string>& read);

}  // namespace loadshare::tool
