#pragma once

#include <unistd.h>

#include <exception>
#include <limits>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/io/files.hpp"
#include "base/io/terminal.hpp"

namespace loadshare::tool {

enum class OutputForm { text, json };

/// Whoever read our stdout has had enough (`| head`): a reason to stop, none to complain.
struct ReaderGone final : std::exception {};

/// Writes a text for a person to stdout, buffered; its lines are broken to fit the terminal. Throws
/// ReaderGone, or Error (run_failed) where it cannot be written.
void print(std::string_view text);

/// The same for data and commands, whose lines stay as they are.
void print_exactly(std::string_view text);

/// Writes what is still buffered; throws as print does.
void finish_printing();

/// Writes what --json asked for to the file `path`, or to stdout where that is "-"; throws as print does.
void write_json(const std::string& path, const std::string& text);

/// Where a command's figures go besides the text; an empty path is an output not asked for.
struct FigureFiles {
  std::string json;  ///< a file, or "-" for stdout
  std::string plot;  ///< a file that ends in .svg or .png
};

/// Prints what a person reads (to stderr where stdout is for the JSON; `what` is for errors: "the fit"), and
/// writes what --json asked for: `json` is its file, "-" for stdout, or empty. Throws as print does.
void answer(const std::string& json, std::string_view what, const std::string& text,
            const std::string& json_text);
/// The same with a plot of the JSON, where one is asked for, by the report's program `plotter`: this process
/// then goes on as python.
void answer(const FigureFiles& outputs, std::string_view what, const std::string& text,
            const std::string& json_text, const char* plotter);

/// The JSON of a file: with a line end, and with what is no UTF-8 replaced. `indent` -1: on one line.
std::string file_text(const nlohmann::ordered_json& json, int indent = -1);

/// Throws UsageError where an image's file, if there is one, does not end in one of the endings (".svg").
void require_ending(std::string_view option, const std::string& path,
                    const std::vector<std::string>& endings);

/// The files that reading `paths` reads, each a file or the folder of a sweep.
std::vector<NamedFile> files_of_runs(const char* option, const std::vector<std::string>& paths);

/// Throws UsageError where one of them could not be written, is the other one, or is one of the files that
/// are read.
/// `more`: other files that are read, by option.
void require_outputs(const FigureFiles& outputs, const std::vector<std::string>& read,
                     const std::vector<NamedFile>& more = {});

/// The most columns of a text for a person.
inline constexpr int most_columns = 100;
/// The width of such a text in this process: fewer columns if stdout is a narrow terminal.
inline const int metrics_width = text_columns(STDOUT_FILENO, most_columns);
/// The width of a table in this process: as wide as it needs to be if stdout has no width.
inline const int table_width = text_columns(STDOUT_FILENO).value_or(std::numeric_limits<int>::max());

/// Lines of notes behind the label "note", broken to fit.
std::string notes_text(const std::vector<std::string>& notes);

/// Rows of cells as a table, the heading first: `left` columns flush left, the others right, two blanks
/// between. A column of which nothing is known ("-" or nothing in every row) is left out. In a table wider
/// than `width` the widest column of words is wrapped. If that is not enough, the columns go into several
/// tables, one below the other, each with the first column.
std::string table_text(const std::vector<std::vector<std::string>>& rows, std::size_t left = 0,
                       int width = table_width);

}  // namespace loadshare::tool
