"""The part of MQTT 3.1.1 that a meter needs: one connection that publishes with QoS 1 and listens to one topic."""
import socket
import struct
from collections.abc import Iterator

CONNECT, CONNACK, PUBLISH, PUBACK, SUBSCRIBE, SUBACK = 1, 2, 3, 4, 8, 9
QOS_1 = 2


def text(value: str) -> bytes:
    """A string with its length in front."""
    return struct.pack(">H", len(value)) + value.encode()


def packet(kind: int, flags: int, body: bytes) -> bytes:
    """A packet with its length, in groups of seven bits."""
    length, left = b"", len(body)
    while True:
        left, low = divmod(left, 128)
        length += bytes([low | (128 if left else 0)])
        if not left:
            return bytes([kind << 4 | flags]) + length + body


class Client:
    """A connection to a broker."""

    def __init__(self, port: int, name: str, topic: str):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=10)
        self.number = 0
        # Version 4, a session that begins anew, and no keep-alive.
        self.socket.sendall(packet(CONNECT, 0, text("MQTT") + bytes([4, 2, 0, 0]) + text(name)))
        self.expect(CONNACK)
        self.socket.sendall(packet(SUBSCRIBE, 2, b"\x00\x01" + text(topic) + b"\x01"))
        self.expect(SUBACK)

    def expect(self, kind: int) -> None:
        """Reads the next packet, which must be of this kind."""
        found, _, body = self.read()
        if found != kind or body[-1] & 0x80:
            raise ConnectionError(f"MQTT: packet {found} with {body.hex()}")

    def read(self) -> tuple[int, int, bytes]:
        """The kind, flags and body of the next packet."""
        first = self.bytes(1)[0]
        length = shift = 0
        while True:
            more = self.bytes(1)[0]
            length |= (more & 127) << shift
            shift += 7
            if more < 128:
                return first >> 4, first & 15, self.bytes(length)

    def bytes(self, count: int) -> bytes:
        """Reads this number of bytes."""
        found = b""
        while len(found) < count:
            more = self.socket.recv(count - len(found))
            if not more:
                raise ConnectionError("MQTT: the broker ended the connection")
            found += more
        return found

    def publish(self, topic: str, payload: bytes) -> None:
        """Sends a message. Later reads find the broker's acknowledgement."""
        self.number = self.number % 65535 + 1
        self.socket.sendall(packet(PUBLISH, QOS_1, text(topic) + struct.pack(">H", self.number) + payload))

    def messages(self, seconds: float) -> Iterator[bytes]:
        """The payloads that arrive, until none has arrived for a while."""
        self.socket.settimeout(seconds)
        try:
            while True:
                kind, flags, body = self.read()
                if kind != PUBLISH:
                    continue
                end = 2 + struct.unpack_from(">H", body)[0]
                if flags & 6:
                    self.socket.sendall(packet(PUBACK, 0, body[end:end + 2]))
                    end += 2
                yield body[end:]
        except TimeoutError:
            return
