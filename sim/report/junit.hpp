// A JUnit XML report: a suite of cases, each passed, failed or in error.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <pugixml.hpp>
#include <span>
#include <string>
#include <string_view>

namespace mx::sim {

struct JUnitCount {
  std::string name;
  std::uint64_t count = 0;
};

/// What is no number.
struct JUnitFact {
  std::string_view name;
  std::string text;  ///< "" says nothing, and is left out
};

class JUnitReport {
 public:
  /// `suite`: what ran; `device`: the class of every case.
  JUnitReport(std::string_view suite, std::string_view device, double seconds);

  /// Counts of the whole suite.
  void add_counts(std::span<const JUnitCount> counts);
  void add_facts(std::initializer_list<JUnitFact> facts);
  /// A case that passed, until fail() or break_off() says otherwise of the last one.
  void add_case(std::string_view name, std::span<const JUnitCount> counts);
  /// `message`: one line; `text`: all there is to say, with the replay.
  void fail(std::string_view message, std::string_view text);
  void break_off(std::string_view message, std::string_view text);

  /// What the whole suite has to say; "" for nothing.
  void add_text(std::string_view text);

  /// The whole report, with a final line feed.
  [[nodiscard]] std::string text();

 private:
  void add_problem(const char* kind, std::string_view message, std::string_view text);

  pugi::xml_document document_;
  pugi::xml_node suite_;
  pugi::xml_node case_;
  std::string device_;
  std::string output_;
  unsigned tests_ = 0;
  unsigned failures_ = 0;
  unsigned errors_ = 0;
};

}  // namespace mx::sim
