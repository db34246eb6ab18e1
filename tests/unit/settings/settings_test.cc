#include "settings/settings.h"

#include <array>
#include <boost/test/unit_test.hpp>
#include <string>
#include <utility>
#include <vector>

using namespace marshal;

namespace {

Settings with(const std::string& name, const std::string& value) {
  const Setting setting{name, value, Source::environment, "environment"};
  const Options options = Options::resolve({&setting, 1});
  BOOST_REQUIRE(options.problems().empty());
  return Settings(options);
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_word_of_the_table_is_its_enumerator) {
  for (const std::string_view form : map_form_names)
    BOOST_TEST(name(with("MARSHAL_RANKMAP", std::string(form)).rankmap) == form);
  BOOST_TEST(!with("MARSHAL_RANKMAP", "derived").asks_host);
  BOOST_TEST(with("MARSHAL_RANKMAP", "off").asks_host);
  BOOST_TEST(!with("MARSHAL_MODE", "observe").asks_host);
  BOOST_TEST(with("MARSHAL_MODE", "safe").asks_host);
  BOOST_TEST((with("MARSHAL_CART_MOVE", "auto").cart_move == CartMove::automatic));
  BOOST_TEST((with("MARSHAL_CART_MOVE", "ranks").cart_move == CartMove::ranks));
  BOOST_TEST((with("MARSHAL_CART_MOVE", "always").cart_move == CartMove::always));
  BOOST_TEST((with("MARSHAL_PACK", "auto").pack == PackEngine::automatic));
  BOOST_TEST((with("MARSHAL_PACK", "mars").pack == PackEngine::mars));
  BOOST_TEST((with("MARSHAL_PACK", "iovec").pack == PackEngine::iovec));
  BOOST_TEST((with("MARSHAL_PACK", "host").pack == PackEngine::host));
  BOOST_TEST((with("MARSHAL_MESSAGES", "auto").messages == MessageEngine::automatic));
  BOOST_TEST((with("MARSHAL_MESSAGES", "on").messages == MessageEngine::on));
  BOOST_TEST((with("MARSHAL_MESSAGES", "off").messages == MessageEngine::off));
  BOOST_TEST(with("MARSHAL_TIME", "auto").time);
  BOOST_TEST(with("MARSHAL_TIME", "AUTO").time);
  BOOST_TEST(!with("MARSHAL_TIME", "Off").time);
  BOOST_TEST((with("MARSHAL_TRAFFIC", "auto").traffic == Traffic::automatic));
  BOOST_TEST((with("MARSHAL_TRAFFIC", "on").traffic == Traffic::on));
  BOOST_TEST((with("MARSHAL_TRAFFIC", "off").traffic == Traffic::off));
  BOOST_TEST(!with("MARSHAL_DIMS", "host").dims);
  BOOST_TEST((with("MARSHAL_DIMS", "node").dims == mapping::DimsRule::node));
  BOOST_TEST((with("MARSHAL_DIMS", "balanced").dims == mapping::DimsRule::balanced));
}

BOOST_AUTO_TEST_CASE(a_mapper_is_the_one_named_and_else_the_best) {
  for (const std::string_view word : words_of(row(Option::cart))) {
    const Settings settings = with("MARSHAL_CART", std::string(word));
    const bool mapper = word != "off" && word != "report";
    BOOST_TEST((settings.cart == (word == "off"      ? CartUse::off
                                  : word == "report" ? CartUse::report
                                                     : CartUse::reorder)));
    BOOST_TEST((settings.mapper == (mapper ? mapping::parse_mapper(word) : mapping::Mapper::best)));
    BOOST_TEST((settings.graph == settings.cart));
  }
}

BOOST_AUTO_TEST_CASE(graphs_do_as_grids_do_unless_told_otherwise) {
  const Settings graphs_stay = with("MARSHAL_CART", "strips,graphs:off"),
                 grids_stay = with("MARSHAL_CART", "off,graphs:best");
  BOOST_TEST((graphs_stay.cart == CartUse::reorder && graphs_stay.graph == CartUse::off));
  BOOST_TEST((graphs_stay.mapper == mapping::Mapper::strips));
  BOOST_TEST((grids_stay.cart == CartUse::off && grids_stay.graph == CartUse::reorder));
  BOOST_TEST(grids_stay.graph_word == "best");
  BOOST_TEST((with("MARSHAL_CART", "graphs:report").graph == CartUse::report));
  BOOST_TEST((with("MARSHAL_CART", "OFF,Graphs:best").cart == CartUse::off));
  const std::vector<Setting> under_mode = {{"MARSHAL_CART", "graphs:off", Source::environment, "environment"},
                                           {"MARSHAL_MODE", "safe", Source::environment, "environment"}};
  const Settings in_safe{Options::resolve(under_mode)};
  BOOST_TEST((in_safe.cart == CartUse::report && in_safe.graph == CartUse::off));
  for (const char* wrong : {"best,graphs:strips", "best,off", "graphs:", ",graphs:off", "best,graphs:off,graphs:off"}) {
    const Setting setting{"MARSHAL_CART", wrong, Source::environment, "environment"};
    BOOST_TEST(Options::resolve({&setting, 1}).problems().size() == 1U, wrong);
  }
}

BOOST_AUTO_TEST_CASE(settings_that_are_no_more_say_what_to_use_and_switch_off_what_they_did) {
  const auto resolved = [](std::vector<std::pair<std::string, std::string>> given) {
    std::vector<Setting> settings;
    for (auto& [name, value] : given) settings.push_back({name, value, Source::environment, "environment"});
    Options options = Options::resolve(settings);
    BOOST_REQUIRE(options.problems().size() == 1U);
    BOOST_TEST(options.problems()[0].find(" (environment) is no setting any more: ") != std::string::npos);
    return Settings(std::move(options));
  };
  BOOST_TEST((resolved({{"MARSHAL_CART_MOVE", "Coordinates"}}).cart == CartUse::off));
  BOOST_TEST((resolved({{"MARSHAL_GRAPH", "off"}}).graph == CartUse::off));
  BOOST_TEST((resolved({{"MARSHAL_GRAPH", "off"}}).cart == CartUse::reorder));
  BOOST_TEST((resolved({{"MARSHAL_GRAPH", "report"}, {"MARSHAL_CART", "strips"}}).graph == CartUse::report));
  BOOST_TEST((resolved({{"MARSHAL_GRAPH", "off"}, {"MARSHAL_CART", "strips"}}).mapper == mapping::Mapper::strips));
  BOOST_TEST((resolved({{"MARSHAL_GRAPH", "off"}, {"MARSHAL_MODE", "safe"}}).cart == CartUse::report));
  BOOST_TEST((resolved({{"MARSHAL_GRAPH", "best"}}).source(Option::cart) == Source::built_in));
  BOOST_TEST((resolved({{"MARSHAL_CART_MIN_GAIN", "100"}}).cart == CartUse::off));
  BOOST_TEST((resolved({{"MARSHAL_CART_MIN_GAIN", "3"}}).cart == CartUse::reorder));
  BOOST_TEST((resolved({{"MARSHAL_CART_TIES", "last"}}).cart == CartUse::reorder));
  BOOST_TEST((resolved({{"MARSHAL_CART_EFFORT", "1M"}}).cart == CartUse::reorder));
  BOOST_TEST((resolved({{"MARSHAL_PROJECT", "4K"}}).cart == CartUse::reorder));
  BOOST_TEST((resolved({{"MARSHAL_COPY_MEMORY", "0"}}).files == FileEngine::off));
  BOOST_TEST((resolved({{"MARSHAL_COPY_MEMORY", "0"}}).messages == MessageEngine::off));
  BOOST_TEST((resolved({{"MARSHAL_COPY_MEMORY", "1G"}}).files == FileEngine::automatic));
}

BOOST_AUTO_TEST_CASE(a_setting_that_is_no_more_yields_to_a_stronger_one) {
  const auto resolved = [](const char* name, const char* value, const char* by, const char* with) {
    const std::vector<Setting> settings = {{name, value, Source::site, "s:1"},
                                           {by, with, Source::environment, "environment"}};
    return Settings(Options::resolve(settings));
  };
  BOOST_TEST((resolved("MARSHAL_CART_MOVE", "coordinates", "MARSHAL_CART", "best").cart == CartUse::reorder));
  BOOST_TEST((resolved("MARSHAL_CART_MOVE", "coordinates", "MARSHAL_CART_MOVE", "ranks").cart == CartUse::reorder));
  BOOST_TEST((resolved("MARSHAL_GRAPH", "off", "MARSHAL_GRAPH", "best").graph == CartUse::reorder));
  BOOST_TEST((resolved("MARSHAL_GRAPH", "off", "MARSHAL_CART", "strips").graph == CartUse::off));
  BOOST_TEST((resolved("MARSHAL_COPY_MEMORY", "0", "MARSHAL_FILES", "on").files == FileEngine::on));
  BOOST_TEST((resolved("MARSHAL_COPY_MEMORY", "0", "MARSHAL_COPY_MEMORY", "64M").files == FileEngine::automatic));
}

BOOST_AUTO_TEST_CASE(defaults_are_those_of_the_table) {
  const Settings settings{Options()};
  BOOST_TEST((settings.rankmap == MapForm::blocks));
  BOOST_TEST((settings.cart == CartUse::reorder));
  BOOST_TEST((settings.pack == PackEngine::automatic));
  BOOST_TEST(settings.reports.text);
  BOOST_TEST(settings.reports.json);
  BOOST_TEST(!settings.reports.html);
  BOOST_TEST(settings.call_site_frames == 4);
  BOOST_TEST(settings.cart_learns);
  BOOST_TEST(!settings.topology_given);
  BOOST_TEST(!with("MARSHAL_REPORT", "none").reports.any());
  BOOST_TEST(with("MARSHAL_REPORT", "summary").reports.any());
  BOOST_TEST(!with("MARSHAL_REPORT", "summary").reports.any_whole());
  BOOST_TEST(with("MARSHAL_CALLSITES", "off").call_site_frames == 0);
  BOOST_TEST(with("MARSHAL_CALLSITES", "9").call_site_frames == 9);
  BOOST_TEST(!with("MARSHAL_CART_WEIGHTS", "equal").cart_learns);
  BOOST_TEST(!with("MARSHAL_CART_STENCIL", "box").cart_learns);
  BOOST_TEST(with("MARSHAL_TOPOLOGY", "nodes:4").topology_given);
  BOOST_TEST(with("MARSHAL_DISABLE", "yes").disable);
}

BOOST_AUTO_TEST_CASE(a_program_is_excluded_by_its_name) {
  std::vector<std::string> problems;
  const std::vector<Setting> site =
      settings_of_file("exclude = nwchem, gromacs* ,cp2k.[ps]*", Source::site, "/etc/marshal.conf", problems);
  const Options options = Options::resolve(site);
  BOOST_TEST(problems.empty());
  BOOST_TEST(options.problems().empty());
  for (const auto& [program, pattern] : {std::pair("nwchem", "nwchem"),
                                         {"gromacs_mpi", "gromacs*"},
                                         {"cp2k.psmp", "cp2k.[ps]*"},
                                         {"nwchem2", ""},
                                         {"NWChem", ""},
                                         {"cp2k.x", ""},
                                         {"", ""}}) {
    const Settings settings(options, program);
    BOOST_TEST(settings.excluded_by == pattern, program);
    BOOST_TEST(settings.disable == !settings.excluded_by.empty(), program);
  }
}

BOOST_AUTO_TEST_CASE(a_user_goes_before_the_sites_list_of_programs) {
  std::vector<Setting> settings{{"MARSHAL_EXCLUDE", "*", Source::site, "/etc/marshal.conf:1"}};
  BOOST_TEST(Settings(Options::resolve(settings), "app").disable);
  BOOST_TEST(!Settings(Options::resolve(settings)).disable);
  settings.push_back({"MARSHAL_EXCLUDE", "none", Source::environment, "environment"});
  BOOST_TEST(!Settings(Options::resolve(settings), "app").disable);
  BOOST_TEST(!Settings(Options::resolve(settings), "none").disable);
  settings.push_back({"MARSHAL_EXCLUDE", "/opt/app", Source::command_line, "command line"});
  const Options options = Options::resolve(settings);
  BOOST_TEST(options.problems().size() == 1U);
  BOOST_TEST(options.text(Option::exclude) == "none");
}

BOOST_AUTO_TEST_CASE(weights_and_offsets_that_cannot_be_read_are_told_and_left_out) {
  for (const auto& [name, value] : {std::pair("MARSHAL_CART_WEIGHTS", "foo"),
                                    {"MARSHAL_CART_WEIGHTS", "1,0"},
                                    {"MARSHAL_CART_STENCIL", "stra"},
                                    {"MARSHAL_CART_STENCIL", "1,0;1"}}) {
    const Setting setting{name, value, Source::environment, "environment"};
    const Options options = Options::resolve({&setting, 1});
    BOOST_REQUIRE(options.problems().size() == 1U);
    BOOST_TEST(options.problems()[0].starts_with(std::string(name) + "='" + value + "' (environment) is not used: "));
    BOOST_TEST(Settings(options).cart_learns);
  }
  BOOST_TEST(with("MARSHAL_CART_WEIGHTS", "8,1,1").text(Option::cart_weights) == "8,1,1");
  BOOST_TEST(with("MARSHAL_CART_STENCIL", "hops:2").text(Option::cart_stencil) == "hops:2");
  BOOST_TEST(with("MARSHAL_CART_STENCIL", "0,1*8;0,-1;1,0").text(Option::cart_stencil) == "0,1*8;0,-1;1,0");
}
