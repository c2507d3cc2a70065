#include "apps/loadshare/output.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "runtime/timing/output_path.hpp"
#include "schedulers/error.hpp"

namespace loadshare::tool {
namespace {

[[noreturn]] void throw_failed(int error) {
  if (error == EPIPE) throw ReaderGone();
  throw Error(ExitCode::run_failed, "cannot write to stdout", std::strerror(error));
}

}  // namespace

void print(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) throw_failed(errno);
}

void finish_printing() {
  if (std::fflush(stdout) != 0) throw_failed(errno);
}

void write_json(const std::string& path, const std::string& text) {
  if (path == "-") return print(text);
  replace_file(path, [&text](const ByteSink& sink) { sink(text); });
}

}  // namespace loadshare::tool
