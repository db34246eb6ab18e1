#include "base/printable_text.h"

#include <boost/test/unit_test.hpp>
#include <cstdio>
#include <memory>

using namespace marshal;
using namespace std::string_literals;

BOOST_AUTO_TEST_CASE(text_from_elsewhere_cannot_steer_a_terminal) {
  BOOST_TEST(printable("\x1b[31mred\x1b[0m") == "\\x1b[31mred\\x1b[0m");
  BOOST_TEST(printable("two\nlines\t\r\x7f") == "two\\x0alines\\x09\\x0d\\x7f");
  BOOST_TEST(printable("\xc2\x9b"
                       "31m") == "\\x9b31m");  // CSI as one character of Unicode
  BOOST_TEST(printable("\x9b"
                       "31m") == "\\x9b31m");  // and as one byte
  BOOST_TEST(printable("a\0b"s) == "a\\x00b");
  BOOST_TEST(printable("\u202egnp.exe") == "\\u202egnp.exe");  // shown from right to left
  BOOST_TEST(printable("one\u2028two\uffff") == "one\\u2028two\\uffff");
  BOOST_TEST(printable("Jülich: größer \xc2\xa0 \U0001f600") == "Jülich: größer \xc2\xa0 \U0001f600");
  BOOST_TEST(printable("") == "");
  BOOST_TEST(printable(printable("\x1b")) == "\\x1b");
  BOOST_TEST(printable_lines("a\x1b\nb\n", 3) == "...\nb\n");
}

BOOST_AUTO_TEST_CASE(bytes_that_are_no_utf8_are_written_out) {
  BOOST_TEST(printable("\xc2") == "\\xc2");
  BOOST_TEST(printable("\xe2\x82"
                       "a") == "\\xe2\\x82a");
  BOOST_TEST(printable("\xc0\xaf") == "\\xc0\\xaf");           // longer than it must be
  BOOST_TEST(printable("\xed\xa0\x80") == "\\xed\\xa0\\x80");  // half of a pair
  BOOST_TEST(printable("\xf4\x90\x80\x80") == "\\xf4\\x90\\x80\\x80");
}

BOOST_AUTO_TEST_CASE(a_long_text_loses_its_end_and_no_part_of_a_character) {
  BOOST_TEST(printable("abcdef", 6) == "abcdef");
  BOOST_TEST(printable("abcdefg", 6) == "abc...");
  BOOST_TEST(printable("ab\u00fc\u00fc\u00fc", 7) == "ab\u00fc...");
  BOOST_TEST(printable("ab\x1b\x1b", 7) == "ab...");
  BOOST_TEST(printable(std::string(1 << 24, 'x'), 100).size() == 100u);
}

BOOST_AUTO_TEST_CASE(xml_holds_any_text) {
  BOOST_TEST(escaped("two\nlines") == "two\nlines");
  BOOST_TEST(escaped("<a href='x'>\"&\x1b\u009b") == "&lt;a href=&#39;x&#39;&gt;&quot;&amp;\\x1b\\x9b");
}

BOOST_AUTO_TEST_CASE(no_cell_is_a_formula) {
  BOOST_TEST(csv_field("app") == "app");
  BOOST_TEST(csv_field("a,b \"c\"") == "\"a,b \"\"c\"\"\"");
  BOOST_TEST(csv_field("=1+2") == "'=1+2");
  BOOST_TEST(csv_field("+cmd|' /C calc'!A0") == "'+cmd|' /C calc'!A0");
  BOOST_TEST(csv_field("-2;x") == "\"'-2;x\"");
  BOOST_TEST(csv_field("@SUM(1)") == "'@SUM(1)");
  BOOST_TEST(csv_field("\t=1") == "\\x09=1");
  BOOST_TEST(csv_field("\r=1") == "\\x0d=1");
  BOOST_TEST(csv_field("") == "");
}

BOOST_AUTO_TEST_CASE(names_of_files_have_plain_characters) {
  BOOST_TEST(part_of_file_name("a b\nc/d\x1b\u009b\xff") == "a b_c_d____");
  BOOST_TEST(part_of_file_name("Jülich-1.2") == "Jülich-1.2");
}

BOOST_AUTO_TEST_CASE(a_shell_reads_the_word_again) {
  BOOST_TEST(shell_word("/tmp/app-1.json") == "/tmp/app-1.json");
  BOOST_TEST(shell_word("a b") == "'a b'");
  BOOST_TEST(shell_word("") == "''");
  BOOST_TEST(shell_word("it's") == "'it'\\''s'");
  for (const std::string& word : {"a b\nc"s, "$(x)`y`\\ '\x1b\u009b\xff\u202e"s, "~"s, "=x"s, "*"s, "-n"s}) {
    BOOST_TEST(printable(shell_word(word)) == shell_word(word));
    const std::string command = "bash -c " + shell_word("printf %s " + shell_word(word));
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> output(popen(command.c_str(), "r"), pclose);
    std::string read(100, '\0');
    read.resize(std::fread(read.data(), 1, read.size(), output.get()));
    BOOST_TEST(read == word);
  }
}

BOOST_AUTO_TEST_CASE(json_keeps_what_it_writes_out) {
  BOOST_TEST(plain_json("\"Jülich\\n\"") == "\"Jülich\\n\"");
  BOOST_TEST(plain_json("\"\x7f\u009b\u202e\"") == "\"\\u007f\\u009b\\u202e\"");
}
