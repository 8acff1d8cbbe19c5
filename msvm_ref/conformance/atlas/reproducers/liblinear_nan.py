# LIBLINEAR's Python module trains on NaN, and with C = nan, without a word.
import numpy as np
from liblinear.liblinearutil import train

X, y, taken = np.array([[1.0, 2.0], [2.0, 1.0], [-1.0, 0.0], [0.0, -1.0]]), [1, 1, -1, -1], []
for words, data, option in (("NaN in X", X * [1, np.nan], "-c 1"), ("C = nan", X, "-c nan")):
    try:
        model = train(y, data, f"-s 2 -q {option}")
        taken.append(f"{words}: weights {list(model.get_decfun()[0])}")
    except Exception as error:
        print(f"{words}: refused, {error}")
print("\n".join(taken))
assert not taken, f"taken without an error: {len(taken)} of 2"
