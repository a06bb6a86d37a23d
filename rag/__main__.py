"""Entry point of `python -m rag`."""

import sys

from rag.commands.main import main

sys.exit(main())
