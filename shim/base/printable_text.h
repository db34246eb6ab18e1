// Text that leaves Marshal: to a terminal, a file that a browser or a spreadsheet reads, the name of a file, a shell.
//
// Names of programs and places, and all that foreign reports hold, may have characters that mean something there. One
// table decides which characters are not plain:
// * control characters, also DEL and those of C1;
// * bytes that are no UTF-8;
// * characters that end a line or a paragraph, or turn the direction of text;
// * characters that XML cannot hold.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace marshal {

// For a line of a terminal: what is not plain becomes \x1b or \u202e. A text that is longer than `most` bytes then ends
// with "...".
std::string printable(std::string_view text, std::size_t most = std::string_view::npos);

// For lines of a terminal: the same of each; line feeds stay.
std::string printable_lines(std::string_view text, std::size_t most_of_a_line = std::string_view::npos);

// For HTML and SVG, as text or as the value of an attribute; line feeds stay.
std::string escaped(std::string_view text);

// A cell of comma-separated values. A spreadsheet takes a text that begins with = + - @ for a formula: it gets a ' in
// front.
std::string csv_field(std::string_view text);

// A part of a file's name: bytes that are not plain become _, as do slashes.
std::string part_of_file_name(std::string_view text);

// One word of a shell's command line, to be pasted: quoted where that is needed.
std::string shell_word(std::string_view word);

// A JSON text whose characters that are not plain are written as \u009b. It must be UTF-8.
std::string plain_json(std::string json);

}  // namespace marshal
