#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the list of OSGi bundles that Equinox must run: those of Trace Compass without its
windows.

usage: bundles.py FOLDER

FOLDER holds the unpacked Debian packages.
"""

import pathlib
import re
import sys
import zipfile

# The bundles that must be started, with their levels. The others start when one of their classes is
# needed.
STARTED = {"org.apache.felix.scr": 2, "org.eclipse.equinox.common": 2,
           "org.eclipse.core.runtime": 4}
# The framework itself, windows, and bundles that would need more packages.
LEFT_OUT = re.compile(r"|org\.eclipse\.(osgi|tracecompass\..*ui|equinox\.p2\..*|wst\..*)")


def manifest(jar):
    with zipfile.ZipFile(jar) as archive:
        if "META-INF/MANIFEST.MF" not in archive.namelist():
            return {}
        text = archive.read("META-INF/MANIFEST.MF").decode().replace("\r\n", "\n")
    return dict(line.split(": ", 1) for line in text.replace("\n ", "").splitlines()
                if ": " in line)


def main():
    if len(sys.argv) != 2 or sys.argv[1] in ("-h", "--help"):
        sys.exit(__doc__)
    share = pathlib.Path(sys.argv[1]) / "usr/share"
    jars = [*share.glob("java/*.jar"), *share.glob("eclipse-tracecompass/plugins/*.jar")]
    bundles = {}
    for jar in sorted({jar.resolve() for jar in jars if jar.exists()}):
        of = manifest(jar)
        name = of.get("Bundle-SymbolicName", "").split(";")[0].strip()
        if not LEFT_OUT.fullmatch(name):
            bundles.setdefault(name, (of.get("Bundle-Version", "0.0.0"), jar))
    for name, (version, jar) in bundles.items():
        started = "true" if name in STARTED else "false"
        print(f"{name},{version},file:{jar},{STARTED.get(name, 4)},{started}")


if __name__ == "__main__":
    main()
