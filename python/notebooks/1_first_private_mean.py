# ---
# jupyter:
#   jupytext:
#     formats: py:percent
# ---

# %% [markdown]
# # A first private mean
# Three sensors measure, a server averages, one person reads. The server never sees a reading: it has no key that decrypts.

# %%
import isopod
import matplotlib.pyplot as plt
import numpy as np

# %% [markdown]
# **The owner** makes a key pair. Four kinds of folder come out of it, each for somebody else: `owner` (the secret key, under a
# passphrase), `server`, `public` and one for each device.

# %%
keys = isopod.keygen("mean", set="ckks-2048x1-air", devices=[1, 2, 3], passphrase="only for this notebook")
sorted(folder.name for folder in keys.folder.iterdir())

# %% [markdown]
# **Each device** encrypts a day of temperatures, one value an hour. `bound_bits=6` promises that no reading exceeds 2^6 = 64
# degrees; a reading that does is refused by name before anything is encrypted.

# %%
rng = np.random.default_rng(7)
days = 20 + 4 * np.sin(np.arange(24) / 24 * 2 * np.pi) + rng.normal(0, 0.3, (3, 24))
frames = [isopod.Device(keys.device(number)).encrypt(day, bound_bits=6)[0] for number, day in zip((1, 2, 3), days)]
print([len(frame) for frame in frames], "bytes")

# %%
try:
    isopod.Device(keys.device(1)).encrypt([21.0, 99.0], bound_bits=6)
except isopod.InputError as error:
    print(error)

# %% [markdown]
# **The server** authenticates every frame, adds them up and seals the answer.

# %%
answer = isopod.Server(keys.server).mean(frames)
print(answer.frames, "frames entered answer", answer.sequence, "of", len(bytes(answer)), "bytes")

# %% [markdown]
# **The owner** reads it. Beside the values stands the error that they stay within.

# %%
result = isopod.Owner(keys.owner, passphrase="only for this notebook").decrypt(answer)
print(result.values[0, :6].round(2), "within", round(result.error, 3))
difference = np.abs(result.values[0] - days.mean(axis=0)).max()
assert difference <= result.error
result.to_pandas().head(3)

# %%
figure, axis = plt.subplots(figsize=(7, 3), layout="constrained")
axis.plot(days.T, color="lightgrey")
axis.errorbar(range(24), result.values[0], result.error, capsize=2, label="mean, decrypted")
axis.set(xlabel="hour", ylabel="degrees")
axis.legend()
