#include "base/options.h"

#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "tests/unit/messages_of_tests.h"

using namespace marshal;

namespace {

Options from_environment(std::vector<const char*> entries) {
  entries.push_back(nullptr);
  return Options::resolve(settings_of_environment(entries.data()));
}

std::string only_problem(const Options& options) {
  BOOST_REQUIRE_EQUAL(options.problems().size(), 1u);
  return options.problems().front();
}

struct TemporaryFile {
  explicit TemporaryFile(const char* text) {
    close(mkstemp(path.data()));
    std::ofstream(path) << text;
  }
  ~TemporaryFile() { std::remove(path.c_str()); }
  std::string path = "/tmp/marshal-options-XXXXXX";
};

}  // namespace

BOOST_AUTO_TEST_CASE(every_row_stands_at_its_own_place_and_its_default_is_allowed) {
  for (std::size_t i = 0; i < option_count; ++i) {
    const OptionRow& entry = option_table()[i];
    BOOST_TEST(static_cast<std::size_t>(entry.option) == i);
    BOOST_TEST(entry.name.starts_with("MARSHAL_"));
    BOOST_TEST(!entry.help.empty());
    OptionValue value;
    BOOST_TEST(parse_option(entry, entry.initial, value) == "", entry.name << ": default is refused");
    for (const std::string_view word : words_of(entry)) BOOST_TEST(parse_option(entry, word, value) == "");
  }
}

BOOST_AUTO_TEST_CASE(a_word_reads_as_its_row_has_it_however_it_is_typed) {
  OptionValue value;
  for (const OptionRow& entry : option_table())
    for (const std::string_view word : words_of(entry)) {
      std::string typed = " ";
      for (const char c : word) typed += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
      BOOST_TEST(parse_option(entry, typed, value) == "");
      BOOST_TEST(value.text == word, entry.name << "=" << typed << " reads as " << value.text);
    }
  for (const char* typed : {"1", "Yes", "TRUE", "ON"}) {
    parse_option(row(Option::disable), typed, value);
    BOOST_TEST(value.text == "on");
  }
  parse_option(row(Option::report), "JSON, Text", value);
  BOOST_TEST(value.text == "json,text");
  parse_option(row(Option::report_file), "/A/Off", value);
  BOOST_TEST(value.text == "/A/Off");
}

BOOST_AUTO_TEST_CASE(defaults_hold_where_nothing_is_set) {
  const Options options;
  BOOST_TEST(options.is(Option::rankmap, "blocks"));
  BOOST_TEST(options.is(Option::cart, "best"));
  BOOST_TEST(options.has(Option::report, "text"));
  BOOST_TEST(options.has(Option::report, "json"));
  BOOST_TEST(!options.has(Option::report, "html"));
  BOOST_TEST(options.integer(Option::wait) == 300);
  BOOST_TEST(!options.on(Option::disable));
  BOOST_TEST(options.problems().empty());
  BOOST_TEST(source_name(options.source(Option::cart)) == "default");
}

BOOST_AUTO_TEST_CASE(a_value_that_is_not_allowed_names_the_choices_and_the_default_is_used) {
  const Options options = from_environment({"MARSHAL_CART=bst"});
  BOOST_TEST(options.is(Option::cart, "best"));
  BOOST_TEST(only_problem(options) ==
             "MARSHAL_CART='bst' (environment) is not used: it is none of its choices; choices: nodecart, hyperplane, "
             "kdtree, strips, search, best, off, report or WORD,graphs:best|report|off");
}

BOOST_AUTO_TEST_CASE(an_unknown_name_gets_the_nearest_one) {
  BOOST_TEST(only_problem(from_environment({"MARSHAL_RANKMAPS=lut"})) ==
             "MARSHAL_RANKMAPS (environment) is no setting of Marshal; did you mean MARSHAL_RANKMAP?");
  BOOST_TEST(only_problem(from_environment({"MARSHAL_XYZZYPLUGH=1"})).ends_with("`marshal info` lists them"));
  BOOST_TEST(from_environment({"OTHER=1", "MARSHALL=2", "NOTHING"}).problems().empty());
}

BOOST_AUTO_TEST_CASE(an_empty_variable_is_an_unset_one) {
  const Options options = from_environment({"MARSHAL_CART=", "MARSHAL_REPORT="});
  BOOST_TEST(options.problems().empty());
  BOOST_TEST(options.is(Option::cart, "best"));
}

BOOST_AUTO_TEST_CASE(the_higher_source_wins_in_whatever_order_they_come) {
  const std::vector<Setting> settings = {{"MARSHAL_CART", "strips", Source::command_line, "command line"},
                                         {"MARSHAL_CART", "search", Source::site, "s:1"},
                                         {"MARSHAL_PACK", "mars", Source::file, "f:1"},
                                         {"MARSHAL_PACK", "iovec", Source::site, "s:2"}};
  const Options options = Options::resolve(settings);
  BOOST_TEST(options.is(Option::cart, "strips"));
  BOOST_TEST((options.source(Option::cart) == Source::command_line));
  BOOST_TEST(options.is(Option::pack, "mars"));
  BOOST_TEST(options[Option::pack].where == "f:1");
}

BOOST_AUTO_TEST_CASE(a_setting_wins_over_the_mode_only_from_the_same_source_or_a_stronger_one) {
  constexpr Source sources[] = {Source::site, Source::file, Source::environment, Source::command_line};
  for (const Source of_mode : sources)
    for (const Source of_setting : sources)
      for (const bool mode_first : {true, false}) {
        std::vector<Setting> settings{{"MARSHAL_MODE", "observe", of_mode, "here"},
                                      {"MARSHAL_CART", "search", of_setting, "there"}};
        if (!mode_first) std::swap(settings[0], settings[1]);
        const Options options = Options::resolve(settings);
        const bool wins = of_setting >= of_mode;
        BOOST_TEST(options.text(Option::cart) == (wins ? "search" : "off"));
        BOOST_TEST(options[Option::cart].by_mode == !wins);
        BOOST_TEST((options.source(Option::cart) == (wins ? of_setting : of_mode)));
        BOOST_TEST(options.cause(Option::cart) == (wins ? "MARSHAL_CART=search" : "MARSHAL_MODE=observe"));
        BOOST_TEST(options.text(Option::pack) == "host");  // nobody set it
        BOOST_TEST(options.problems().empty());
      }
}

BOOST_AUTO_TEST_CASE(a_stronger_mode_undoes_a_weaker_one) {
  const std::vector<Setting> settings = {{"MARSHAL_MODE", "observe", Source::site, "s:1"},
                                         {"MARSHAL_MODE", "full", Source::environment, "environment"}};
  const Options options = Options::resolve(settings);
  for (const OptionRow& entry : option_table()) BOOST_TEST(!options[entry.option].by_mode);
  BOOST_TEST(options.is(Option::cart, "best"));
}

BOOST_AUTO_TEST_CASE(a_mode_gives_settings_values_that_they_take) {
  for (const ModeValue& given : mode_table()) {
    OptionValue value;
    BOOST_TEST(parse_option(row(given.option), given.value, value) == "");
    BOOST_TEST(parse_option(row(Option::mode), given.mode, value) == "");
  }
  BOOST_TEST(from_environment({"MARSHAL_MODE=safe"}).is(Option::cart, "report"));
  BOOST_TEST(from_environment({"MARSHAL_MODE=safe"}).is(Option::messages, "auto"));
  BOOST_TEST(from_environment({"MARSHAL_MODE=observe"}).is(Option::messages, "off"));
  BOOST_TEST(
      only_problem(from_environment({"MARSHAL_MODE=obseve"})) ==
      "MARSHAL_MODE='obseve' (environment) is not used: it is none of its choices; choices: full, safe, observe");
}

BOOST_AUTO_TEST_CASE(a_bad_value_of_a_higher_source_leaves_the_lower_one_in_force) {
  const std::vector<Setting> settings = {{"MARSHAL_CART", "nonsense", Source::environment, "environment"},
                                         {"MARSHAL_CART", "search", Source::site, "s:1"}};
  BOOST_TEST(Options::resolve(settings).is(Option::cart, "search"));
}

BOOST_AUTO_TEST_CASE(variables_that_marshal_run_set_are_shown_as_command_line) {
  const Options options =
      from_environment({"MARSHAL_CART=off", "MARSHAL_DIMS=node", "MARSHAL_COMMAND_LINE=MARSHAL_DIMS"});
  BOOST_TEST((options.source(Option::cart) == Source::environment));
  BOOST_TEST((options.source(Option::dims) == Source::command_line));
  BOOST_TEST(options.problems().empty());
}

BOOST_AUTO_TEST_CASE(numbers_take_binary_suffixes_and_keep_to_their_range) {
  BOOST_TEST(from_environment({"MARSHAL_WAIT=768K"}).integer(Option::wait) == 786432);
  BOOST_TEST(from_environment({"MARSHAL_WAIT=1000000"}).integer(Option::wait) == 1000000);
  BOOST_TEST(from_environment({"MARSHAL_CALLSITES=5"}).integer(Option::callsites) == 5);
  BOOST_TEST(from_environment({"MARSHAL_CALLSITES=off"}).is(Option::callsites, "off"));
  for (const char* bad : {"MARSHAL_CALLSITES=0", "MARSHAL_WAIT=-4", "MARSHAL_WAIT=1.5", "MARSHAL_WAIT=12Q",
                          "MARSHAL_WAIT=nan", "MARSHAL_WAIT=1e300", "MARSHAL_WAIT=inf", "MARSHAL_CALLSITES=99",
                          "MARSHAL_SEGMENT=0", "MARSHAL_SEGMENT=-32K", "MARSHAL_VERBOSE=4", "MARSHAL_DISABLE=2"})
    BOOST_TEST(from_environment({bad}).problems().size() == 1u, bad << " is taken");
}

BOOST_AUTO_TEST_CASE(a_segment_with_a_suffix_is_bytes_and_without_one_is_instances) {
  const Options instances = from_environment({"MARSHAL_SEGMENT=64"}),
                bytes = from_environment({"MARSHAL_SEGMENT=32KiB"});
  BOOST_TEST(instances.integer(Option::segment) == 64);
  BOOST_TEST(!instances[Option::segment].bytes);
  BOOST_TEST(bytes.integer(Option::segment) == 32768);
  BOOST_TEST(bytes[Option::segment].bytes);
  BOOST_TEST(from_environment({"MARSHAL_SEGMENT=4096B"})[Option::segment].bytes);
}

BOOST_AUTO_TEST_CASE(lists_are_taken_word_by_word_and_none_stands_alone) {
  const Options both = from_environment({"MARSHAL_REPORT=html, json"});
  BOOST_TEST(both.has(Option::report, "html"));
  BOOST_TEST(both.has(Option::report, "json"));
  BOOST_TEST(!both.has(Option::report, "text"));
  BOOST_TEST(from_environment({"MARSHAL_REPORT=none"}).has(Option::report, "none"));
  BOOST_TEST(from_environment({"MARSHAL_REPORT=none,text"}).problems().size() == 1u);
  BOOST_TEST(from_environment({"MARSHAL_REPORT=text,pdf"}).problems().size() == 1u);
}

BOOST_AUTO_TEST_CASE(switches_take_the_usual_words) {
  for (const char* yes : {"MARSHAL_DISABLE=1", "MARSHAL_DISABLE=on", "MARSHAL_DISABLE=Yes", "MARSHAL_DISABLE=true"})
    BOOST_TEST(from_environment({yes}).on(Option::disable), yes);
  for (const char* no : {"MARSHAL_DISABLE=0", "MARSHAL_DISABLE=off", "MARSHAL_DISABLE=no", "MARSHAL_DISABLE=FALSE"})
    BOOST_TEST(!from_environment({no}).on(Option::disable), no);
}

BOOST_AUTO_TEST_CASE(a_file_takes_both_spellings_comments_and_names_the_line_that_is_wrong) {
  std::vector<std::string> problems;
  const std::vector<Setting> settings =
      settings_of_file("# site\nMARSHAL_CART = search\r\n\n  cart-stencil box # square\nlonely\nREPORT=text,json",
                       Source::site, "m.conf", problems);
  BOOST_REQUIRE_EQUAL(settings.size(), 3u);
  BOOST_TEST(settings[1].name == "MARSHAL_CART_STENCIL");
  BOOST_TEST(settings[1].value == "box");
  BOOST_TEST(settings[1].where == "m.conf:4");
  BOOST_TEST(settings[2].value == "text,json");
  BOOST_REQUIRE_EQUAL(problems.size(), 1u);
  BOOST_TEST(problems[0] == "m.conf:5: 'lonely' is not NAME = value; the line is left out");
}

BOOST_AUTO_TEST_CASE(site_file_then_config_file_then_environment) {
  const TemporaryFile site("CART = strips\nPACK = host\nDIMS = node\n"), config("PACK = mars\nDIMS = balanced\n");
  const std::string variable = "MARSHAL_CONFIG=" + config.path;
  const char* environment[] = {variable.c_str(), "MARSHAL_DIMS=host", nullptr};
  const Options options = Options::load(environment, site.path.c_str());
  BOOST_TEST(options.problems().empty());
  BOOST_TEST(options.is(Option::cart, "strips"));
  BOOST_TEST(options.is(Option::pack, "mars"));
  BOOST_TEST(options.is(Option::dims, "host"));
}

BOOST_AUTO_TEST_CASE(a_config_file_that_cannot_be_read_is_one_line_and_no_site_file_is_none) {
  const char* environment[] = {"MARSHAL_CONFIG=/nonexistent/marshal.conf", nullptr};
  BOOST_TEST(only_problem(Options::load(environment, "/nonexistent/site.conf"))
                 .starts_with("MARSHAL_CONFIG=/nonexistent/marshal.conf: "));
}

BOOST_AUTO_TEST_CASE(long_options_are_the_variables_in_small_letters) {
  BOOST_TEST(long_option(row(Option::cart_stencil)) == "cart-stencil");
  BOOST_TEST(choices_text(row(Option::callsites)) == "off, on or DEPTH from 1 to 16");
  BOOST_TEST(choices_text(row(Option::report)) == "any of none, text, details, json, html, summary");
}
