"""Classifiers of scikit-learn, cross-validated: what can still be learned from a release."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from kanon_cli.errors import MissingPartError, Mistake

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


LEAST_GAIN = 0.02  # over chance: of less than that, nothing can be said to be lost


@dataclass(frozen=True)
class Score:
    """How often a classifier is right, and how well it tells classes apart (0.5 is by chance, 1 without a mistake)."""

    accuracy: float
    auc: float | None

    def as_json(self) -> dict[str, float | None]:
        """Its figures by their names."""
        return asdict(self)


def require_sklearn() -> None:
    """Refuse to go on without scikit-learn."""
    try:
        import sklearn  # noqa: F401  it is only asked whether it is there
    except ImportError as error:
        hint = "pip install 'kanon-cli[evaluate]'"
        raise MissingPartError(Mistake("scikit-learn is not installed, and classifiers need it", hint=hint)) from error


def _logistic(_seed: int) -> Any:
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000, tol=1e-3))


def _tree(seed: int) -> Any:
    from sklearn.tree import DecisionTreeClassifier

    return DecisionTreeClassifier(min_samples_leaf=20, random_state=seed)


def _forest(seed: int) -> Any:
    from sklearn.ensemble import RandomForestClassifier

    return RandomForestClassifier(n_estimators=40, min_samples_leaf=5, random_state=seed)


CLASSIFIERS: MappingProxyType[str, Callable[[int], Any]] = MappingProxyType(
    {"logistic": _logistic, "tree": _tree, "forest": _forest}
)


def cross_validate(name: str, learn: FloatArray, ask: FloatArray, class_of: IntArray, folds: int, seed: int) -> Score:
    """Learn from most rows and ask about the others, in turn; `ask` are the same rows, perhaps of another table."""
    from sklearn.model_selection import StratifiedKFold

    classes = int(class_of.max()) + 1
    guessed = np.zeros((len(class_of), classes))
    split = StratifiedKFold(folds, shuffle=True, random_state=seed)
    for train, test in split.split(learn, class_of):
        model = CLASSIFIERS[name](seed)
        model.fit(learn[train], class_of[train])
        guessed[np.ix_(test, model.classes_)] = model.predict_proba(ask[test])
    return Score(float((guessed.argmax(axis=1) == class_of).mean()), _auc(class_of, guessed))


def _auc(class_of: IntArray, guessed: FloatArray) -> float | None:
    """The area under the curve; with several classes the mean of each against the rest, by their rows."""
    from sklearn.metrics import roc_auc_score

    if guessed.shape[1] == 2:
        return float(roc_auc_score(class_of, guessed[:, 1]))
    return float(roc_auc_score(class_of, guessed, multi_class="ovr", average="weighted"))


def lost(original: float | None, release: float | None, chance: float) -> float | None:
    """The share of what could be learned beyond chance that is lost; None if there was next to nothing."""
    if original is None or release is None or original - chance < LEAST_GAIN:
        return None
    return (original - release) / (original - chance)
