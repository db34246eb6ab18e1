#!/usr/bin/python3
# A file system in user space whose server reads what it is asked and never answers: silent_server.py FOLDER SECONDS. It says "mounted", and the
# numbers of what it is asked. After so many seconds it ends, and the kernel lets go of all that wait.
import ctypes
import os
import select
import struct
import sys
import time

folder, end = sys.argv[1], time.monotonic() + float(sys.argv[2])
device = os.open("/dev/fuse", os.O_RDWR)
options = f"fd={device},rootmode=40755,user_id={os.getuid()},group_id={os.getgid()},allow_other"
if ctypes.CDLL(None, use_errno=True).mount(b"silent", folder.encode(), b"fuse", 6, options.encode()) != 0:
    sys.exit(f"{folder}: {os.strerror(ctypes.get_errno())}")
begins = 26  # FUSE_INIT
while (left := end - time.monotonic()) > 0:
    if device not in select.select([device], [], [], left)[0]:
        continue
    length, asked, unique = struct.unpack_from("IIQ", os.read(device, 1 << 20))
    print(f"asked {asked}", flush=True)
    if asked == begins:
        answer = struct.pack("IIIIHHIIHHI28x", 7, 31, 65536, 0, 12, 9, 65536, 1, 0, 0, 0)
        os.write(device, struct.pack("IiQ", 16 + len(answer), 0, unique) + answer)
        print("mounted", flush=True)
os.close(device)
ctypes.CDLL(None).umount2(folder.encode(), 2)
