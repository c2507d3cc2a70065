#pragma once

#include <cblas.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "apps/common/blas/core_types.hpp"

namespace loadshare::blas {

/// A library with BLAS' C interface, loaded as long as this lives. OpenBLAS chooses its kernels for the
/// processor at that moment, so a program that is linked to it comes too late to have a say.
class Library final {
 public:
  /// `core`: which kernels to ask for. Nothing: as OPENBLAS_CORETYPE says, or as the library chooses. What
  /// came of it says core(). Throws UsageError where there is no such library, or BLIS has no such kernels.
  /// For a time when no other thread reads the environment.
  explicit Library(Family family, const std::optional<std::string>& core = std::nullopt);

  decltype(&cblas_dgemm) dgemm = nullptr;
  decltype(&cblas_sgemm) sgemm = nullptr;
  std::function<void(int)> set_threads;
  std::function<int()> threads;

  /// The kernels it chose: "SkylakeX".
  const std::string& core() const { return core_; }
  /// "OpenBLAS 0.3.21".
  const std::string& version() const { return version_; }
  /// With how it was built and the kernels it chose, as it says itself.
  const std::string& description() const { return description_; }
  /// How the environment asks another program's library for the same: "OPENBLAS_CORETYPE=SkylakeX"; empty
  /// where this one was asked for nothing.
  const std::string& asked_by() const { return asked_by_; }

 private:
  void open_openblas(const std::optional<std::string>& core);
  void open_blis(const std::optional<std::string>& core);

  struct Closing {
    void operator()(void* handle) const;
  };
  std::unique_ptr<void, Closing> handle_;
  std::string core_, version_, description_, asked_by_;
};

/// Exists while a call of OpenBLAS computes. OpenBLAS takes memory for each simultaneous call, and keeps it.
/// If the system refuses the memory, OpenBLAS asks again forever; the constructor checks this beforehand.
class CallRoom final {
 public:
  /// Throws Error if the system refuses the memory.
  CallRoom();
  ~CallRoom();
  CallRoom(const CallRoom&) = delete;
  CallRoom& operator=(const CallRoom&) = delete;

 private:
  bool takes_room_;
};

/// What the user's environment asks OpenBLAS for; nothing where it is silent.
std::optional<std::string> asked_core_type();

/// Throws UsageError where that is no core type that OpenBLAS has, or one that this processor cannot run.
void require_core_type();

/// Throws UsageError where kernels of that name need an instruction that this processor lacks.
void require_instructions(Family family, const std::string& core);

/// OpenBLAS with the kernels that this processor deserves.
struct OpenBlas {
  Library library;
  std::string note;  ///< what a person should know, where they are others; empty: nothing
};

/// Loads it as it comes, and once more with a better core type where it does not know the processor, unless
/// the user has asked for one.
OpenBlas load_openblas(const Processor& processor);

/// That of this process, loaded at the first call; that should be before there are other threads.
const OpenBlas& openblas();

/// Limits it to one thread: a worker has one core. Done once a process; later calls change nothing.
void use_one_thread();

}  // namespace loadshare::blas
