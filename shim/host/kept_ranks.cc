#include "host/kept_ranks.h"

#include "settings/settings_in_force.h"

namespace marshal {

bool must_keep_ranks(const Communicator& from) {
  return settings().cart_move == CartMove::automatic && from.reordered;
}

std::string why_ranks_are_kept() {
  return "the ranks that it is made from may be in an order of Marshal's already, and programs were seen to use ranks "
         "of "
         "the one in the other (MARSHAL_CART_MOVE=ranks moves them again)";
}

}  // namespace marshal
