"""Tests receipts: they are read back, and nothing else is."""

import unittest

from ..parse import Malformed
from ..receipt import NAME_OFFSET, OUTCOMES, parse_receipt, receipt, receipt_tag
from ..streams import Sender

KEY = bytes(range(32))
SENDER = Sender(KEY, 7, 3, 42)


class Receipts(unittest.TestCase):
    def test_every_outcome_is_read_back(self):
        for outcome in OUTCOMES:
            data = receipt(bytes(16), SENDER, outcome)
            self.assertEqual((len(data), parse_receipt(data, 7, KEY)), (60, (3, 42, outcome)))

    def test_names_outcomes_and_keys_give_different_tags(self):
        senders = [SENDER, Sender(KEY, 8, 3, 42), Sender(KEY, 7, 4, 42), Sender(KEY, 7, 3, 43), Sender(KEY[::-1], 7, 3, 42)]
        tags = {receipt(bytes(16), sender, outcome)[-16:] for sender in senders for outcome in OUTCOMES}
        self.assertEqual(len(tags), len(senders) * len(OUTCOMES))

    def test_what_was_changed_is_refused(self):
        data = receipt(bytes(16), SENDER, 1)
        changed = [data[:at] + bytes([data[at] ^ 1]) + data[at + 1:] for at in range(len(data))]
        for other in [*changed, data[:-1], data + b"\x00", b"", data[1:]]:
            with self.assertRaisesRegex(Malformed, "tag"):
                parse_receipt(other, 7, KEY)

    def test_an_authentic_one_for_another_device_or_of_another_form_is_refused(self):
        data = receipt(bytes(16), SENDER, 1)
        for message in (data[:NAME_OFFSET] + b"\x08" + data[NAME_OFFSET + 1:43], data[:42] + b"\x05", b"\x85" + data[1:43]):
            with self.assertRaisesRegex(Malformed, "tag"):
                parse_receipt(message + b"\x50" + receipt_tag(KEY, message), 7, KEY)


if __name__ == "__main__":
    unittest.main()
