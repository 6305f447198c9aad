"""`python -m webmain.cli`."""

import sys

from webmain.cli import main

sys.exit(main())
