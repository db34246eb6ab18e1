// What the program sees where extended requests (copies/extended_requests.h) have failed: the codes and statuses of the
// bare host. All else about the end of requests is the host's.
#include "copies/extended_requests.h"
#include "host/handles.h"
#include "host/predefined.h"
#include "wrappers/actions.h"
#include "wrappers/sentinels.h"

namespace marshal::action {
namespace {

// MPICH's statuses are the same in all languages. Null where the program passed MPI_STATUS_IGNORE or
// MPI_STATUSES_IGNORE, or where that is not known.
MPI_Status* statuses_of(Binding binding, void* passed) {
  const bool has_statuses = matches(Sentinel::status_ignore, binding, passed) == Match::no &&
                            matches(Sentinel::statuses_ignore, binding, passed) == Match::no;
  return has_statuses ? static_cast<MPI_Status*>(passed) : nullptr;
}

// Of requests that have all ended. Returns the code for the program.
int mend_statuses(const EndingCall& call, int code, MPI_Status* statuses, std::int64_t count) {
  if (!call.any_failed() || (code != MPI_SUCCESS && code != MPI_ERR_IN_STATUS)) return code;
  for (std::int64_t i = 0; statuses != nullptr && i < count; ++i)
    if (!call.mend(statuses[i]) && code == MPI_SUCCESS) statuses[i].MPI_ERROR = MPI_SUCCESS;
  return MPI_ERR_IN_STATUS;
}

// The requests of the program, as C or Fortran has them.
struct RequestArray {
  Binding binding;
  void* first;

  MPI_Request get(std::int64_t i) const {
    if (binding == Binding::c) return static_cast<MPI_Request*>(first)[i];
    MPI_Request request{};
    from_fortran(static_cast<MPI_Fint*>(first)[i], request);
    return request;
  }
  void set(std::int64_t i, MPI_Request request) const {
    if (binding == Binding::c)
      static_cast<MPI_Request*>(first)[i] = request;
    else
      static_cast<MPI_Fint*>(first)[i] = to_fortran(request);
  }
};

// As the host does where a request has failed and others have not ended: MPI_Testall ends those that have failed.
int end_kept(const EndingCall& call, const RequestArray& requests, MPI_Status* statuses, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    MPI_Request request = requests.get(i);
    const bool is_kept = request != predefined().request_null && call.is_kept(request);
    MPI_Status own{};
    MPI_Status& status = statuses != nullptr ? statuses[i] : own;
    status.MPI_ERROR = request == predefined().request_null ? MPI_SUCCESS : MPI_ERR_PENDING;
    if (!is_kept) continue;
    int flag = 0;
    pmpi().Test(&request, &flag, &status);
    requests.set(i, request);
    call.mend(status);
  }
  return MPI_ERR_IN_STATUS;
}

int end_one_of(HostCall& host, EndingCall::Of which) {
  const EndingCall call(which);
  const int code = host();
  return call.code_of_one(code);
}

}  // namespace

int end_one(HostCall& host) { return end_one_of(host, EndingCall::Of::one); }
int end_any(HostCall& host) { return end_one_of(host, EndingCall::Of::any); }

int end_all(HostCall& host, int count, void* statuses) {
  const EndingCall call(EndingCall::Of::several);
  const int code = host();
  return mend_statuses(call, code, statuses_of(host.binding, statuses), count);
}

int test_all(HostCall& host, int count, void* requests, int* flag, void* statuses) {
  const EndingCall call(EndingCall::Of::several);
  const int code = host();
  MPI_Status* const written = statuses_of(host.binding, statuses);
  if (code == MPI_SUCCESS && call.any_kept() && *flag == 0)
    return end_kept(call, {host.binding, requests}, written, count);
  return mend_statuses(call, code, written, count);
}

int end_some(HostCall& host, int* done, void* statuses) {
  const EndingCall call(EndingCall::Of::several);
  const int code = host();
  const bool has_ended_some = code == MPI_SUCCESS || code == MPI_ERR_IN_STATUS;
  return has_ended_some ? mend_statuses(call, code, statuses_of(host.binding, statuses), *done) : code;
}

int cancel(HostCall& host, MPI_Request* request) {
  int code = MPI_SUCCESS;
  if (request == nullptr || !ExtendedRequest::cancel(*request, code)) return host();
  return host.instead([&] { return code; });
}

int request_get_status(HostCall& host, MPI_Request request, int* flag, void* status) {
  MPI_Status failed{};
  int code = MPI_SUCCESS;
  if (!ExtendedRequest::get_failed_status(request, failed, code)) return host();
  return host.instead([&] {
    if (MPI_Status* const written = statuses_of(host.binding, status)) {
      failed.MPI_ERROR = written->MPI_ERROR;
      *written = failed;
    }
    *flag = 1;
    return code;
  });
}

}  // namespace marshal::action
