#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the commands of docs/nginx.md as they are printed, in a copy of this machine.

usage: page_test.py PAGE BUILD-FOLDER SCRIPTS
TRACEKIN_NGINX_OPENTRACING names the sources of nginx-opentracing, which is not a Debian package.
Exits with 77 without them, or without Debian's packages nginx and nginx-dev.
"""

import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "support"))
PAGE, BUILD, SCRIPTS = (pathlib.Path(argument).resolve() for argument in sys.argv[1:4])
os.environ["TRACEKIN_SCRIPTS"] = str(SCRIPTS)

import machine_copy
import zipkin_server

SOURCES = os.environ.get("TRACEKIN_NGINX_OPENTRACING", sys.argv[4] if len(sys.argv) > 4 else "")


def reason_to_skip():
    if not pathlib.Path(SOURCES, "opentracing", "config").is_file():
        return "TRACEKIN_NGINX_OPENTRACING does not name the sources of nginx-opentracing"
    installed = shutil.which("nginx", path="/usr/sbin")
    if not installed or not pathlib.Path("/usr/share/nginx/src").is_dir():
        return "Debian's nginx and nginx-dev are not installed"
    return machine_copy.reason_to_skip() or zipkin_server.reason_to_skip()


def main_in_copy(folder):
    machine_copy.use_systemctl()
    service = machine_copy.Service()
    shutil.copytree(SOURCES, f"{folder}/nginx-opentracing")
    blocks = machine_copy.blocks(PAGE)
    assert len(blocks) >= 3, "the page has lost its commands"
    subprocess.run([SCRIPTS / "zipkin", "up", f"{folder}/zipkin", "9411"], check=True,
                   stdout=subprocess.DEVNULL)
    try:
        for block in blocks:
            # There is no network in the copy, and these packages are installed.
            machine_copy.run(block.replace("apt install nginx", ": apt install nginx"), folder)
        machine_copy.request()
        machine_copy.wait_for(machine_copy.traces, "span in Zipkin")
        machine_copy.check_continued(service)
    finally:
        subprocess.run([SCRIPTS / "zipkin", "down", f"{folder}/zipkin", "KILL"])
    print("every command of the page works")


def main():
    if machine_copy.folder_of_copy():
        return main_in_copy(machine_copy.folder_of_copy())
    reason = reason_to_skip()
    if reason:
        print(f"SKIPPED: {reason}")
        return 77
    return machine_copy.run_in_copy(BUILD, __file__, PAGE, BUILD, SCRIPTS, SOURCES)


if __name__ == "__main__":
    sys.exit(main())
