#!/usr/bin/env python3
"""The entry point to build, show and test tfpy. Each command does the set-up that it needs."""

from __future__ import annotations

import sys

if sys.version_info < (3, 11):
    sys.exit("build.py needs Python 3.11 or newer")

from buildsys.commands import main

sys.exit(main())
