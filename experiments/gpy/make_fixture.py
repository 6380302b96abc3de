"""Values of GPy's GP-LVM and Bayesian GP-LVM at fixed parameters, which a test of the library reproduces.

pip install "GPy==1.15.0"; python make_fixture.py ../../crates/tangency/tests/fixtures/gpy.json
"""
import json
import sys

import GPy
import numpy as np

n, d, D, m = 40, 2, 5, 8
rng = np.random.default_rng(3)
x = rng.normal(size=(n, d)).round(6)
y = (np.sin(x @ rng.normal(size=(d, D))) + 0.2 * rng.normal(size=(n, D))).round(6)
s = rng.uniform(0.02, 0.6, size=(n, d)).round(6)
z = rng.normal(size=(m, d)).round(6)
w, signal, noise = np.array([0.8, 1.7]), 1.3, 0.15


def kernel():
    return GPy.kern.RBF(d, variance=signal, lengthscale=1 / np.sqrt(w), ARD=True)


def of_log(parameter):
    """The gradient with respect to the logarithm; GPy's objects keep that of the log-likelihood."""
    return (np.asarray(parameter.gradient) * np.asarray(parameter)).ravel()


exact = GPy.models.GPLVM(y, d, X=x.copy(), kernel=kernel())
exact.likelihood.variance[:] = noise
bayes = GPy.models.BayesianGPLVM(y, d, X=x.copy(), X_variance=s.copy(), Z=z.copy(), kernel=kernel(),
                                 likelihood=GPy.likelihoods.Gaussian(variance=noise))
columns = lambda a: np.asarray(a).T.ravel().tolist()  # column by column
json.dump({
    "gpy": GPy.__version__, "n": n, "d": d, "d_y": D, "m": m,
    "y": y.ravel().tolist(),  # a point after the other
    "x": columns(x), "s": columns(s), "z": columns(z), "w": w.tolist(), "signal": signal, "noise": noise,
    "log_likelihood": np.asarray(exact.log_likelihood()).item(),
    "log_likelihood_of_x": columns(exact.X.gradient),
    # w = 1/lengthscale², hence ∂/∂log w = −½ ∂/∂log lengthscale
    "log_likelihood_of_log_w": (-0.5 * of_log(exact.kern.lengthscale)).tolist(),
    "log_likelihood_of_log_signal": of_log(exact.kern.variance)[0],
    "log_likelihood_of_log_noise": of_log(exact.likelihood.variance)[0],
    "bound": np.asarray(bayes.log_likelihood()).item(),
    "bound_of_mean": columns(bayes.X.mean.gradient),
    "bound_of_log_variance": columns(np.asarray(bayes.X.variance.gradient) * np.asarray(bayes.X.variance)),
    "bound_of_z": columns(bayes.Z.gradient),
    "bound_of_log_w": (-0.5 * of_log(bayes.kern.lengthscale)).tolist(),
    "bound_of_log_signal": of_log(bayes.kern.variance)[0],
    "bound_of_log_beta": -of_log(bayes.likelihood.variance)[0],
}, open(sys.argv[1], "w"))
print(exact.log_likelihood(), bayes.log_likelihood())
