# ---
# jupyter:
#   jupytext:
#     formats: py:percent
# ---

# %% [markdown]
# # Alarms under TFHE
# **Needs a package that was built with tfhe-rs**: `maturin build --release --features tfhe`. The usual wheel lacks it.
#
# Is any reading too high? The server compares without reading: it learns neither the readings nor the alarm. Comparisons are
# bootstraps, milliseconds to seconds of a server's processor; the device only encrypts.

# %%
import isopod
import matplotlib.pyplot as plt
import numpy as np
from sklearn.tree import DecisionTreeClassifier

keys = isopod.keygen("alarms", set="tfhe-2048-tfhe-rs", passphrase=None)
device, server, owner = isopod.Device(keys.device(1)), isopod.Server(keys.server), isopod.Owner(keys.owner)
temperatures = np.array([61, 64, 97, 58], dtype=np.uint8)
frames = device.encrypt(temperatures)
print(len(frames[0]), "bytes;", keys.evaluation_key_bytes, "bytes of server keys, once")

# %% [markdown]
# `each=True` asks for every reading beside the alarm itself.

# %%
result = owner.decrypt(server.evaluate("alarm", frames, above=90, each=True))
print(result.values, result[0].types)
assert result.values.ravel().tolist() == [1, 0, 0, 1, 0]

# %%
figure, axis = plt.subplots(figsize=(5, 3), layout="constrained")
axis.bar(range(4), temperatures, color=["firebrick" if alarm else "steelblue" for alarm in result.values.ravel()[1:]])
axis.axhline(90, color="black", linewidth=1)
axis.set(xlabel="reading", ylabel="degrees", title="red: above 90, found under encryption")

# %%
count = owner.decrypt(server.evaluate("count", device.encrypt(temperatures), below=62))
assert count.values.ravel()[0] == 2

# %% [markdown]
# A decision tree of scikit-learn on whole numbers is computed exactly.

# %%
rows = np.random.default_rng(2).integers(0, 120, (200, 2))
fitted = DecisionTreeClassifier(max_leaf_nodes=3).fit(rows, (rows[:, 0] > 70) & (rows[:, 1] > 40))
tree = isopod.from_sklearn(fitted)
some = rows[:2].astype(np.uint8)
leaves = owner.decrypt(server.score(tree, device.encrypt(some))).values.ravel()
assert [tree.classes[leaf] for leaf in leaves] == fitted.predict(some).tolist()
