#include "sim/report/junit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace mx::sim {
namespace {

// XML has few control characters, and bytes beyond ASCII need not be UTF-8.
std::string xml_text(std::string_view text) {
  std::string clean(text);
  std::ranges::replace_if(
      clean, [](char c) { return (c < ' ' || c > '~') && c != '\n'; }, '?');
  return clean;
}

void set(pugi::xml_node node, const char* name, std::string_view value) {
  node.append_attribute(name) = xml_text(value).c_str();
}

void add_property(pugi::xml_node node, std::string_view name, std::string_view value) {
  pugi::xml_node properties = node.child("properties");
  if (!properties) properties = node.append_child("properties");
  pugi::xml_node property = properties.append_child("property");
  set(property, "name", name);
  set(property, "value", value);
}

void add_properties(pugi::xml_node node, std::span<const JUnitCount> counts) {
  for (const auto& [name, count] : counts) add_property(node, name, std::to_string(count));
}

}  // namespace

JUnitReport::JUnitReport(std::string_view suite, std::string_view device, double seconds)
    : device_(device) {
  pugi::xml_node declaration = document_.append_child(pugi::node_declaration);
  declaration.append_attribute("version") = "1.0";
  declaration.append_attribute("encoding") = "UTF-8";
  suite_ = document_.append_child("testsuite");
  set(suite_, "name", suite);
  for (const char* count : {"tests", "failures", "errors"}) suite_.append_attribute(count) = 0;
  set(suite_, "time", fmt::format("{:.3f}", seconds));
}

void JUnitReport::add_counts(std::span<const JUnitCount> counts) { add_properties(suite_, counts); }

void JUnitReport::add_facts(std::initializer_list<JUnitFact> facts) {
  for (const auto& [name, text] : facts) {
    if (!text.empty()) add_property(suite_, name, text);
  }
}

void JUnitReport::add_case(std::string_view name, std::span<const JUnitCount> counts) {
  case_ = suite_.append_child("testcase");
  set(case_, "classname", device_);
  set(case_, "name", name);
  if (!counts.empty()) add_properties(case_, counts);
  ++tests_;
}

void JUnitReport::fail(std::string_view message, std::string_view text) {
  add_problem("failure", message, text);
  ++failures_;
}

void JUnitReport::break_off(std::string_view message, std::string_view text) {
  add_problem("error", message, text);
  ++errors_;
}

void JUnitReport::add_text(std::string_view text) { output_ += text; }

void JUnitReport::add_problem(const char* kind, std::string_view message, std::string_view text) {
  pugi::xml_node problem = case_.append_child(kind);
  set(problem, "message", message);
  if (!text.empty()) problem.append_child(pugi::node_pcdata).set_value(xml_text(text).c_str());
}

std::string JUnitReport::text() {
  suite_.attribute("tests") = tests_;
  suite_.attribute("failures") = failures_;
  suite_.attribute("errors") = errors_;
  // The schema has it behind the cases.
  if (!output_.empty()) {
    suite_.append_child("system-out")
        .append_child(pugi::node_pcdata)
        .set_value(xml_text(output_).c_str());
  }
  std::ostringstream text;
  document_.save(text, "  ", pugi::format_default, pugi::encoding_utf8);
  return text.str();
}

}  // namespace mx::sim
