// A shared library that is loaded when it is first needed, so that the program behind Marshal does not depend on it. It
// stays loaded until the process ends, because pointers to its functions are kept, unless unload() is called.
#pragma once

#include <initializer_list>
#include <span>
#include <string>

namespace marshal {

class DynamicLibrary {
 public:
  enum class Symbols { own, for_all };  // for_all: the whole program sees them
  // The first of these file names that can be loaded.
  explicit DynamicLibrary(std::span<const char* const> file_names, Symbols symbols = Symbols::own);
  DynamicLibrary(std::initializer_list<const char*> file_names, Symbols symbols = Symbols::own)
      : DynamicLibrary(std::span(file_names.begin(), file_names.size()), symbols) {}
  // The symbols that the whole program sees already.
  static DynamicLibrary program();

  bool is_loaded() const { return handle_ != nullptr; }
  const std::string& file() const { return file_; }        // the one loaded
  const std::string& problem() const { return problem_; }  // why the first name could not be loaded, if none could

  // A symbol becomes the pointer to a function that it is assigned to.
  struct Symbol {
    void* address;
    template <class Function>
    operator Function*() const {
      return reinterpret_cast<Function*>(address);
    }
  };
  // Null if there is none.
  Symbol operator[](const char* name);
  // Points `function` to the symbol; false if there is none.
  template <class Function>
  bool find(const char* name, Function*& function) {
    function = (*this)[name];
    return function != nullptr;
  }
  // The first symbol that was not found; null if all were.
  const char* missing() const { return missing_; }

  void unload();

 private:
  DynamicLibrary() = default;

  void* handle_ = nullptr;
  const char* missing_ = nullptr;
  std::string file_, problem_;
};

// True if the whole program sees this symbol already.
bool program_has(const char* symbol);

}  // namespace marshal
