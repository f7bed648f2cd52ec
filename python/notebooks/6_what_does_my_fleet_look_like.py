# ---
# jupyter:
#   jupytext:
#     formats: py:percent
# ---

# %% [markdown]
# # What does my fleet look like?
# Three stations measure wines. Nobody shows a reading, and yet the owner sees means, spread, quartiles, histograms and
# correlation: all of them are sums of columns that the stations derive before they encrypt. Needs pandas, scikit-learn and
# matplotlib.

# %%
import isopod
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine

data = load_wine(as_frame=True)
wines = data.data[["alcohol", "color_intensity", "hue", "proline"]].assign(grower=data.target_names[data.target])
stations = [wines[at::3] for at in range(3)]

# %% [markdown]
# **Columns.** All stations take the same ones: their unit, the products of every two columns, 16 buckets each, and a block for
# each grower. The list of growers is public; which wine has which grower is not. Here they follow from a public sample.

# %%
public = wines.sample(60, random_state=4)
known = isopod.Columns.of(public, moments="products", group_by="grower", quantiles=16)
wide = tuple(tuple(np.linspace(-4.0, 4.0, 17)) for _ in known.names)  # so wide that no reading lies outside
columns = isopod.Columns(known.names, known.means, known.scales, "products", group="grower", categories=known.categories,
                         buckets=wide)

# %% [markdown]
# **Each station** encrypts its rows; **the server** adds up columns, and **the owner** reads one row of sums.

# %%
keys = isopod.keygen("wines", set="ckks-2048x2-air", devices=[1, 2, 3], passphrase=None)
frames = [frame for number, rows in enumerate(stations, start=1)
          for frame in isopod.Device(keys.device(number)).encrypt(rows, columns=columns, bound_bits=3)]
answer = isopod.Server(keys.server).column_sum(frames)
results = isopod.Owner(keys.owner).decrypt(answer, columns=columns)
summary = isopod.stats.describe(results)
print(answer.frames, "frames,", sum(map(len, frames)) // len(wines), "bytes a wine;", results)

# %% [markdown]
# **Described** as pandas does it, with the error beside each cell. Errors of quartiles are half the width of a bucket.

# %%
whole = summary.pooled()
shown = whole.to_pandas()
off = (whole.table() - wines.describe()).abs()
assert (off <= whole.table("error") + 1e-9).all(axis=None)
shown.round(3)

# %% [markdown]
# **Growers** are groups: a summary for each.

# %%
by_grower = summary.table()
assert (by_grower["proline"]["mean"] - wines.groupby("grower")["proline"].mean()).abs().max() < 0.01
by_grower["proline"].round(1)

# %% [markdown]
# **Histograms** of the buckets, and the **correlation** of every two columns.

# %%
figure, axes = plt.subplots(1, 5, figsize=(17, 3), layout="constrained")
for axis, (name, column) in zip(axes, whole.groups[0].columns.items()):
    histogram = column.histogram
    counts = [count.value for count in histogram.counts[1:-1]]
    axis.bar(histogram.edges[:-1], counts, width=np.diff(histogram.edges), align="edge", edgecolor="white")
    axis.axvline(column.statistics["mean"].value, color="black", linewidth=1)
    axis.set(xlabel=name, ylabel="wines", ylim=(0, None))
correlation = whole.correlation()
image = axes[4].imshow(correlation, vmin=-1, vmax=1, cmap="RdBu")
axes[4].set_xticks(range(4), correlation.columns, rotation=90)
axes[4].set_yticks(range(4), correlation.columns)
figure.colorbar(image, ax=axes[4])
assert (correlation - wines.drop(columns="grower").corr()).abs().max(axis=None) < 1e-4

# %% [markdown]
# **Without a fleet.** A table of your own, which another machine shall compute on, is an `isopod.DataFrame`. It speaks like
# pandas and chooses what to encrypt; its plan says what that costs, before anything is encrypted.

# %%
private = isopod.DataFrame(wines, keys="own", passphrase=None, group_by="grower")
print(private.plan("mean"))

# %%
means = private.mean()
assert ((means - wines.groupby("grower").mean()).abs() <= means.errors).all(axis=None)
means.round(2)
