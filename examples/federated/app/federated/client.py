"""The client: it trains, and a mod encrypts its update. A node's configuration has its number, `keys` and `board`."""
from pathlib import Path

import isopod
import numpy as np
from flwr.app import Array, ArrayRecord, Context, Message, MetricRecord, RecordDict
from flwr.clientapp import ClientApp
from flwr.clientapp.typing import ClientAppCallable

from federated import clients, network

FRAME = "isopod.frame"


def encrypted_update(message: Message, context: Context, call_next: ClientAppCallable) -> Message:
    """A mod that replaces the change of the weights by a frame that the server cannot read."""
    reply = call_next(message, context)
    arrays = reply.content["arrays"]
    if "frame" not in arrays:
        changed, = arrays.to_numpy_ndarrays()
        device = isopod.Device(str(context.node_config["keys"]))
        frame, = device.encrypt(changed, scale_bits=clients.SCALE_BITS, bound_bits=clients.BOUND_BITS)
        reply.content["arrays"] = framed(frame)
    return reply


def framed(frame: bytes) -> ArrayRecord:
    """A frame in the form that Flower sends."""
    return ArrayRecord({"frame": Array(dtype="uint8", shape=(len(frame),), stype=FRAME, data=frame)})


app = ClientApp(mods=[encrypted_update])


@app.train()
def train(message: Message, context: Context) -> Message:
    """One round of training, on this computer or on the node's board. The board's own frame passes the mod unchanged."""
    number, count = int(context.node_config["device"]), int(context.run_config["clients"])
    data = network.digits(count)[0][number - 1]
    weights = message.content["arrays"].to_numpy_ndarrays()[0]
    if context.node_config["board"]:
        folder = Path(str(context.node_config["keys"])).parent
        board = clients.Microcontroller(isopod.Keys(folder, "", 0, 0), number, data)
        arrays = framed(board.update(weights, int(message.content["config"]["server-round"])))
    else:
        arrays = ArrayRecord([np.asarray(network.trained(weights, data) - weights)])
    metrics = MetricRecord({"num-examples": len(data.labels)})
    return Message(content=RecordDict({"arrays": arrays, "metrics": metrics}), reply_to=message)
