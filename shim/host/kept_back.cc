#include "host/kept_back.h"

#include "base/immortal.h"

namespace marshal {

KeptBack& kept_back(bool over_tcp) {
  static Immortal<KeptBack> tcp, others;
  return over_tcp ? *tcp : *others;
}

}  // namespace marshal
