"""``python -m tfpy.convert SOURCE TARGET``: converts a model; ``--help`` says how."""

import sys

from tfpy._src.formats.convert.converter import main

if __name__ == "__main__":
    sys.exit(main())
