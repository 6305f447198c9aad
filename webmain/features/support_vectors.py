"""Fits a linear SVM with squared hinge loss: exactly for few rows, with liblinear for many.

References
----------
The per-site SVM's paper, module 4. O. Chapelle, "Training a support vector machine in the primal" (Neural Computation 2007),
section 3.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from webmain.clock import Loading, once

if TYPE_CHECKING:
    from numpy.typing import NDArray

MAX_EXACT = 1_000
"""Maximum number of rows for the exact fit."""

FIRST_ROWS, MORE_ROWS = 40, 20
"""Rows of the first working set, and the maximum number of rows that join it at a time."""

MAX_STEPS = 100


def fit_svm(matrix: Any, positive: NDArray[np.bool_], cost: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    """Return the weights and the bias that minimise half the sum of their squares plus the cost of margin violations.

    Parameters
    ----------
    matrix : (n_rows, n_columns) scipy CSR array of float64
    positive : (n_rows,) bool
        Both classes occur.
    cost : (n_rows,) float64
        Cost factor of each row's squared margin violation.
    """
    if len(cost) > MAX_EXACT:
        return _fit_approximately(matrix, positive, cost)
    with _libraries().limit(limits=1):  # for systems this small, threads cost several times what they save
        return _fit_exactly(matrix, positive, cost)


@once
def _libraries() -> Any:
    """Return what limits the threads of the libraries for linear algebra."""
    with Loading():
        from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def _fit_exactly(
    matrix: Any, positive: NDArray[np.bool_], cost: NDArray[np.float64]
) -> tuple[NDArray[np.float64], float]:
    """Return weights and bias of the linear SVM with squared hinge loss, solved for its support vectors.

    The weights are a sum of rows with coefficients, 2 cost (1 - margin) times the sign inside the margin and 0 outside.
    These equations are solved for a working set as if all its rows were inside. Rows that are not inside leave it, and the
    rows that violate the margin most join it, until there are none. The systems of equations stay small. The result
    equals liblinear's, which takes long to import.
    """
    signs = np.where(positive, 1.0, -1.0)
    kernel = matrix @ matrix.toarray().T + 1.0  # the bias is one more column of ones
    working = np.unique(np.linspace(0, len(signs) - 1, FIRST_ROWS).astype(np.int64))
    for _ in range(MAX_STEPS):
        own = kernel[np.ix_(working, working)]
        own.flat[:: len(working) + 1] += 0.5 / cost[working]
        solution = np.linalg.solve(own, signs[working])
        margins = signs * (kernel[:, working] @ solution)
        inside = working[margins[working] < 1]
        margins[working] = 1.0
        missed = np.argsort(margins, kind="stable")[:MORE_ROWS]
        missed = missed[margins[missed] < 1 - 1e-9]
        if len(inside) == len(working) and not len(missed):
            found = np.zeros(len(signs))
            found[working] = solution
            return matrix.T @ found, float(found.sum())
        working = np.sort(np.concatenate((inside, missed)))
    return _fit_approximately(matrix, positive, cost)


def _fit_approximately(
    matrix: Any, positive: NDArray[np.bool_], cost: NDArray[np.float64]
) -> tuple[NDArray[np.float64], float]:
    """Return weights and bias of the linear SVM with squared hinge loss, fitted with liblinear."""
    with Loading():
        from sklearn import config_context
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.svm import LinearSVC

    machine = LinearSVC(C=1.0, dual=False, tol=1e-5, max_iter=2_000)
    with warnings.catch_warnings(), config_context(assume_finite=True, skip_parameter_validation=True):
        warnings.simplefilter("ignore", ConvergenceWarning)  # an unconverged result is good enough
        machine.fit(matrix, positive, sample_weight=cost)
    return machine.coef_[0], float(machine.intercept_[0])
