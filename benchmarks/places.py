"""Where benchmarks read their data and keep their work.

`ZHIWEN_BENCH_DATA` names the folder of evaluation data (default `../shared/data` beside the
repository), `ZHIWEN_BENCH_WORK` a folder for indexes and vectors that later runs reuse.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("ZHIWEN_BENCH_DATA", ROOT / "../shared/data")).resolve()
WORK = Path(
    os.environ.get("ZHIWEN_BENCH_WORK", Path(tempfile.gettempdir()) / "zhiwen-bench")
).resolve()


def absent(*names: str) -> bool:
    """Whether any of these data sets is missing; says which, and how to name the folder."""
    missing = [name for name in names if not (DATA / name).is_dir()]
    if missing:
        print(f"{', '.join(missing)} not in {DATA}: skipped (set ZHIWEN_BENCH_DATA)")
    return bool(missing)
