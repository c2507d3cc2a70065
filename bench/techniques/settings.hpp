#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/names.hpp"
#include "base/types.hpp"
#include "models/farm/scenario.hpp"

namespace loadshare::bench {

/// How a loop's iterations cost; the mean is the same in all.
enum class Costs { constant, random, rising, falling, bimodal };
inline constexpr Choices<Costs, 5> cost_kinds{{{"constant", Costs::constant},
                                               {"random", Costs::random},
                                               {"rising", Costs::rising},
                                               {"falling", Costs::falling},
                                               {"bimodal", Costs::bimodal}}};

/// Hosts alike; as in the lab of experiments/tr-97-14, two of three granted 0.1 of a processor and one 0.3;
/// of speeds from 1 to 6, which nobody knows beforehand.
enum class Hosts { alike, limited, mixed };
inline constexpr Choices<Hosts, 3> host_kinds{
    {{"alike", Hosts::alike}, {"limited", Hosts::limited}, {"mixed", Hosts::mixed}}};

/// Workers see the master's memory, or messages take the wire.
enum class Wire { none, fast, slow };
inline constexpr Choices<Wire, 3> wire_kinds{
    {{"memory", Wire::none}, {"100 Mbit/s", Wire::fast}, {"10 Mbit/s", Wire::slow}}};

/// A loop and the farm that runs it, of which techniques make more or less.
struct Setting {
  std::uint64_t seed = 0;
  Costs costs = Costs::constant;
  Hosts hosts = Hosts::alike;
  Wire wire = Wire::none;
  Index iterations = 1000;
  std::size_t workers = 4;
  double work_s = 1;            ///< the loop's on all workers together, undisturbed
  double load_period_s = 0;     ///< half of it on, each worker in a phase of its own; 0: there is no load
  double load_share = 0.5;      ///< of the processor, while on
  bool is_half_loaded = false;  ///< only every second worker is
  double wire_share = 0;        ///< what its messages need of the wire, of work_s
  double shared_share = 0;      ///< likewise what every host needs before it can compute
  std::size_t prefetch = 0;
  bool master_works = false;
  bool is_narrow_dear = false;  ///< an iteration alone costs 1.6 of what one in a wide chunk does

  bool has_load() const { return load_period_s > 0; }
};

/// The setting of that number: the same everywhere.
Setting draw_setting(std::uint64_t seed);

/// The lab of experiments/prediction and its loop, in eight settings: on links of 100 and of 10 Mbit/s, with
/// a working and with a coordinating master, without and with a load; numbered in this order, the load
/// changing first.
Setting lab_setting(std::uint64_t number);
inline constexpr std::uint64_t lab_settings = 8;
/// Labs like it: the same eight kinds, of 5 to 14 hosts, 400 to 1,400 columns and 0.7 to 4 s of work.
Setting lab_like_setting(std::uint64_t number);

/// What every host needs before it can compute.
double shared_bytes_of(const Setting& setting);

/// One of many equally likely runs of it, in its load's phases and in the costs that are random.
predictor::Scenario scenario_of(const Setting& setting, std::uint64_t replicate);

}  // namespace loadshare::bench
