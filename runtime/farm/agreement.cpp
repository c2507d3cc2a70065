#include "runtime/farm/agreement.hpp"

#include <exception>
#include <new>

#include "runtime/farm/program.hpp"

namespace loadshare {

namespace {

std::string encode_failure(ExitCode code, const char* text) {
  return std::to_string(static_cast<int>(code)) + ' ' + text;
}

}  // namespace

std::string outcome_of(const std::function<void()>& action) {
  try {
    action();
    return {};
  } catch (const Error& error) {
    return encode_failure(error.code(), error.what());
  } catch (const std::bad_alloc&) {
    return encode_failure(ExitCode::run_failed, "out of memory");
  } catch (const std::exception& error) {  // the application's own: it must not leave the others waiting
    return encode_failure(ExitCode::run_failed, error.what());
  }
}

void throw_if_failed(const std::string& outcome) {
  if (outcome.empty()) return;
  const std::size_t space = outcome.find(' ');
  throw AgreedError(static_cast<ExitCode>(std::stoi(outcome.substr(0, space))), outcome.substr(space + 1));
}

void do_on_master(Transport& transport, const std::function<void()>& action) {
  std::string outcome;
  if (transport.is_master()) outcome = outcome_of(action);
  throw_if_failed(transport.from_master(outcome));
}

}  // namespace loadshare
