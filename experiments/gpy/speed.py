"""Seconds, iterations and objective of GPy's GP-LVM and Bayesian GP-LVM on a table of numbers, beside
`cargo run --release -p tangency --example gplvm_speed -- TABLE.csv`.

The data are centred and divided by one number (variance 1 a feature on average); both begin at principal components with
variance 1 each, length-scales 1, noise 0.01; the Bayesian model with variances 0.1, 30 random points of the start as
inducing points, and noise 0.1 that is held for 100 iterations. Seconds of the processor are those of all threads.

usage: python speed.py TABLE.csv [MAX_ITER [OUT]]
"""
import sys
import time

import GPy
import numpy as np
from scipy.optimize import fmin_l_bfgs_b

raw = np.genfromtxt(sys.argv[1], delimiter=",")
raw = raw[~np.isnan(raw).any(1)]
max_iter = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
d, m = 2, 30
y = raw - raw.mean(0)
y /= np.sqrt((y**2).mean())
x = np.linalg.svd(y, full_matrices=False)[0][:, :d] * np.sqrt(len(y))
print(f"{len(y)} points, {y.shape[1]} features")


def kernel():
    return GPy.kern.RBF(d, ARD=True)


def climb(model, max_iter):
    """L-BFGS as paramz calls it, with its iterations counted."""
    start, busy = time.perf_counter(), time.process_time()
    _, _, info = fmin_l_bfgs_b(model._objective_grads, model.optimizer_array.copy(), maxfun=max_iter, maxiter=max_iter)
    return time.perf_counter() - start, time.process_time() - busy, info["nit"], info["funcalls"]


def one(model):
    """Best seconds of ten values with gradient, at slightly different points since paramz caches."""
    at, best = model.optimizer_array.copy(), np.inf
    for k in range(1, 11):
        start = time.perf_counter()
        model._objective_grads(at * (1 + 1e-9 * k))
        best = min(best, time.perf_counter() - start)
    model._objective_grads(at)
    return 1e3 * best


def say(name, model, seconds, busy, iterations, calls, coordinates):
    print(f"{name}: {seconds:.3f} s ({busy:.3f} s of the processor), {iterations} iterations, {1e3 * seconds / max(iterations, 1):.3f} ms an iteration, "
          f"{1e3 * seconds / calls:.3f} ms an evaluation, objective {np.asarray(model.log_likelihood()).item():.3f}, "
          f"w {1 / np.asarray(model.kern.lengthscale) ** 2}, noise {float(model.likelihood.variance[0]):.4f}", flush=True)
    if len(sys.argv) > 3:
        np.savetxt(f"{sys.argv[3]}_{name}.csv", np.asarray(coordinates), delimiter=",", header="x1,x2", comments="")


model = GPy.models.GPLVM(y, d, X=x.copy(), kernel=kernel())
model.likelihood.variance[:] = 0.01
print(f"one value with gradient: GP-LVM {one(model):.2f} ms", flush=True)
say("gplvm_without_prior", model, *climb(model, max_iter), model.X)

z = np.random.default_rng(0).permutation(x)[:m]
model = GPy.models.BayesianGPLVM(y, d, X=x.copy(), X_variance=np.full_like(x, 0.1), Z=z.copy(), kernel=kernel(),
                                 likelihood=GPy.likelihoods.Gaussian(variance=0.1))
print(f"one value with gradient: Bayesian {one(model):.2f} ms", flush=True)
model.likelihood.variance.fix()
first = climb(model, min(100, max_iter))
model.likelihood.variance.unfix()
model.likelihood.variance.constrain_positive()
second = climb(model, max_iter - first[2])
say("bayesian_gplvm", model, *(a + b for a, b in zip(first, second)), model.X.mean)
