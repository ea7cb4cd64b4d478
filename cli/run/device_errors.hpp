// What devices and their inputs throw, as errors of the program.
#pragma once

#include <stdexcept>

#include "cli/base/error.hpp"
#include "golden/bytes/error.hpp"
#include "sim/dut/dut.hpp"
#include "sim/stimulus/block_source.hpp"

namespace mx::cli {

/// The work's exit code, its exceptions as Error with the exit code of spec V9.
template <typename Work>
[[nodiscard]] Exit with_device_errors(Work work) {
  try {
    return work();
  } catch (const sim::StimulusError& error) {
    throw Error(Exit::kBadInput, error.what());
  } catch (const golden::VectorError& error) {
    throw Error(Exit::kBadInput, error.what());
  } catch (const sim::UnsupportedError& error) {
    throw Error(Exit::kUsage, error.what());
  } catch (const sim::DutError& error) {
    throw Error(Exit::kDut, error.what());
  } catch (const std::invalid_argument& error) {
    throw Error(Exit::kBadInput, error.what());
  }
}

}  // namespace mx::cli
