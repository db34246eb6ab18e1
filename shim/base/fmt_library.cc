// {fmt}, compiled once. Debian's package has it as headers and as a shared library. A preloaded library must not bring
// a shared library along: the program may have another version of it. And compiling the headers in every file tripled
// the build time.
//
// ./configure tries this file. Where it does not fit the installed {fmt} (9 to 12 have these four templates),
// FMT_HEADER_ONLY takes its place.
#ifndef FMT_HEADER_ONLY
#include <fmt/format-inl.h>

FMT_BEGIN_NAMESPACE
namespace detail {

template FMT_API auto dragonbox::to_decimal(float) noexcept -> dragonbox::decimal_fp<float>;
template FMT_API auto dragonbox::to_decimal(double) noexcept -> dragonbox::decimal_fp<double>;
template FMT_API auto thousands_sep_impl(locale_ref) -> thousands_sep_result<char>;
template FMT_API auto decimal_point_impl(locale_ref) -> char;

}  // namespace detail
FMT_END_NAMESPACE
#endif
