#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Stands in for systemd's systemctl where systemd does not run: starts and reloads one service as
its unit's file and drop-ins say.

usage: systemctl.py daemon-reload | (restart|reload) NAME
The main process's output goes to /run/NAME.log and its id to /run/NAME.pid.main.
"""

import os
import pathlib
import re
import shlex
import subprocess
import sys
import time


def settings(name):
    """Returns the values of each key of the unit, in order. An empty value resets the key."""
    found = {}
    unit = pathlib.Path(f"/lib/systemd/system/{name}.service")
    drop_ins = pathlib.Path(f"/etc/systemd/system/{name}.service.d")
    for path in [unit, *sorted(drop_ins.glob("*.conf"))]:
        for key, value in re.findall(r"(?m)^(\w+)=(.*)$", path.read_text()):
            found[key] = found.get(key, []) + [value] if value else []
    return found


def environment(unit, **more):
    own = dict(word.split("=", 1) for line in unit.get("Environment", ())
               for word in shlex.split(line))
    return {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", **own, **more}


def command(line, variables):
    """Replaces $NAME by the words of the variable, like systemd."""
    words = []
    for word in shlex.split(line):
        name = re.fullmatch(r"\$(\w+)", word)
        words += shlex.split(variables.get(name[1], "")) if name else [word]
    return words


def restart(name):
    unit = settings(name)
    variables = environment(unit)
    log = pathlib.Path(f"/run/{name}.log")
    with log.open("a") as output:
        process = subprocess.Popen(command(unit["ExecStart"][-1], variables), cwd="/",
                                   env=variables, stdin=subprocess.DEVNULL, stdout=output,
                                   stderr=output, start_new_session=True)
    pathlib.Path(f"/run/{name}.pid.main").write_text(str(process.pid))
    while "Loading success." not in log.read_text():
        if process.poll() == 0 and unit.get("Type") == ["forking"]:
            return
        if process.poll() is not None:
            sys.exit(f"{name} ended with {process.returncode}:\n{log.read_text()}")
        time.sleep(0.05)


def reload(name):
    unit = settings(name)
    pid = pathlib.Path(f"/run/{name}.pid.main").read_text()
    log = pathlib.Path(f"/run/{name}.log")
    before = log.read_text().count("Loading success.")
    variables = environment(unit, MAINPID=pid)
    for line in unit["ExecReload"]:
        subprocess.run(command(line, variables), cwd="/", env=variables, check=True)
    while log.read_text().count("Loading success.") == before:
        time.sleep(0.05)


if __name__ == "__main__":
    action, *names = sys.argv[1:]
    if action != "daemon-reload":
        try:
            {"restart": restart, "reload": reload}[action](names[0])
        except subprocess.CalledProcessError as error:
            sys.exit(str(error))
