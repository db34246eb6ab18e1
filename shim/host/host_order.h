// Notes for the thread sanitizer. Hosts order the threads that work on one message by atomic operations of their own,
// which are not instrumented. Without these notes the sanitizer reports a race for each message that another thread
// completes. It still checks Marshal's own books. In other builds the notes do nothing.
#pragma once

#if defined(__SANITIZE_THREAD__)
#define MARSHAL_THREAD_SANITIZER
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define MARSHAL_THREAD_SANITIZER
#endif
#endif

#ifdef MARSHAL_THREAD_SANITIZER
extern "C" {
void __tsan_acquire(void* address);
void __tsan_release(void* address);
void AnnotateIgnoreReadsBegin(const char* file, int line);
void AnnotateIgnoreReadsEnd(const char* file, int line);
void AnnotateIgnoreWritesBegin(const char* file, int line);
void AnnotateIgnoreWritesEnd(const char* file, int line);
}
#endif

namespace marshal {

// While it lives, the thread has an object of the host, which the host lets one thread have at a time.
class HostsObject {
 public:
  explicit HostsObject([[maybe_unused]] void* object)
#ifdef MARSHAL_THREAD_SANITIZER
      : object_(object) {
    __tsan_acquire(object_);
  }
  ~HostsObject() { __tsan_release(object_); }
#else
  {
  }
  ~HostsObject() {}
#endif
  HostsObject(const HostsObject&) = delete;
  HostsObject& operator=(const HostsObject&) = delete;

#ifdef MARSHAL_THREAD_SANITIZER
 private:
  void* object_;
#endif
};

// While it lives, the thread copies between the host's memory and the program's. The program leaves its memory alone
// until the host reports the message's end.
class CopiesForHost {
 public:
#ifdef MARSHAL_THREAD_SANITIZER
  CopiesForHost() {
    AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
    AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
  }
  ~CopiesForHost() {
    AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
    AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
  }
#else
  CopiesForHost() {}
  ~CopiesForHost() {}
#endif
  CopiesForHost(const CopiesForHost&) = delete;
  CopiesForHost& operator=(const CopiesForHost&) = delete;
};

}  // namespace marshal
