# ---
# jupyter:
#   jupytext:
#     formats: py:percent
# ---

# %% [markdown]
# # What decryption reveals, and how to publish
# CKKS decrypts to value + noise, and the noise depends on the secret key. The owner may look at it; whoever else gets enough raw
# decryptions of ciphertexts that they know can compute the key. So a raw decryption is never published, sent to the server, or
# told to anybody who chose the ciphertext. BFV and TFHE are exact and have no such noise.

# %%
import json
import subprocess
import sys
from pathlib import Path

import isopod
import matplotlib.pyplot as plt
import numpy as np

keys = isopod.keygen("publish", set="ckks-8192x3w-sum", passphrase="only for this notebook", job="mean")
readings = np.full(16, 2.5)
device = isopod.Device(keys.device(1))
frames = [device.encrypt(readings)[0] for _ in range(4)]
answer = isopod.Server(keys.server).mean(frames)
raw = isopod.Owner(keys.owner, passphrase="only for this notebook").decrypt(answer)

# %% [markdown]
# The noise of the raw decryption: small, and a function of the key.

# %%
print(np.abs(raw.values - readings).max(), "within", raw.error)

# %%
figure, axis = plt.subplots(figsize=(6, 3), layout="constrained")
axis.stem((raw.values - readings)[0])
axis.set(xlabel="place", ylabel="decrypted minus true")

# %% [markdown]
# `isopod share` hides it under fresh noise, which fits the circuit that the owner declares, and counts what was published in the
# key file: after `--queries` results it refuses. Too little precision is refused too, before anything leaves.

# %%
Path("answer.bin").write_bytes(bytes(answer))
Path("passphrase").write_text("only for this notebook\n")
Path("passphrase").chmod(0o600)


def share(largest_error):
    words = ["share", "--keys", "publish/owner", "--in", "answer.bin", "--job", "mean", "--frames", "4", "--queries", "16",
             "--largest-error", largest_error, "--passphrase-file", "passphrase"]
    return subprocess.run([sys.executable, "-m", "isopod", "--json", *words], capture_output=True, text=True, check=False)


refused = share("1e-12")
print(json.loads(refused.stderr)["error"])
assert refused.returncode == 3

# %%
published = json.loads(share("0.1").stdout)
print(published["used"], "of", published["queries"], "results shared;", published["values"][0])
assert all(abs(value["value"] - 2.5) < 8 * value["error"] for value in published["values"])
