"""The code of the quick start. It needs the package and what it depends on, nothing else."""

# [data]
import tangency
from tangency import LLLVM, datasets

X, truth = datasets.make_s_curve(200, noise=0.02, random_state=1)
# [fit]
model = LLLVM(n_neighbors=8).fit(X)
print(f"{model.stop_reason_} after {model.n_iter_} iterations")
# [look]
print(model.embedding_.shape)
print(model.embedding_[:3].round(2))
# [uncertainty]
print(model.embedding_std_[:3].round(2))
print("the coordinates spread by", model.embedding_.std(axis=0).round(2))
# [transform]
X_new, truth_new = datasets.make_s_curve(20, noise=0.02, random_state=2)
coordinates, std = model.transform(X_new, return_std=True)
print(coordinates.shape, std.shape)
# [inverse]
values = model.inverse_transform(coordinates)
print(f"root mean square distance from the new rows: {((values - X_new) ** 2).sum(axis=1).mean() ** 0.5:.2f}")
# [bound]
for d in (1, 2):
    bound = LLLVM(n_components=d, n_neighbors=8, feature_weight=1.0).fit(X).lower_bound_
    print(f"{d} dimensions: {bound:.1f} nats")
# [save]
model.save("curve.safetensors")
again = tangency.load("curve.safetensors")
print((again.embedding_ == model.embedding_).all())
# [end]
