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

from webmain.clock import Loading

if TYPE_CHECKING:
    from numpy.typing import NDArray

MAX_EXACT, WORKING_ROWS = 1_000, 40
"""Maximum number of rows for the exact fit, and the number of rows added to its working set at a time."""

MAX_STEPS = 50


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
    return (_fit_exactly if len(cost) <= MAX_EXACT else _fit_approximately)(matrix, positive, cost)


def _fit_exactly(
    matrix: Any, positive: NDArray[np.bool_], cost: NDArray[np.float64]
) -> tuple[NDArray[np.float64], float]:
    """Return weights and bias of the linear SVM with squared hinge loss, solved for its support vectors.

    The weights are a sum of rows with coefficients, which are 0 for all rows but the support vectors. A working set gains the
    rows that violate the margin most and loses rows that are not support vectors. It keeps the systems of equations so
    small that the linear algebra starts no threads. The result equals liblinear's, which takes long to import.
    """
    signs = np.where(positive, 1.0, -1.0)
    kernel = matrix @ matrix.toarray().T + 1.0  # the bias is one more column of ones
    found = np.zeros(len(signs))
    working = np.unique(np.linspace(0, len(signs) - 1, WORKING_ROWS).astype(np.int64))
    for _ in range(MAX_STEPS):
        own = working, working
        found[working] = _newton(kernel[np.ix_(*own)], signs[working], cost[working], found[working])
        margins = signs * (kernel[:, working] @ found[working])
        margins[working] = 1.0
        missed = np.argsort(margins, kind="stable")[:WORKING_ROWS]
        missed = missed[margins[missed] < 1 - 1e-9]
        if not len(missed):
            break
        working = np.sort(np.concatenate((working[found[working] != 0], missed)))
    return matrix.T @ found, float(found.sum())


def _newton(
    kernel: NDArray[np.float64], signs: NDArray[np.float64], cost: NDArray[np.float64], found: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the coefficients of the rows: 2 cost (1 - margin) times the sign inside the margin, 0 outside."""
    loss, step = np.inf, 1.0
    tried, change = found, np.zeros_like(found)
    for _ in range(MAX_STEPS):
        outputs = kernel @ tried
        margins = signs * outputs
        now = 0.5 * float(tried @ outputs) + float(cost @ np.maximum(1 - margins, 0) ** 2)
        if now >= loss:  # step too long
            step /= 2
            tried = found + step * change
            continue
        found, loss = tried, now
        inside = np.flatnonzero(margins < 1)
        own = kernel[np.ix_(inside, inside)]
        own[np.diag_indices(len(inside))] += 0.5 / cost[inside]
        step, change = 1.0, -found
        change[inside] += np.linalg.solve(own, signs[inside])
        tried = found + change
        if np.abs(change).max() <= 1e-12 * np.abs(found).max():
            break
    return found


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
