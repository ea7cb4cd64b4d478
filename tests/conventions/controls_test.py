#!/usr/bin/env python3
"""Negative controls of the conventions: each rule is broken once and must be caught."""

import contextlib
import functools
import io
import json
import re
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import fuzzed

HERE = Path(__file__).resolve().parent
PROJECT = HERE.parents[1]

CLEAN_TREE = {
    "reference/format/format.hpp": "#include <cstdint>\n",
    "reference/element/encode.hpp": '#include "reference/format/format.hpp"\n',
    "reference/element/encode.cpp": '#include "reference/element/encode.hpp"\n// a float in a comment, "double" in a string\n',
    "emulators/casts/casts.hpp": '#include "reference/format/format.hpp"\n',
    "emulators/casts/casts.cpp": '#include "emulators/casts/casts.hpp"\n#include "emulators/dmx/dmx.hpp"\n',
    "golden/vectors/vector.hpp": '#include "reference/element/encode.hpp"\n',
    "golden/vectors/vector.cpp": '#include <fmt/format.h>\n#include "golden/vectors/vector.hpp"\n',
    "sim/report/run.cpp": '#include "Vmx_quantizer.h"\n#include "golden/vectors/vector.hpp"\n#include "fast/cuda/quantize.hpp"\n',
    "fast/cuda/quantize.cpp": '#include "reference/format/format.hpp"\n',
    "backend/tensor/tensor_quantizer.cpp": '#include "fast/cuda/quantize.hpp"\n#include "reference/block/quantizer.hpp"\n',
    "backend/abi/abi.cpp": '#include "emulators/casts/casts.hpp"\n#include "golden/text/text.hpp"\n',
    "bridge/model/model.hpp": '#include "backend/abi/abi.hpp"\n#include "golden/vectors/vector.hpp"\n',
    "explorer/answers/answers.hpp": '#include "golden/vectors/vector.hpp"\n',
    "cli/program/main.cpp": '#include "sim/report/run.hpp"\n#include "fast/cuda/quantize.hpp"\n',
    "cli/program/commands.cpp": '#include "backend/abi/abi.hpp"\n#include "oracle/number/value.hpp"\n',
    "rtl/mx_lane.sv": "module mx_lane;\nendmodule\n",
    "oracle/number/value.hpp": '#include "reference/format/format.hpp"\n',
    "oracle/number/value.cpp": '#include <boost/multiprecision/cpp_int.hpp>\n#include "oracle/number/value.hpp"\n',
    "tests/area/CMakeLists.txt": "add_executable(area_test area_test.cpp)\nadd_test(NAME area.run COMMAND run.sh)\n",
    "tests/area/area_test.cpp": '#include "sim/report/run.hpp"\n',
    "tests/area/run.sh": "#!/bin/sh\n",
}


@functools.cache
def program(path):
    """A checker, compiled once."""
    return compile(path.read_text(), str(path), "exec")


def exit_status(ended, printed):
    """What a process that ends by this SystemExit returns; a text is printed, as Python does."""
    if isinstance(ended.code, str):
        printed.write(ended.code)
        return 1
    return ended.code or 0


class Checks(unittest.TestCase):
    def run_check(self, script, *arguments):
        """Runs a checker as a program, in this process: 150 starts of Python would take most of the test's time."""
        printed = io.StringIO()
        with mock.patch.object(sys, "argv", [script, *(str(a) for a in arguments)]), \
                contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed), \
                self.assertRaises(SystemExit) as ended:
            exec(program(HERE / script), {"__name__": "__main__", "__file__": str(HERE / script)})
        return exit_status(ended.exception, printed), printed.getvalue()


class ConventionCase(Checks):
    """A small tree that keeps every convention."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = Path(scratch.name).resolve()
        for name, text in CLEAN_TREE.items():
            self.write(name, text)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())


class Layering(ConventionCase):
    """A clean tree under the project's own diagram and page of modules."""

    def setUp(self):
        super().setUp()
        self.page = (PROJECT / "docs/architecture.md").read_text()
        self.modules = (PROJECT / "docs/maintainers/modules.md").read_text()
        self.write("docs/architecture.md", self.page)
        self.write("docs/maintainers/modules.md", self.modules)

    def check(self):
        return self.run_check("layering.py", self.root)

    def assert_caught(self, name, text, words):
        self.write(name, text)
        status, output = self.check()
        self.assertEqual(status, 1, output)
        self.assertIn(words, output)

    def test_a_clean_tree_passes(self):
        status, output = self.check()
        self.assertEqual(status, 0, output)

    def test_an_arrow_that_no_include_line_has_is_caught(self):
        self.write("cli/program/commands.cpp", '#include "backend/abi/abi.hpp"\n')
        self.assert_caught("docs/architecture.md", self.page, "cli --> oracle: no include line")

    def test_an_arrow_that_is_gone_is_caught(self):
        self.assert_caught("docs/architecture.md", self.page.replace("cli ------> sim ---", "sim ---"),
                           '"sim/report/run.hpp" belongs to sim/, which cli/ may not use')

    def test_an_arrow_back_is_caught(self):
        self.assert_caught("docs/architecture.md", self.page.replace("explorer ---", "reference -> explorer ---"),
                           "reference --> explorer: leads back")

    def test_a_page_without_a_diagram_is_no_pass(self):
        for page in (self.page.replace("```text", "```"), self.page.replace("explorer --", "")):
            self.write("docs/architecture.md", page)
            status, output = self.check()
            self.assertEqual(status, 2, output)
            self.assertIn("nothing to check in", output)

    def test_a_module_without_a_row_is_caught(self):
        self.assert_caught("docs/maintainers/modules.md", self.modules.replace("| `reference/element` |", "| `element` |"),
                           "no row for reference/element")

    def test_an_include_of_a_higher_layer_is_caught(self):
        self.assert_caught("golden/vectors/bad.cpp", '#include "sim/report/run.hpp"\n', "belongs to sim/")

    def test_a_relative_include_into_another_layer_is_caught(self):
        self.assert_caught("reference/block/bad.cpp", '#include "../../golden/vectors/vector.cpp"\n', "belongs to golden/")

    def test_an_indented_include_of_a_higher_layer_is_caught(self):
        self.assert_caught("sim/dut/bad.hpp", ' #  include "cli/base/command.hpp"\n', "belongs to cli/")

    def test_an_include_of_a_higher_module_is_caught(self):
        self.assert_caught("reference/element/bad.cpp", '#include "reference/block/quantizer.hpp"\n', "in a module above")

    def test_a_file_outside_a_module_is_caught(self):
        self.assert_caught("golden/bad.cpp", "", "stands in no module")

    def test_an_unknown_room_is_caught(self):
        self.assert_caught("sim/attic/bad.cpp", "", "no module of modules.txt")

    def test_a_module_with_too_many_files_is_caught(self):
        for i in range(21):
            self.write(f"tests/area/part{i}.cpp", "")
        self.assert_caught("tests/area/one_more.cpp", "", "files in one module")

    def test_rounding_code_in_fast_is_caught(self):
        self.assert_caught("fast/cuda/bad.cu", '#include "reference/element/encode.hpp"\n', "fast/ sees only")

    def test_fast_including_golden_is_caught(self):
        self.assert_caught("fast/cuda/bad.cuh", '#include "golden/vectors/vector.hpp"\n', "belongs to golden/")

    def test_a_link_to_a_higher_layer_is_caught(self):
        text = "target_link_libraries(mx_golden PUBLIC mx_reference\n  mx_sim)\n"
        self.assert_caught("golden/CMakeLists.txt", text, "links a library of sim/")

    def test_members_chosen_by_a_regular_expression_are_caught(self):
        self.assert_caught("golden/CMakeLists.txt", 'list(FILTER mx_golden_sources INCLUDE REGEX "/names/")\n',
                           "mx_golden_sources are chosen by a regular expression")

    def test_fast_including_the_backend_is_caught(self):
        self.assert_caught("fast/cuda/bad.cuh", '#include "backend/tensor/tensor_quantizer.hpp"\n', "belongs to backend/")

    def test_a_library_that_the_c_library_would_need_is_caught(self):
        self.write("golden/names/names.hpp", "#include <string>\n")
        self.write("golden/names/names.cpp", "#include <fmt/format.h>\n")
        words = "golden/names/names.cpp: <fmt/format.h> (what the C library reaches of golden/ uses the standard library only)"
        self.assert_caught("backend/abi/ask.cpp", '#include "golden/names/names.hpp"\n', words)

    def test_bridge_that_uses_the_fast_path_is_caught(self):
        self.assert_caught("bridge/model/bad.cpp", '#include "backend/tensor/tensor_quantizer.hpp"\n', "bridge/ sees only")

    def test_bridge_that_uses_the_harness_is_caught(self):
        self.assert_caught("bridge/model/bad.cpp", '#include "sim/report/run.hpp"\n', "bridge/ may not use")

    def test_third_party_headers_in_reference_are_caught(self):
        self.assert_caught("reference/block/bad.cpp", "#include <fmt/format.h>\n", "standard library")

    def test_host_floating_point_in_reference_is_caught(self):
        self.assert_caught("reference/block/bad.cpp", "float half();\n", "integers only")

    def test_the_math_header_in_reference_is_caught(self):
        self.assert_caught("reference/block/bad.cpp", "#include <cmath>\n", "integers only")

    def test_expected_answers_from_bulk_loops(self):
        self.write("reference/bulk/bulk.hpp", "#include <cstdint>\n")
        words = "golden/vectors/answers.cpp: reference/bulk/bulk.hpp (expected answers come from the plain kernel)"
        self.assert_caught("golden/vectors/answers.cpp", '#include "reference/bulk/bulk.hpp"\n', words)

    def test_expected_answers_through_a_module_with_bulk_loops(self):
        self.write("reference/bulk/bulk.hpp", "#include <cstdint>\n")
        self.write("reference/tensor/tensor.hpp", "#include <cstdint>\n")
        self.write("reference/tensor/tensor.cpp", '#include "reference/bulk/bulk.hpp"\n')
        words = "reference/tensor/tensor.hpp, which uses reference/bulk (expected answers come from the plain kernel)"
        self.assert_caught("golden/vectors/answers.cpp", '#include "reference/tensor/tensor.hpp"\n', words)

    def test_rounding_code_in_the_oracle_is_caught(self):
        self.assert_caught("oracle/number/value.cpp", '#include "reference/number/rounding.hpp"\n', "shares only descriptors")

    def test_rounding_code_behind_another_header_of_the_oracle_is_caught(self):
        self.write("reference/catalog/catalog.hpp", '#include "reference/element/encode.hpp"\n')
        self.assert_caught("oracle/number/value.cpp", '#include "reference/catalog/catalog.hpp"\n', "shares only descriptors")

    def test_other_headers_of_the_reference_in_the_oracle_are_caught(self):
        self.assert_caught("oracle/number/bad.hpp", '#include "reference/policy/fields.hpp"\n', "oracle/ sees only")

    def test_the_oracle_linking_the_reference_is_caught(self):
        text = "target_link_libraries(mx_oracle PUBLIC mx_reference)\n"
        self.assert_caught("oracle/CMakeLists.txt", text, "links the reference")

    def test_golden_using_an_emulated_package_is_caught(self):
        self.assert_caught("golden/vectors/bad.cpp", '#include "emulators/casts/casts.hpp"\n', "belongs to emulators/")

    def test_a_path_of_the_backend_using_an_emulated_package_is_caught(self):
        self.assert_caught("backend/tensor/bad.cpp", '#include "emulators/casts/casts.hpp"\n', "of emulators/ only")

    def test_the_inside_of_an_emulated_package_is_caught(self):
        self.assert_caught("cli/run/bad.cpp", '#include "emulators/dmx/dmx.hpp"\n', "of emulators/ only")

    def test_the_harness_linking_the_emulated_packages_is_caught(self):
        text = "target_link_libraries(mx_sim PUBLIC mx_emulators)\n"
        self.assert_caught("sim/CMakeLists.txt", text, "links a library of emulators/")

    def test_golden_using_the_oracle_is_caught(self):
        self.assert_caught("golden/vectors/bad.cpp", '#include "oracle/number/value.hpp"\n', "belongs to oracle/")

    def test_a_layer_using_tests_is_caught(self):
        self.write("tests/support/report.hpp", "")
        text = '#include "tests/support/report.hpp"\n'
        self.assert_caught("cli/run/bad.cpp", text, "nothing uses tests/")

    def test_an_include_in_rtl_is_caught(self):
        self.assert_caught("rtl/mx_bad.sv", '`include "x.svh"\n', "RTL uses packages")

    def test_an_empty_layer_is_no_pass(self):
        (self.root / "sim/report/run.cpp").unlink()
        status, output = self.check()
        self.assertEqual(status, 2, output)

    def test_a_missing_oracle_is_no_pass(self):
        (self.root / "oracle/number/value.cpp").unlink()
        (self.root / "oracle/number/value.hpp").unlink()
        status, output = self.check()
        self.assertEqual(status, 2, output)


class Words(ConventionCase):
    TABLE = "Words.\n\n| write | not |\n|---|---|\n| fault list | **museum** |\n| SIMD kernels | lanes.hpp |\n\nMore.\n"

    def check(self):
        return self.run_check("words.py", self.root)

    def assert_caught(self, name, text, expected):
        self.write("CONTRIBUTING.md", self.TABLE)
        self.write(name, text)
        status, output = self.check()
        self.assertEqual(status, 1, output)
        self.assertIn(expected, output)

    def test_a_tree_without_them_passes(self):
        self.write("CONTRIBUTING.md", self.TABLE)
        self.write("sim/lanes/lane_lanes.hpp", "// A museums of lanes.hpp\n")
        status, output = self.check()
        self.assertEqual(status, 0, output)

    def test_a_word_in_a_name_is_caught(self):
        self.assert_caught("sim/museum/list.cpp", "", "sim/museum/list.cpp: the name says 'museum'; write: fault list")
        self.assert_caught("sim/judge/museum_test.cpp", "", "museum_test.cpp: the name says 'museum'")

    def test_a_whole_name_is_caught(self):
        self.assert_caught("fast/cpu/lanes.hpp", "", "the name says 'lanes.hpp'; write: SIMD kernels")

    def test_a_bold_word_in_a_text_is_caught(self):
        self.assert_caught("docs/page.md", "one\nThe Museum.\n", "docs/page.md:2: 'Museum'; write: fault list")

    def test_a_page_without_a_table_is_no_pass(self):
        for page in ("Words.\n", self.TABLE.replace("**", "")):
            self.write("CONTRIBUTING.md", page)
            status, output = self.check()
            self.assertEqual(status, 2, output)


class Registered(ConventionCase):
    def check(self):
        return self.run_check("registered.py", self.root)

    def test_registered_tests_pass(self):
        status, output = self.check()
        self.assertEqual(status, 0, output)

    def test_a_source_without_a_target_is_caught(self):
        self.write("tests/area/lost_test.cpp", "int main() {}\n")
        status, output = self.check()
        self.assertEqual(status, 1, output)
        self.assertIn("tests/area/lost_test.cpp", output)

    def test_a_source_that_a_list_collects_or_names_by_its_stem_passes(self):
        self.write("tests/area/lists/CMakeLists.txt", "file(GLOB all ${CMAKE_CURRENT_SOURCE_DIR}/*_test.cpp)\n")
        self.write("tests/area/lists/found_test.cpp", "int main() {}\n")
        self.write("tests/area/loop/CMakeLists.txt", "foreach(test\n  deep/named\n  other)\n")
        self.write("tests/area/loop/deep/named_test.cpp", "int main() {}\n")
        status, output = self.check()
        self.assertEqual(status, 0, output)

    def test_a_source_that_a_comment_or_another_folder_names_is_caught(self):
        self.write("tests/area/noted/CMakeLists.txt", "# lost_test.cpp\nadd_executable(x ../other/lost_test.cpp)\n")
        self.write("tests/area/noted/lost_test.cpp", "int main() {}\n")
        status, output = self.check()
        self.assertEqual(status, 1, output)
        self.assertIn("tests/area/noted/lost_test.cpp", output)

    def test_a_script_that_nothing_runs_is_caught(self):
        self.write("tests/area/lost.sh", "#!/bin/sh\n# lost.sh names itself\n")
        status, output = self.check()
        self.assertEqual(status, 1, output)
        self.assertIn("tests/area/lost.sh", output)

    def test_no_tests_is_no_pass(self):
        for name in ("area_test.cpp", "run.sh"):
            (self.root / "tests/area" / name).unlink()
        status, output = self.check()
        self.assertEqual(status, 2, output)


class Definitions(ConventionCase):
    TYPE = "namespace mx::golden {\n// struct Seen {};\nstruct Verdict {\n  int words = 0;\n};\n}  // namespace mx::golden\n"

    def check(self, name, text):
        self.write("golden/answers/verdict.hpp", self.TYPE)
        self.write(name, text)
        return self.run_check("definitions.py", self.root)

    def assert_passes(self, text):
        status, output = self.check("golden/identify/judge.hpp", text)
        self.assertEqual(status, 0, output)
        self.assertRegex(output, r"definitions: [1-9]\d* types")

    def assert_caught(self, text):
        status, output = self.check("golden/identify/judge.hpp", text)
        self.assertEqual(status, 1, output)
        self.assertIn("mx::golden::Verdict: defined 2 times: golden/answers/verdict.hpp:3, golden/identify/judge.hpp:", output)

    def test_types_of_one_name_are_caught(self):
        self.assert_caught("namespace mx::golden {\nclass Verdict final : public Base {};\n}\n")
        self.assert_caught("namespace mx {\nnamespace golden {\nvoid f() { if (1) {} }\nenum class Verdict : int { kNo };\n}\n}\n")
        self.assert_caught("namespace mx::golden {\ntemplate <typename T>\nstruct Verdict {\n  T t;\n};\n}\n")
        self.assert_caught('const char* const text = "}";\nnamespace mx::golden { struct Verdict { char brace = \'{\'; }; }\n')
        self.assert_caught('/* { */ extern "C" {\nnamespace mx::golden { struct Verdict {}; }\n}\n')

    def test_other_names_and_scopes_pass(self):
        self.assert_passes("namespace mx::sim { struct Verdict {}; }\nnamespace mx::golden { struct Verdict2 {}; }\n")
        self.assert_passes("namespace mx::golden { struct Verdict; Verdict verdict(); struct Tally { struct Verdict {}; }; }\n")
        self.assert_passes("namespace mx::golden { namespace { struct Verdict {}; } }\n")
        self.assert_passes("namespace mx::golden { inline void f() { struct Verdict {}; } }\n")
        self.assert_passes("namespace mx::golden { template <> struct Verdict<int> {}; struct Tally::Verdict {}; }\n")

    def test_two_values_of_a_policy_name_are_caught(self):
        text = 'MX_POLICY(Rounding, MX_ROUNDING);\n'
        self.write("reference/policy/policy.hpp", text)
        status, output = self.check("reference/policy/again.hpp", text)
        self.assertEqual(status, 1, output)
        self.assertIn("mx::Rounding: defined 2 times", output)

    def test_a_stub_takes_the_place_of_a_module(self):
        status, output = self.check("golden/identify/without_highway.cpp", self.TYPE)
        self.assertEqual(status, 0, output)

    def test_no_types_is_no_pass(self):
        status, output = self.run_check("definitions.py", self.root)
        self.assertEqual(status, 2, output)


class Walk(ConventionCase):
    """Sources, some of which call another, and a page that walks from one to the other."""

    def check(self, *hops, words=0):
        self.write("cli/run/first.hpp", "")
        self.write("cli/run/second.hpp", "struct Second;\n")
        for name, text in (("first", "void first() { second(); ROW(glued) }\n#define ADD(name) add_##name()"),
                           ("second", "void second() {}"), ("lonely", "void lonely() {}  // first() says second"),
                           ("hidden", "namespace {\nvoid second() {}\n}  // namespace\nvoid hidden() {}"),
                           ("glued", "void add_glued() {}")):
            self.write(f"cli/run/{name}.cpp", f'#include "cli/run/first.hpp"\n{text}\n')
        page = ""
        for walk in ("one", "two"):
            page += f"## The way of {walk}\n\n"
            page += "".join(f"{i}. `{hop}`: what\n" for i, hop in enumerate(hops, 1))
        self.write("docs/architecture.md", page + "word " * (words - len(page.split())))
        return self.run_check("walk.py", self.root, "4")

    def test_a_true_walk_passes(self):
        status, output = self.check("cli/run/first.cpp", "cli/run/first.hpp", "cli/run/second.cpp", "cli/run/glued.cpp")
        self.assertEqual(status, 0, output)

    def test_a_page_that_is_too_long_is_caught(self):
        for words, wanted in ((1199, 0), (1200, 0), (1201, 1)):
            status, output = self.check("cli/run/first.cpp", "cli/run/first.hpp", words=words)
            self.assertEqual(status, wanted, output)
        self.assertIn("1201 words; 1200 at most", output)

    def test_false_hops_are_caught(self):
        for hops, words in ((("cli/run/first.cpp", "cli/run/lonely.cpp"), "no earlier hop calls into it"),
                            (("cli/run/first.cpp", "cli/run/hidden.cpp"), "no earlier hop calls into it"),
                            (("cli/run/lonely.cpp", "cli/run/second.cpp"), "no earlier hop calls into it"),
                            (("cli/run/first.cpp", "cli/run/third.cpp"), "no such file"),
                            (("cli/run/first.cpp", "cli/run/second.cpp", "cli/run/second.cpp"), "stands twice"),
                            (("cli/run/first.cpp", "rtl/mx_lane.sv"), "no earlier hop includes it")):
            status, output = self.check(*hops)
            self.assertEqual(status, 1, output)
            self.assertIn(words, output)

    def test_a_page_without_walks_is_no_pass(self):
        status, output = self.check()
        self.assertEqual(status, 2, output)


class Places(ConventionCase):
    """The real table and the files it names; then one place too many, one too few, a line that is gone."""

    def setUp(self):
        super().setUp()
        self.page = (PROJECT / "CONTRIBUTING.md").read_text()
        self.write("CONTRIBUTING.md", self.page)
        for name in re.findall(r"`([a-z_]+/[\w/]+\.[ch]pp)`", self.page):
            if (PROJECT / name).is_file():
                self.write(name, (PROJECT / name).read_text())

    def check(self):
        return self.run_check("places.py", self.root, "check")

    def assert_caught(self, name, text, words):
        self.write(name, text)
        status, output = self.check()
        self.assertEqual(status, 1, output)
        self.assertIn(words, output)

    def test_the_table_is_true(self):
        status, output = self.check()
        self.assertEqual(status, 0, output)

    def test_a_place_too_few_is_caught(self):
        self.assert_caught("CONTRIBUTING.md", self.page.replace("`reference/number/rounding.hpp` ", ""),
                           "which CONTRIBUTING.md does not say")

    def test_a_place_too_many_is_caught(self):
        row = "| subcommand | `cli/program/commands.cpp` "
        self.assert_caught("CONTRIBUTING.md", self.page.replace(row, row + "`cli/program/main.cpp` "),
                           "which needs no change")

    def test_a_line_that_is_gone_is_caught(self):
        self.assert_caught("sim/dut/kind.cpp", "", "0 places like")


class TextRules(ConventionCase):
    def assert_caught(self, text, words):
        self.write("docs/page.md", text)
        status, output = self.run_check("text_rules.py", self.root)
        self.assertEqual(status, 1, output)
        self.assertIn("docs/page.md:2: " + words, output)

    def test_a_clean_tree_passes(self):
        folder = "home"  # behind a host name it is no path of a machine
        self.write("docs/page.md", f"an ordinary path: /usr/bin/python3, https://example.org/{folder}/x\n")
        self.write("golden/blob.bin", b"\0\xff\xff")
        status, output = self.run_check("text_rules.py", self.root)
        self.assertEqual(status, 0, output)

    def test_other_characters_are_caught(self):
        self.assert_caught("fine\nan em dash \u2014 here\n", "not ASCII")

    def test_crlf_is_caught(self):
        self.assert_caught("fine\nnot fine\r\n", "CRLF")

    def test_what_a_merge_left_is_caught(self):
        for mark in ("<", ">"):
            self.assert_caught("fine\n" + 7 * mark + " branch\n", "what a merge left")

    def test_machine_paths_are_caught(self):
        for folder in ("root", "home", "work"):
            self.assert_caught(f"fine\nsee /{folder}/someone/file\n", "path of a machine")

    def test_whole_numbers_of_json_by_the_library_are_caught(self):
        self.write("cli/read.cpp", "fine\nconst auto n = json.at(\"n\").get<std::uint64_t>();\n")
        status, output = self.run_check("text_rules.py", self.root)
        self.assertEqual(status, 1, output)
        self.assertIn("cli/read.cpp:2: a whole number of JSON", output)

    def test_json_by_the_library_is_caught(self):
        for parser in ("Json::parse(text)", "nlohmann::json::sax_parse(text, &names)"):
            self.write("cli/read.cpp", f"fine\nconst auto json = {parser};\n")
            status, output = self.run_check("text_rules.py", self.root)
            self.assertEqual(status, 1, output)
            self.assertIn("cli/read.cpp:2: JSON: read it by", output)

    def test_an_empty_folder_is_no_pass(self):
        with tempfile.TemporaryDirectory() as empty:
            status, output = self.run_check("text_rules.py", empty)
        self.assertEqual(status, 2, output)


class TestNames(ConventionCase):
    """A build of one GoogleTest program, and what ctest says of it: both are scripts."""

    def check(self, sample):
        self.write("program", "#!/bin/sh\nprintf 'Suite.\\n  One\\n  Two/0  # GetParam() = 7\\n'\n")
        command = [str(self.root / "program"), "--gtest_output=xml:x"] + ([f"--gtest_filter={sample}"] if sample else [])
        tests = [{"name": "p.1", "command": command}, {"name": "p.2", "command": command}, {"name": "script", "command": ["sh"]}]
        self.write("ctest", f"#!/bin/sh\ncat <<'E'\n{json.dumps({'tests': tests})}\nE\n")
        for name in ("program", "ctest"):
            (self.root / name).chmod(0o755)
        return self.run_check("test_names.py", self.root / "ctest", self.root)

    def test_cases_of_shards_are_named_once(self):
        status, output = self.check("")
        self.assertEqual((status, [line.split(": ")[1].split()[0] for line in output.splitlines()]),
                         (0, ["p.Suite.One", "p.Suite.Two/0", "script"]), output)

    def test_a_filter_of_cases_that_are_there_passes(self):
        self.assertEqual(self.check("Suite.One:Suite.T*-Suite.Two/0")[0], 0)

    def test_a_filter_that_names_no_case_is_caught(self):
        for sample, lost in (("Suite.Three", "Suite.Three"), ("*-Suite.Two", "Suite.Two"), ("Suite.*-Other.*", "Other.*")):
            status, output = self.check(sample)
            self.assertEqual(status, 1, output)
            self.assertIn(f"no case is named {lost}", output)


class TestPlan(ConventionCase):
    def check(self, plan, tests):
        self.write("plan.md", "| what | tests | control |\n|---|---|---|\n" + plan)
        self.write("tests.txt", "".join(f"  Test #{i}: {name}\n" for i, name in enumerate(tests)))
        return self.run_check("testplan.py", self.root / "plan.md", self.root / "tests.txt")

    def test_a_plan_that_covers_the_tests_passes(self):
        plan = "| bits | `codes`, label `gpu`: `device` | `codes.*Flip`: caught |\n"
        status, output = self.check(plan, ["codes.All", "codes.One/Flip", "device_run"])
        self.assertEqual(status, 0, output)

    def test_a_test_outside_the_plan_is_caught(self):
        status, output = self.check("| bits | `codes` | - |\n", ["codes.All", "lost.One"])
        self.assertEqual(status, 1, output)
        self.assertIn("lost.One: in no row", output)

    def test_a_planned_test_that_does_not_exist_is_caught(self):
        status, output = self.check("| bits | `codes` | `codes.Flip` |\n", ["codes.All"])
        self.assertEqual(status, 1, output)
        self.assertIn("codes.Flip: in the plan", output)

    def test_a_part_of_the_tests_may_lack_some_that_are_planned(self):
        for tests, status in ((["codes.All"], 0), (["codes.All", "lost.One"], 1)):
            self.check("| bits | `codes` | `other` |\n", tests)
            self.assertEqual(self.run_check("testplan.py", self.root / "plan.md", self.root / "tests.txt", "part")[0], status)

    def test_parameters_that_read_as_words_pass(self):
        names = ["codes.All/e4m3fn  # GetParam() = e4m3fn", "codes.Code/0x7f  # GetParam() = (mxfp4, 0x7f80)"]
        status, output = self.check("| bits | `codes` | - |\n", names)
        self.assertEqual(status, 0, output)

    def test_parameters_that_print_as_bytes_or_addresses_are_caught(self):
        for parameter in ("72-byte object <04-00 00-00>", '(0x55b0189a9f68 pointing to "mxfp4", 4)'):
            status, output = self.check("| bits | `codes` | - |\n", [f"codes.All/one  # GetParam() = {parameter}"])
            self.assertEqual(status, 1, output)
            self.assertIn("a parameter without a printer", output)

    def test_an_empty_plan_is_no_pass(self):
        self.assertEqual(self.check("", ["codes.All"])[0], 2)

    def test_no_tests_is_no_pass(self):
        self.assertEqual(self.check("| bits | `codes` | - |\n", [])[0], 2)


class Citations(ConventionCase):
    cite = "spec"  # apart from the section, so that this file cites nothing

    def setUp(self):
        super().setUp()
        self.page = '# F. Formats\n\n<a id="F8"></a>\n\n## F8. Encode to_odd\n\n<a id="F8.1"></a>\n\n### F8.1 Flags\n'
        self.write("docs/spec/formats.md", self.page)
        self.write("reference/policy/policy.hpp", 'X(kToOdd, "to_odd", kDirected)\n')
        self.write("rtl/mx_cite.sv", f"// {self.cite} F8, F8.1 and F8\n")

    def check(self, least=3):
        return self.run_check("citations.py", self.root, least)

    def assert_caught(self, name, text, words):
        self.write(name, text)
        status, output = self.check()
        self.assertEqual(status, 1, output)
        self.assertIn(words, output)

    def test_a_clean_tree_passes(self):
        self.write("rtl/mx_lines.sv", f"// {self.cite}\n// F8.1: a citation over a line end; onnx/onnx:docs/Operators.md\n")
        self.write("rtl/run.sh", 'make >"$work/page.md"; grep F8 "$root/docs/spec/formats.md"\n')
        self.write("golden/data/set.json", '{"spec_refs": [{"document": "' + 'formats.md",\n  "section": "8, 8.1"}]}\n')
        status, output = self.check()
        self.assertEqual(status, 0, output)

    def test_a_section_that_does_not_exist_is_caught(self):
        self.assert_caught("rtl/mx_bad.sv", f"\n// {self.cite} F99\n", f"rtl/mx_bad.sv:2: {self.cite} F99: no such anchor")

    def test_every_section_of_a_list_is_looked_at(self):
        for tail in ("F8, F8.1 and F99", "F8 step 2 and F99", "F8 to F99", "F8,\n// F99"):
            self.assert_caught("rtl/mx_bad.sv", f"// {self.cite} {tail}\n", "F99: no such anchor")

    def test_a_section_inside_the_specification_is_caught(self):
        self.assert_caught("docs/spec/formats.md", self.page + "see F8.7\n", "F8.7: no such anchor")

    def test_a_page_that_does_not_exist_is_caught(self):
        self.assert_caught("rtl/mx_bad.sv", "// nothing" + ".md\n", "rtl/mx_bad.sv:1: nothing" + ".md: no such file")

    def test_the_old_spelling_in_a_source_is_caught(self):
        self.assert_caught("rtl/mx_bad.sv", "// formats" + ".md section 8\n", "formats" + ".md: no such file")

    def test_a_section_that_its_page_lacks_is_caught(self):
        for section in ("F8.9", "section 8.9", "8.1, 8.9", "sections 8 and 8.9"):
            self.assert_caught("rtl/mx_bad.sv", "// docs/spec/formats" + f".md {section}\n", "8.9: no such section")

    def test_a_section_that_golden_data_cite_in_vain_is_caught(self):
        text = '{"spec_refs": "formats' + '.md 8.1 to 9"}\n'
        self.assert_caught("golden/data/set.json", text, "formats" + ".md 9: no such section")

    def test_an_anchor_that_stands_twice_is_caught(self):
        self.assert_caught("docs/spec/rtl.md", '<a id="F8"></a>\n', "docs/spec/rtl.md:1: anchor F8: stands at docs/spec/")

    def test_a_heading_without_its_anchor_is_caught(self):
        for text in ("## F9. Alone\n", '<a id="F10"></a>\n\n## F9. Another\n'):
            self.assert_caught("docs/spec/formats.md", self.page + text, "heading F9: write")

    def test_a_policy_the_specification_does_not_name_is_caught(self):
        self.assert_caught("reference/policy/policy.hpp", 'X(kToOdd, "to_even", kDirected)\n', "to_even: no word")

    def test_a_mask_the_specification_does_not_name_is_caught(self):
        self.assert_caught("reference/profiles/masks.hpp", 'MaskFacts{kMaskNan, "nan_here", "NaN"},\n', "nan_here: no word")

    def test_too_few_citations_are_no_pass(self):
        self.assertEqual(self.check(1000)[0], 2)

    def test_an_empty_tree_is_no_pass(self):
        with tempfile.TemporaryDirectory() as empty:
            status, output = self.run_check("citations.py", empty, 0)
        self.assertEqual(status, 2, output)


class SystemsPage(ConventionCase):
    SYSTEMS = {"dmx": ("D1", "KD1"), "torchmx": ("T1", "KT1"), "qtorch": ("Q-1", "KQ1"), "aimet": ("A1", "KA1"),
               "microxcaling": ("M1", "KM1")}

    def setUp(self):
        super().setUp()
        law = ""
        for system, ids in self.SYSTEMS.items():
            law += "".join(f"| {name} | a row |\n" for name in ids)
            tests = "".join(f"TEST(S, T{i}) {{\n" for i in range(len(ids)))
            self.write(f"tests/emulators/{system}/{system}_test.cpp", tests)
            self.write(f"docs/systems/{system}.rows",
                       "".join(f"{name} | what | compat | strict | S.T{i}\n" for i, name in enumerate(ids)))
        self.write("docs/spec/seed-systems.md", law)
        self.assertEqual(self.run_check("systems_page.py", self.root, "write")[0], 0)

    def assert_caught(self, words):
        status, output = self.run_check("systems_page.py", self.root, "check")
        self.assertEqual(status, 1, output)
        self.assertIn(words, output)

    def test_a_whole_page_passes(self):
        self.assertEqual(self.run_check("systems_page.py", self.root, "check")[0], 0)

    def test_a_row_of_the_law_without_a_line_is_caught(self):
        self.write("docs/systems/dmx.rows", "D1 | what | compat | strict | S.T0\n")
        self.assert_caught("no line for row KD1 of the specification")

    def test_a_line_without_a_row_is_caught(self):
        self.write("docs/systems/dmx.rows", "D1 | w | c | s | S.T0\nKD1 | w | c | s | S.T0\nD9 | w | c | s | S.T0\n")
        self.assert_caught("the specification has no row D9")

    def test_a_test_that_does_not_exist_is_caught(self):
        self.write("docs/systems/dmx.rows", "D1 | w | c | s | S.T0\nKD1 | w | c | s | S.T7\n")
        self.assert_caught("no test S.T7")

    def test_a_missing_system_and_a_short_line_are_caught(self):
        (self.root / "docs/systems/aimet.rows").unlink()
        self.assert_caught("aimet.rows is missing")
        self.write("docs/systems/aimet.rows", "A1 | what\n")
        self.assert_caught("five cells are expected")

    def test_an_old_page_is_caught(self):
        self.write("docs/systems.md", "old\n")
        self.assert_caught("out of date")


class ExecutedFloor(ConventionCase):
    """A ctest run of tests t0, t1, ...; those of GoogleTest have cases."""

    def check(self, least, statuses, cases=None, tier="default"):
        rows = "".join(f'<testcase name="t{i}" status="{s}"/>' for i, s in enumerate(statuses))
        self.write("ctest.xml", f"<testsuite>{rows}</testsuite>")
        self.write("least.txt", f"{least}\n")
        (self.root / "results").mkdir(exist_ok=True)
        for test, results in (cases or {}).items():
            text = "".join(f'<testcase classname="Suite" name="c{i}" status="run" result="{r}"/>' for i, r in enumerate(results))
            self.write(f"results/{test}.xml", f"<testsuites><testsuite>{text}</testsuite></testsuites>")
        return self.run_check("least_executed.py", self.root / "ctest.xml", self.root / "least.txt", self.root / "results", tier)

    def test_enough_tests_pass_and_are_counted(self):
        status, output = self.check("default 2\nall 9", ["run", "run"])
        self.assertEqual(status, 0, output)
        self.assertIn("2 tests of 2 programs", output)
        self.assertEqual(self.check("default 2\nt 2\nt1 1", ["run", "run"])[0], 0)

    def test_cases_of_a_program_count_each(self):
        cases = {"t0": ["completed", "completed", "skipped"], "t1": ["completed"]}
        status, output = self.check("default 4\nt0.Suite. 2", ["run", "run", "run"], cases)
        self.assertEqual(status, 0, output)
        self.assertIn("1 tests were skipped: t0.Suite.c2", output)
        self.assertEqual(self.check("default 5", ["run", "run", "run"], cases)[0], 1)

    def test_shards_count_under_the_name_of_their_program(self):
        self.write("ctest.xml", '<testsuite><testcase name="p.1" status="run"/><testcase name="p.2" status="run"/></testsuite>')
        for shard in (1, 2):
            self.write(f"results/p.{shard}.xml", '<a><testcase classname="S" name="c" status="run" result="completed"/></a>')
        self.write("least.txt", "default 2\np.S. 2\n")
        status, output = self.run_check("least_executed.py", self.root / "ctest.xml", self.root / "least.txt",
                                        self.root / "results", "default")
        self.assertEqual(status, 0, output)

    def test_a_program_without_a_case_is_no_pass_although_enough_ran(self):
        self.write("results/t0.xml", '<a><testcase classname="S" name="c" status="notrun" result="suppressed"/></a>')
        status, output = self.check("default 1", ["run", "run"])
        self.assertEqual(status, 1, output)
        self.assertIn("t0 ran no case", output)

    def test_an_empty_shard_beside_a_full_one_passes(self):
        self.write("ctest.xml", '<testsuite><testcase name="p.1" status="run"/><testcase name="p.2" status="run"/></testsuite>')
        self.write("results/p.1.xml", '<a><testcase classname="S" name="c" status="run" result="completed"/></a>')
        self.write("results/p.2.xml", "<a/>")
        self.write("least.txt", "default 1\n")
        status, output = self.run_check("least_executed.py", self.root / "ctest.xml", self.root / "least.txt",
                                        self.root / "results", "default")
        self.assertEqual(status, 0, output)

    def test_the_other_tier_has_its_own_least(self):
        self.assertEqual(self.check("default 1\nall 2", ["run"], tier="all")[0], 1)
        self.assertEqual(self.check("default 2\nall 1", ["run"], tier="all")[0], 0)

    def test_skipped_tests_are_named_also_where_enough_ran(self):
        status, output = self.check("default 2", ["run", "run", "notrun"])
        self.assertEqual(status, 0, output)
        self.assertIn("1 tests were skipped: t2", output)

    def test_an_area_that_vanished_is_caught_although_enough_ran(self):
        for least in ("default 2\nrtl. 1", "default 2\nt1 2", "default 2\nt 0"):
            self.assertEqual(self.check(least, ["run", "run", "run"])[0], 1, least)
        self.assertIn("0 tests rtl.* were executed", self.check("default 2\nrtl. 1", ["run", "run"])[1])

    def test_too_few_tests_are_caught_and_the_skipped_ones_named(self):
        status, output = self.check("default 3", ["run", "run", "notrun", "disabled"])
        self.assertEqual(status, 1, output)
        self.assertIn("2 tests were skipped: t2, t3", output)

    def test_no_tests_are_caught(self):
        self.assertEqual(self.check("default 1", [])[0], 1)

    def test_a_least_of_zero_is_no_pass(self):
        self.assertEqual(self.check("default 0", ["run"])[0], 1)

    def test_a_missing_result_file_or_least_is_an_error(self):
        self.assertEqual(self.check("all 1", ["run"])[0], 2)
        (self.root / "ctest.xml").unlink()
        status, _ = self.run_check("least_executed.py", self.root / "ctest.xml", self.root / "least.txt", self.root, "default")
        self.assertEqual(status, 2)


class CopyCase(Checks):
    """A copy of some of the real sources, made once a class, with one of them changed and put back."""

    PATTERNS = ()

    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.root = Path(scratch.name).resolve()
        for pattern in cls.PATTERNS:
            for source in PROJECT.glob(pattern):
                copy = cls.root / source.relative_to(PROJECT)
                copy.parent.mkdir(parents=True, exist_ok=True)
                copy.write_bytes(source.read_bytes())

    @contextlib.contextmanager
    def changed(self, name, text):
        path = self.root / name
        kept = path.read_text()
        path.write_text(text(kept))
        try:
            yield
        finally:
            path.write_text(kept)


class Fuzzed(CopyCase):
    """The real headers, readers and targets, with one of them changed."""

    PATTERNS = (*(place[0] for place in fuzzed.THROUGH.values()), "reference/**/*.hpp", "emulators/**/*.hpp",
                "golden/**/*.hpp", "sim/**/*.hpp", "cli/**/*.hpp", "bridge/**/*.hpp", "bridge/*/*.h", "bridge/dpi/*.sv",
                "backend/abi/*.h", "sim/plugin/*.h", "tests/fuzz/**/*.cpp")

    def check(self):
        return self.run_check("fuzzed.py", self.root)

    def assert_caught(self, name, old, new, words):
        self.assertIn(old, (self.root / name).read_text())
        with self.changed(name, lambda text: text.replace(old, new)):
            status, output = self.check()
        self.assertEqual(status, 1, output)
        self.assertIn(words, output)

    def test_the_tree_passes(self):
        self.assertEqual(self.check()[0], 0, self.check()[1])

    def test_an_exported_function_without_a_target_is_caught(self):
        self.assert_caught("backend/abi/mxgold.h", "MXGOLD_API uint32_t mxgold_abi_version(void)",
                           "MXGOLD_API int mxgold_new(int x);\nMXGOLD_API uint32_t mxgold_abi_version(void)",
                           "mxgold_new: no target")

    def test_a_function_of_dpi_without_a_call_is_caught(self):
        self.assert_caught("tests/fuzz/interfaces/dpi.cpp", "require_words(mxgold_dpi_version(), input)", "(void)input",
                           "mxgold_dpi_version: no target")

    def test_a_member_that_no_plugin_has_is_caught(self):
        self.assert_caught("sim/plugin/mxgold_device.h", "mxgold_device_status (*answer)",
                           "mxgold_device_status (*hint)", "hint: tests/fuzz/interfaces/plugin.cpp has no such function")

    def test_a_reader_without_a_target_is_caught(self):
        self.assert_caught("golden/bytes/number_text.hpp", "namespace mx::golden {",
                           "namespace mx::golden {\n[[nodiscard]] int parse_new(std::string_view text);",
                           "parse_new: no target")

    def test_a_target_that_is_gone_is_caught(self):
        self.assert_caught("tests/fuzz/readers/logs.cpp", "golden::parse_log(", "golden::log_of(",
                           "read_log: no target of tests/fuzz calls parse_log")

    def test_a_detour_that_is_gone_is_caught(self):
        self.assert_caught("golden/files/jsonl.cpp", "parse_digest", "digest_of", "jsonl.cpp does not call it")

    def test_no_targets_is_no_pass(self):
        targets, away = self.root / "tests/fuzz", self.root / "away"
        targets.rename(away)
        status, _ = self.check()
        away.rename(targets)
        self.assertEqual(status, 2)


class Mutations(CopyCase):
    """A mutation of a text that stands nowhere any more tries nothing."""

    PATTERNS = ("cli/check/**/*.cpp", "cli/vectors/**/*.cpp", "cli/run/**/*.cpp", "golden/**/*.cpp", "sim/**/*.cpp")

    def check(self):
        return self.run_check("../mutation/judges.py", self.root, "check")

    def test_texts_that_stand_once_pass(self):
        self.assertEqual(self.check()[0], 0)

    def test_lost_and_doubled_texts_are_caught(self):
        for change in (lambda text: text.replace("++verdict_.mismatches", "verdict_.mismatches++"), lambda text: text + text):
            with self.changed("golden/answers/verdict.cpp", change):
                status, output = self.check()
            self.assertEqual(status, 1, output)
            self.assertIn("golden/answers/verdict.cpp has ", output)


if __name__ == "__main__":
    unittest.main()
