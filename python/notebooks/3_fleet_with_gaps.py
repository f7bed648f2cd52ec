# ---
# jupyter:
#   jupytext:
#     formats: py:percent
# ---

# %% [markdown]
# # A fleet with gaps
# Networks lose frames, repeat them and damage them. An answer says which frames are in it.

# %%
import isopod
import matplotlib.pyplot as plt
import numpy as np

keys = isopod.keygen("fleet", set="bfv-2048x2-air", devices=range(1, 6), passphrase=None)
server, owner = isopod.Server(keys.server), isopod.Owner(keys.owner)
readings = np.arange(5 * 4 * 8, dtype=np.int32).reshape(5, 4, 8)  # device, hour, value
sent = {
    (device, hour): isopod.Device(keys.device(device + 1)).encrypt(readings[device, hour], bound_bits=8)[0]
    for device in range(5) for hour in range(4)
}

# %% [markdown]
# Two frames get lost, one comes twice, and one is damaged. With `quarantine=True` what does not enter is set aside with its bytes
# and the reason, and everything else counts; a frame that comes twice counts once.

# %%
arrived = [frame for place, frame in sent.items() if place not in {(1, 2), (3, 1)}]
arrived.append(sent[0, 0])
damaged = bytearray(arrived[5])
damaged[-30] ^= 4
arrived[5] = bytes(damaged)
answer = server.sum(arrived, quarantine=True)
for rejected in answer.set_aside:
    print(rejected.source, "-", rejected.reason)

# %% [markdown]
# The owner sees the gaps: frames between those that entered. The sum is exact, of exactly the frames that it names.

# %%
result = owner.decrypt(answer)
print(answer.frames, "frames; missing:", [tuple(span) for span in result.missing])
assert answer.frames == 17 and sum(span.last - span.first + 1 for span in result.missing) == 3

# %%
there = np.ones((5, 4))
first = np.array([[isopod.Device(keys.device(device)).number for device in range(1, 6)]])
for span in result.missing:
    there[span.device - 1, span.first % 4: span.last % 4 + 1] = 0
figure, axis = plt.subplots(figsize=(4, 3), layout="constrained")
axis.imshow(there, cmap="Greens", vmin=0, vmax=1.5)
axis.set(xlabel="frame of the device", ylabel="device", title="frames in the answer")
axis.set_yticks(range(5), first[0])

# %% [markdown]
# Sums form trees: two machines add up halves, as partial states, and a third one answers. No frame counts twice.

# %%
more = {device: isopod.Device(keys.device(device + 1)).encrypt(readings[device, 0], bound_bits=8)[0] for device in range(4)}
halves = [server.partial("sum", [more[0], more[1]]), server.partial("sum", [more[2], more[3]])]
total = owner.decrypt(server.sum(halves)).values[0]
assert total.tolist() == readings[:4, 0].sum(axis=0).tolist()

# %% [markdown]
# Who asks with a challenge gets an answer to this question, not to an older one.

# %%
request = owner.request("sum")
fresh = [isopod.Device(keys.device(1)).encrypt(readings[0, 0], bound_bits=8)[0]]
owner.decrypt(server.answer(request, fresh), request=request)
try:
    owner.decrypt(answer, request=request)
except isopod.InputError as error:
    print(error)
