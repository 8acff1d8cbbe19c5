"""python -m tests.adversary --count 1000000 [--seed S] [--jobs N] [--table] [--show INDEX]"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

from tests.adversary import campaign
from tests.adversary.attack import attack


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.adversary", description=__doc__)
    parser.add_argument("--count", type=int, default=0, help="certificates wanted in all")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--counts", type=Path, default=campaign.COUNTS)
    parser.add_argument("--table", action="store_true", help="print what was drawn, as Markdown")
    parser.add_argument("--restart", action="store_true", help="discard what the file counts")
    parser.add_argument("--show", type=int, metavar="INDEX", help="attack one problem again")
    options = parser.parse_args()
    if options.show is not None:
        failures = attack(options.seed, options.show).failures
        print("\n".join(map(str, failures)) or "nothing wrong")
        return int(bool(failures))
    if options.restart:
        options.counts.unlink(missing_ok=True)
    state = campaign.load(options.counts, options.seed)
    before, started = campaign.certificates(state), time.perf_counter()
    for _ in campaign.run(state, options.count, options.jobs):
        campaign.save(options.counts, state)
        done = campaign.certificates(state)
        pace = (done - before) / (time.perf_counter() - started)
        print(
            f"\r{done:,} certificates, {state['failed']:,} claims broken, {pace:.0f} a second",
            end="",
            file=sys.stderr,
        )
    if options.table:
        print(campaign.table(state))
    return int(state["failed"] > 0)


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    sys.exit(main())
