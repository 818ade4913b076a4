"""`python -m dpaudit.recheck FOLDER`: the checker alone; 1 if it refuses anything."""

import sys
from pathlib import Path

from dpaudit.recheck import recheck

papers = sorted(path.stem for path in Path(sys.argv[1]).glob("*.json"))
answers = list(recheck(Path(sys.argv[1]), papers))
print("\n".join(f"{p}/{i}: {why}" for p, i, why in answers if why) or f"{len(answers)} accepted")
sys.exit(any(why for *_, why in answers) or not answers)
