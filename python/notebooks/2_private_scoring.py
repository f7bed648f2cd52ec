# ---
# jupyter:
#   jupytext:
#     formats: py:percent
# ---

# %% [markdown]
# # Private scoring of a model
# A model is trained on public records. New patients are scored without anybody but the owner reading their records or scores.

# %%
import isopod
import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

data = load_breast_cancer(as_frame=True)
known, new, known_labels, new_labels = train_test_split(data.data, data.target, test_size=200, random_state=1)
classifier = make_pipeline(StandardScaler(), LogisticRegression()).fit(known, known_labels)

# %% [markdown]
# `from_sklearn` keeps names, standardisation and weights. The server gets the model in the clear: it is public here.

# %%
model = isopod.from_sklearn(classifier)
keys = isopod.keygen("scoring", set="ckks-2048x2-air", passphrase=None)

# %% [markdown]
# The device standardises and encrypts. Its frames name their columns, so that a model with other columns, or in another order, is
# refused. Readings beyond `bound_bits` standard deviations as a power of two are refused; a few patients are, so widen it.

# %%
frames = isopod.Device(keys.device(1)).encrypt(new, model=model, bound_bits=5)
print(len(new), "patients in", len(frames), "frames,", sum(map(len, frames)) / len(new), "bytes each")

# %%
answer = isopod.Server(keys.server).score(model, frames)
result = isopod.Owner(keys.owner).decrypt(answer)

# %% [markdown]
# Scores are log odds; `probabilities` takes the sigmoid. Every prediction is the one that scikit-learn makes in the clear.

# %%
predictions = result.probabilities[:, 0] > 0.5
assert (predictions == (classifier.predict(new) == 1)).all()
difference = abs(result.values[:, 0] - classifier.decision_function(new)).max()
print("largest difference of a score:", difference, "within", result.error)

# %%
figure, axis = plt.subplots(figsize=(7, 3), layout="constrained")
for label, name in enumerate(data.target_names):
    axis.hist(result.probabilities[new_labels == label, 0], bins=20, range=(0, 1), alpha=0.6, label=name)
axis.set(xlabel=f"probability of {data.target_names[1]}, scored under encryption", ylabel="patients")
axis.legend()
