"""Makes packets of devices (spec/packet.md), and documents of network servers that deliver them.

The packets carry right tags over coefficients that nobody encrypted: the server cannot tell, and nobody reads them here."""
import base64
import json
import struct
from dataclasses import dataclass, field
from functools import cached_property
from types import SimpleNamespace

import harness

from spec.base.parameters import read_sets
from spec.model.packet import Context, header, packet_keys, packet_tag

SET = "ckks-1024x1-sum"
SECRET_KIND = 2
# Place of the key pair's name in a device's key file.
KEY_ID = slice(5, 21)


@dataclass
class Meter:
    """A device with one context, whose packets hold ten readings."""

    fleet: harness.Fleet
    number: int = 1
    device_bytes: int = 4
    sequence: int = field(default=0, init=False)

    @cached_property
    def key(self) -> bytes:
        """The key of the device."""
        return self.fleet.device_key(self.number)

    @cached_property
    def context(self) -> Context:
        """Readings of twelve bits, and five bits dropped."""
        parameters = next(one for one in read_sets() if one.name == SET)
        key_id = (self.fleet.keys / f"device-{self.number}/frame.key").read_bytes()[KEY_ID]
        pair = SimpleNamespace(parameters=parameters, key_id=key_id)
        return Context(pair, frame=SECRET_KIND, device=self.number, number=1, log2_scale=18, count=10, bound=0, stride=10, run=10,
                       dropped=5, device_bytes=self.device_bytes)

    @property
    def item(self) -> bytes:
        """The item that registers the context."""
        return self.context.item(self.key, 1, 0)

    def packet(self) -> bytes:
        """The next packet."""
        keys = packet_keys(self.context.key(self.key), 1, self.sequence)
        sealed = header(self.context, self.sequence) + bytes(self.context.body_bytes)
        self.sequence += 1
        return sealed + packet_tag(self.context, keys, sealed)


def fragments(data: bytes, transfer: int = 1, payload: int = 51) -> list[bytes]:
    """The packets of a transfer without answers (spec/link.md, sections 1 and 3)."""
    room = payload - 5
    pieces = [data[at:at + room] for at in range(0, len(data), room)]
    kinds = [0x10] * (len(pieces) - 1) + [0x30]
    return [struct.pack("<BHH", kind, transfer, number) + piece
            for number, (kind, piece) in enumerate(zip(kinds, pieces, strict=True))]


def chirpstack(eui: str, payload: bytes, port: int = 10, counter: int = 1) -> bytes:
    """An event `up` of ChirpStack."""
    return json.dumps({
        "deduplicationId": "b0a7e2f4-7c51-4d7e-8f0e-3f1a2b6c9d10", "time": "2026-03-31T12:15:04.113+00:00",
        "deviceInfo": {"applicationName": "meters", "deviceName": "a meter", "devEui": eui, "tags": {"data": "AAAA"}},
        "devAddr": "01ab23cd", "adr": True, "dr": 2, "fCnt": counter, "fPort": port, "confirmed": False,
        "data": base64.b64encode(payload).decode(),
        "rxInfo": [{"gatewayId": f"0016c001f150000{number}", "rssi": -100 - number, "snr": -2.5} for number in (1, 2)],
        "txInfo": {"frequency": 868300000, "modulation": {"lora": {"bandwidth": 125000, "spreadingFactor": 10}}},
    }).encode()


def things_stack(eui: str, payload: bytes, port: int = 10, counter: int = 1) -> bytes:
    """An uplink message of The Things Stack."""
    return json.dumps({
        "end_device_ids": {"device_id": "a-meter", "application_ids": {"application_id": "meters"}, "dev_eui": eui.upper()},
        "correlation_ids": ["as:up:01J0ABCDEF"], "received_at": "2026-03-31T12:15:04.513Z",
        "uplink_message": {"f_port": port, "f_cnt": counter, "frm_payload": base64.b64encode(payload).decode(),
                           "rx_metadata": [{"gateway_ids": {"gateway_id": "roof"}, "rssi": -101, "snr": 2.25}]},
    }).encode()


def sigfox(device: str, payload: bytes, counter: int = 1) -> bytes:
    """A callback of Sigfox, with the body that the guide gives."""
    return json.dumps({"device": device, "data": payload.hex(), "seqNumber": str(counter)}).encode()


def register(server: harness.Server, *meters: Meter) -> None:
    """Registers the contexts of devices."""
    answer = server.send(*(meter.item for meter in meters))
    if answer.status != 200:
        raise RuntimeError(answer.body)
