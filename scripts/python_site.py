#!/usr/bin/python3
"""Prints the folder that `make python` installs into: for all users as root, else the user's own."""

import os
import sysconfig

scheme = sysconfig.get_default_scheme()
if os.geteuid() != 0:
    scheme = sysconfig.get_preferred_scheme("user")
print(sysconfig.get_path("platlib", scheme))
