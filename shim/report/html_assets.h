// The style and the script of the HTML report, which do not depend on the run.
#pragma once

#include <string_view>

namespace marshal::report {

std::string_view html_style();
std::string_view html_script();

}  // namespace marshal::report
