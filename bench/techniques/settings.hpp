#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/names.hpp"
#include "base/types.hpp"
#include "models/farm/scenario.hpp"

namespace loadshare::bench {

/// The distribution of the iterations' costs; all have the same mean.
enum class Costs { constant, random, rising, falling, bimodal };
inline constexpr Choices<Costs, 5> cost_kinds{{{"constant", Costs::constant},
                                               {"random", Costs::random},
                                               {"rising", Costs::rising},
                                               {"falling", Costs::falling},
                                               {"bimodal", Costs::bimodal}}};

/// Equal hosts; hosts as in the lab of experiments/tr-97-14, two of three with 0.1 of a processor and one
/// with 0.3; or hosts with speeds from 1 to 6 that the scheduler does not know.
enum class Hosts { alike, limited, mixed };
inline constexpr Choices<Hosts, 3> host_kinds{
    {{"alike", Hosts::alike}, {"limited", Hosts::limited}, {"mixed", Hosts::mixed}}};

/// Whether workers share the master's memory or messages use a network, and its rate.
enum class Wire { none, fast, slow };
inline constexpr Choices<Wire, 3> wire_kinds{
    {{"memory", Wire::none}, {"100 Mbit/s", Wire::fast}, {"10 Mbit/s", Wire::slow}}};

/// A loop and the farm that runs it, in which techniques perform differently.
struct Setting {
  std::uint64_t seed = 0;
  Costs costs = Costs::constant;
  Hosts hosts = Hosts::alike;
  Wire wire = Wire::none;
  Index iterations = 1000;
  std::size_t workers = 4;
  double work_s = 1;            ///< of the loop on all workers together, undisturbed
  double load_period_s = 0;     ///< on for half of it, each worker with its own phase; 0: no load
  double load_share = 0.5;      ///< of the processor, while on
  bool is_half_loaded = false;  ///< only every second worker has a load
  double wire_share = 0;        ///< network time of its messages as a share of work_s
  double shared_share = 0;      ///< the same of the broadcast input
  std::size_t prefetch = 0;
  bool master_works = false;
  bool has_slow_narrow_chunks = false;  ///< a single iteration costs 1.6 times as much as one in a wide chunk

  bool has_load() const { return load_period_s > 0; }
};

/// Returns the setting of that number, the same on every machine.
Setting draw_setting(std::uint64_t seed);

/// Returns one of eight settings of the lab and the loop of experiments/prediction: links of 100 or 10
/// Mbit/s, a working or coordinating master, without or with a load. They are numbered in this order, the
/// load varying fastest.
Setting lab_setting(std::uint64_t number);
inline constexpr std::uint64_t lab_settings = 8;
/// Returns a similar lab: the same eight kinds, with 5 to 14 hosts, 400 to 1,400 columns and 0.7 to 4 s of
/// work.
Setting lab_like_setting(std::uint64_t number);

/// Returns the bytes of the broadcast input.
double shared_bytes_of(const Setting& setting);

/// Returns one of many equally likely runs of it, which differ in the phases of loads and in random costs.
predictor::Scenario scenario_of(const Setting& setting, std::uint64_t replicate);

}  // namespace loadshare::bench
