"""A LoRaWAN between meters and the server: data rates, losses, several gateways, late and repeated deliveries, in the documents
of ChirpStack and The Things Stack."""
import base64
import json
import random
from dataclasses import dataclass

# Payloads of EU868 by data rate, and the share of meters at each: those at the edge of the network are slow.
PAYLOADS = (51, 51, 51, 115, 222, 222)
SHARES = (10, 10, 15, 20, 20, 25)
LOST, GATEWAYS, REPEATED, LATE = 0.03, 3, 0.02, 0.05
PACKET_PORT, FRAGMENT_PORT = 10, 11


@dataclass(frozen=True)
class Uplink:
    """Bytes that a meter sends: its place among the meters, its EUI, port and payload."""

    meter: int
    eui: str
    port: int
    payload: bytes


@dataclass(frozen=True)
class Delivery:
    """A document, the address to which a network server posts it, and whether it has a packet."""

    path: str
    body: bytes
    has_packet: bool


class Network:
    """Half of the meters are registered at ChirpStack, the other half at The Things Stack. Neither takes out duplicates: each
    gateway that hears an uplink leads to a delivery of its own."""

    def __init__(self, meters: int, chooser: random.Random):
        self.chooser = chooser
        self.rates = chooser.choices(range(len(PAYLOADS)), SHARES, k=meters)
        self.late: list[Delivery] = []
        self.lost: set[tuple[int, int]] = set()  # meters and days
        self.sent = self.delivered = 0  # packets, and how often

    def day(self, uplinks: list[Uplink], counter: int) -> list[Delivery]:
        """Deliveries of one day: its own uplinks, and those that the day before left."""
        deliveries, self.late = self.late, []
        for uplink in uplinks:
            rate, is_packet = self.rates[uplink.meter], uplink.port == PACKET_PORT
            if len(uplink.payload) > PAYLOADS[rate]:
                raise ValueError(f"{len(uplink.payload)} bytes do not fit into an uplink at DR{rate}")
            heard = self.heard()
            self.sent += is_packet
            if is_packet and not heard:
                self.lost.add((uplink.meter, counter))
            make = (chirpstack, things_stack)[uplink.meter % 2]
            for gateway in range(heard):
                is_late = self.chooser.random() < LATE
                (self.late if is_late else deliveries).append(make(uplink, counter, gateway, rate))
        self.chooser.shuffle(deliveries)
        self.delivered += sum(one.has_packet for one in deliveries)
        return deliveries

    def heard(self) -> int:
        """How often an uplink is delivered: once for each gateway, and some a second time."""
        if self.chooser.random() < LOST:
            return 0
        return self.chooser.randint(1, GATEWAYS) + (self.chooser.random() < REPEATED)

    def lost_days(self, index: int) -> set[int]:
        """The days of a meter that no gateway heard."""
        return {day for meter, day in self.lost if meter == index}

    def rest(self) -> list[Delivery]:
        """Deliveries that are late at the end of the month."""
        self.delivered += sum(one.has_packet for one in self.late)
        deliveries, self.late = self.late, []
        return deliveries


def chirpstack(uplink: Uplink, counter: int, gateway: int, rate: int) -> Delivery:
    """An event `up` of ChirpStack 4."""
    event = {"deduplicationId": f"00000000-0000-4000-8000-{gateway:012x}", "time": "2026-03-31T12:15:04.113+00:00",
             "deviceInfo": {"applicationName": "meters", "devEui": uplink.eui}, "devAddr": "01ab23cd", "adr": True, "dr": rate,
             "fCnt": counter, "fPort": uplink.port, "confirmed": False, "data": base64.b64encode(uplink.payload).decode(),
             "rxInfo": [{"gatewayId": f"0016c001f15000{gateway:02x}", "rssi": -110, "snr": -4.5}]}
    return Delivery("/v1/uplinks/chirpstack?event=up", json.dumps(event).encode(), uplink.port == PACKET_PORT)


def things_stack(uplink: Uplink, counter: int, gateway: int, rate: int) -> Delivery:
    """An uplink message of The Things Stack 3, which leaves out numbers that are 0."""
    sent = {"f_port": uplink.port, "frm_payload": base64.b64encode(uplink.payload).decode(),
            "rx_metadata": [{"gateway_ids": {"gateway_id": f"gateway-{gateway}"}, "rssi": -110, "snr": -4.5}],
            "settings": {"data_rate": {"lora": {"bandwidth": 125000, "spreading_factor": 12 - rate}}}}
    message = {"end_device_ids": {"device_id": f"meter-{uplink.eui}", "dev_eui": uplink.eui.upper()},
               "uplink_message": sent | ({"f_cnt": counter} if counter else {})}
    return Delivery("/v1/uplinks/things-stack", json.dumps(message).encode(), uplink.port == PACKET_PORT)
