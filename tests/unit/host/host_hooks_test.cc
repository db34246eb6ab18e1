// The functions inside MPI libraries that Marshal stands in front of: their names, and the way to the host's own.
#include "host/host_hooks.h"

#include <dlfcn.h>
#include <mpi.h>

#include <boost/test/unit_test.hpp>
#include <set>
#include <string>
#include <vector>

#include "host/next_symbol.h"
#include "messages/mpich/generic_operations.h"
#include "messages/mpich/generic_types.h"
#include "messages/mpich/sends_as_bytes.h"
#include "messages/openmpi/convertors.h"
#include "wrappers/actions/next_hooked.h"

using namespace marshal;

namespace {

std::vector<std::string> looked_for;
int positions_set = 0;

int host_set_position(void*, std::size_t*) {
  ++positions_set;
  return 0;
}

void* symbol_behind(const char* symbol, const void*) {
  looked_for.emplace_back(symbol);
  return symbol == std::string("ucp_ep_create") ? nullptr : reinterpret_cast<void*>(host_set_position);
}

// Marshal's, by its name in this program, which exports it.
template <class Function>
Function* own(HostHook hook) {
  return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name_of(hook)));
}

}  // namespace

// In the place of all that the functions call.
namespace marshal {

struct NoFunction {
  std::string symbol;
};
void end_without_function(const char* symbol) { throw NoFunction{symbol}; }

namespace convertors {
template <bool unpack>
void prepared(void*) {}
template void prepared<false>(void*);
template void prepared<true>(void*);
template <bool unpack>
int prepare_to_try(PrepareConvertor*, void*, const void*, std::size_t, const void*) {
  return 0;
}
template int prepare_to_try<false>(PrepareConvertor*, void*, const void*, std::size_t, const void*);
template int prepare_to_try<true>(PrepareConvertor*, void*, const void*, std::size_t, const void*);
int set_position(SetConvertorPosition* next, void* convertor, std::size_t* position) {
  return next(convertor, position);
}
std::int32_t raw(RawConvertor*, void*, void*, std::uint32_t*, std::size_t*) { return 0; }
}  // namespace convertors

namespace generic_types {
UcsStatus create(CreateGeneric*, const void*, void*, std::uint64_t*) { return 0; }
void destroy(DestroyGeneric*, std::uint64_t) {}
void* start_pack(void*, const void*, std::size_t) { return nullptr; }
void* watched_start_pack(void*, const void*, std::size_t) { return nullptr; }
}  // namespace generic_types

namespace sends_as_bytes {
void* send(SendTagged*, void*, const void*, std::size_t, std::uint64_t, const ucx::Parameters&, bool) {
  return nullptr;
}
}  // namespace sends_as_bytes

extern "C" {
int PMPI_Comm_free(MPI_Comm*) { return MPI_SUCCESS; }
int PMPI_Comm_disconnect(MPI_Comm*) { return MPI_SUCCESS; }
int PMPI_Group_free(MPI_Group*) { return MPI_SUCCESS; }
int PMPI_Win_free(MPI_Win*) { return MPI_SUCCESS; }
int PMPI_File_close(MPI_File*) { return MPI_SUCCESS; }
int PMPI_Type_free(MPI_Datatype*) { return MPI_SUCCESS; }
int PMPI_Request_free(MPI_Request*) { return MPI_SUCCESS; }
}

}  // namespace marshal

BOOST_AUTO_TEST_SUITE(host_hooks_test)

BOOST_AUTO_TEST_CASE(each_hook_has_a_name_of_its_own) {
  std::set<std::string> names;
  for (const char* name : host_hook_names) {
    BOOST_REQUIRE(name != nullptr);
    names.insert(name);
  }
  BOOST_TEST(names.size() == host_hook_count);
  BOOST_TEST(name_of(HostHook::prepare_for_send) == std::string("opal_convertor_prepare_for_send"));
  BOOST_TEST(name_of(HostHook::create_generic) == std::string("ucp_dt_create_generic"));
  BOOST_TEST(name_of(HostHook::send_tagged_sync) == std::string("ucp_tag_send_sync_nbx"));
  BOOST_TEST(name_of(HostHook::receive_message_nb) == std::string("ucp_tag_msg_recv_nb"));
  BOOST_TEST(name_of(HostHook::free_request) == std::string("PMPI_Request_free"));
  BOOST_TEST(static_cast<std::size_t>(HostHook::free_request) + 1 == host_hook_count);
}

BOOST_AUTO_TEST_CASE(the_hosts_own_function_is_looked_up_once) {
  set_symbol_finder({nullptr, symbol_behind, nullptr, nullptr});
  auto* const set_position = own<SetConvertorPosition>(HostHook::set_position);
  std::size_t position = 0;
  for (int i = 0; i < 3; ++i) set_position(nullptr, &position);
  BOOST_TEST(looked_for == std::vector<std::string>{"opal_convertor_set_position_nocheck"},
             boost::test_tools::per_element());
  BOOST_TEST(positions_set == 3);
}

BOOST_AUTO_TEST_CASE(a_program_that_calls_what_its_host_lacks_ends) {
  set_symbol_finder({nullptr, symbol_behind, nullptr, nullptr});
  auto* const create = own<CreateEndpoint>(HostHook::create_endpoint);
  void* endpoint = nullptr;
  std::string missing;
  try {
    create(nullptr, nullptr, &endpoint);
  } catch (const NoFunction& none) {
    missing = none.symbol;
  }
  BOOST_TEST(missing == "ucp_ep_create");
}

BOOST_AUTO_TEST_SUITE_END()
