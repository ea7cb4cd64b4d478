// Two named pipes in a temporary folder of their own.
#pragma once

#include <memory>
#include <string>

#include "golden/bytes/unfinished.hpp"

namespace mx::sim {

/// They and their folder are removed with it, and when a signal ends the program.
class Fifos {
 public:
  /// Throws golden::HostError where they cannot be made.
  Fifos();
  ~Fifos();
  Fifos(const Fifos&) = delete;
  Fifos& operator=(const Fifos&) = delete;

  [[nodiscard]] const std::string& in() const { return in_; }    ///< what the child reads
  [[nodiscard]] const std::string& out() const { return out_; }  ///< what it writes

 private:
  void remove();

  std::string folder_, in_, out_;
  std::unique_ptr<golden::UnfinishedName> folder_name_, in_name_, out_name_;
};

}  // namespace mx::sim
