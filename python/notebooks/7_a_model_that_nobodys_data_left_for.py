# ---
# jupyter:
#   jupytext:
#     formats: py:percent
# ---

# %% [markdown]
# # A model that nobody's data left for
# Ten clinics train one model, and no record leaves a clinic in the clear: least squares needs sums of products alone, which each
# clinic encrypts. The model then scores new patients, encrypted as well. Needs pandas, scikit-learn and matplotlib.

# %%
import isopod
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.linear_model import Ridge

patients = load_diabetes(as_frame=True, scaled=False).frame.rename(columns={"target": "progression"})
known, new = patients[:400], patients[400:]
clinics = [known[at::10] for at in range(10)]

# %% [markdown]
# **Columns** are agreed on: names, units that everybody knows, products of every two, and the column that the others explain.

# %%
columns = isopod.Columns.of(clinics[0], moments="products", target="progression")
keys = isopod.keygen("clinics", set="ckks-2048x2-air", devices=range(1, 11), passphrase=None)
devices = [isopod.Device(keys.device(number)) for number in range(1, 11)]
frames = [frame for device, rows in zip(devices, clinics) for frame in device.encrypt(rows, columns=columns, bound_bits=3)]
print(len(frames), "frames of", len(known), "patients,", sum(map(len, frames)) // len(known), "bytes each")

# %% [markdown]
# **The server** adds up; **the owner** reads 77 sums, and fits a model of scikit-learn with them.

# %%
server, owner = isopod.Server(keys.server), isopod.Owner(keys.owner)
sums = owner.decrypt(server.column_sum(frames), columns=columns)
ridge = isopod.stats.fit(Ridge(alpha=10.0), isopod.stats.describe(sums))

# %% [markdown]
# Each coefficient says how far it may be off. The model that saw all records is within that.

# %%
features = known.drop(columns="progression")
clear = Ridge(alpha=10.0).fit(features, known.progression)
assert (np.abs(ridge.coef_ - clear.coef_) <= ridge.coef_error_).all()
print("largest distance of a coefficient:", np.abs(ridge.coef_ - clear.coef_).max(), "printed:", ridge.coef_error_.max())

# %% [markdown]
# **Scoring.** The fitted estimator goes to the server at once, which scores patients without reading them.

# %%
model = isopod.from_sklearn(ridge)
largest = np.abs(new[list(model.features)]).to_numpy().max()
scores = owner.decrypt(server.score(model, devices[0].encrypt(new, model=model, bound_bits=int(np.ceil(np.log2(largest))))))
predicted = model.predict(scores)
assert np.abs(predicted - ridge.predict(new[list(model.features)])).max() <= scores.error

# %%
figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
places = np.arange(len(ridge.coef_))
scaled = features.std().to_numpy()
left.errorbar(places, ridge.coef_ * scaled, ridge.coef_error_ * scaled, fmt="o", capsize=4, label="from sums")
left.plot(places, clear.coef_ * scaled, "x", color="black", label="from records")
left.set_xticks(places, features.columns)
left.axhline(0, color="grey", linewidth=0.5)
left.set_ylabel("progression for one deviation")
left.legend()
right.plot(new.progression, predicted, "o")
right.set(xlabel="progression that was measured", ylabel="progression that was scored under encryption")
