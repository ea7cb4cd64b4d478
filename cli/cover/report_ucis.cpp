#include <fmt/format.h>

#include "cli/base/command.hpp"
#include "cli/cover/report.hpp"

namespace mx::cli {
namespace {

using golden::Bin;
using golden::Covergroup;
using golden::Coverpoint;

void add_bin(std::string& xml, const Bin& bin, std::size_t number) {
  const bool is_open = bin.reach == golden::Reach::kOpen;
  xml += fmt::format(
      "        <coverpointBin name=\"{}\" key=\"{}\" type=\"{}\">"
      "<range from=\"{}\" to=\"{}\"><contents coverageCount=\"{}\"/></range></coverpointBin>\n",
      escaped(bin.name), number, is_open ? "bins" : "ignore", number, number, bin.hits);
}

void add_point(std::string& xml, const Coverpoint& point, std::size_t number) {
  xml +=
      fmt::format("      <coverpoint name=\"{}\" key=\"{}\">\n        <options comment=\"{}\"/>\n",
                  escaped(point.name), number, escaped(point.meaning));
  for (std::size_t i = 0; i < point.bins.size(); ++i) add_bin(xml, point.bins[i], i);
  xml += "      </coverpoint>\n";
}

void add_group(std::string& xml, const Covergroup& group, std::size_t number) {
  constexpr const char* kSource = "file=\"1\" line=\"1\" inlineCount=\"1\"";
  xml += fmt::format(
      "    <cgInstance name=\"{}\" key=\"{}\">\n      <options per_instance=\"true\"/>\n"
      "      <cgId cgName=\"mxgold\" moduleName=\"mxgold\"><cginstSourceId {}/><cgSourceId "
      "{}/></cgId>\n",
      escaped(group.name), number, kSource, kSource);
  for (std::size_t i = 0; i < group.points.size(); ++i) add_point(xml, group.points[i], i);
  xml += "    </cgInstance>\n";
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string cover_ucis(const std::vector<Covergroup>& groups, const std::string& time) {
  std::string xml = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<UCIS ucisVersion=\"1.0\" writtenBy=\"mxgold\" writtenTime=\"{0}\">\n"
      "  <sourceFiles fileName=\"mxgold\" id=\"1\"/>\n"
      "  <historyNodes historyNodeId=\"0\" logicalName=\"mxgold\" kind=\"HistoryTest\" "
      "testStatus=\"true\" "
      "date=\"{0}\" toolCategory=\"UCIS:Simulator\" ucisVersion=\"1.0\" vendorId=\"mxgold\" "
      "vendorTool=\"mxgold\" vendorToolVersion=\"{1}\"/>\n"
      "  <instanceCoverages name=\"mxgold\" key=\"0\" moduleName=\"mxgold\">\n"
      "    <id file=\"1\" line=\"1\" inlineCount=\"1\"/>\n"
      "    <covergroupCoverage>\n",
      time, version());
  for (std::size_t i = 0; i < groups.size(); ++i) add_group(xml, groups[i], i);
  return xml + "    </covergroupCoverage>\n  </instanceCoverages>\n</UCIS>\n";
}

}  // namespace mx::cli
