"""Reads the output of `isopod export`, decrypts it with the SEAL inside TenSEAL, and prints the slots as JSON.

usage: slots.py KEY-FOLDER CIPHERTEXT-FOLDER FILE..."""
import json
import sys
from pathlib import Path

import tenseal.sealapi as seal

SCHEME_BYTE, BFV = 16, 1  # position in parameters.seal, after the header, and its value for BFV


def decryption(folder: Path):
    """The context of SEAL and the secret key."""
    file = folder / "parameters.seal"
    is_integer = file.read_bytes()[SCHEME_BYTE] == BFV
    parameters = seal.EncryptionParameters(seal.SCHEME_TYPE.BFV if is_integer else seal.SCHEME_TYPE.CKKS)
    parameters.load(str(file))
    context = seal.SEALContext(parameters, True, seal.SEC_LEVEL_TYPE.TC128)
    key = seal.SecretKey()
    key.load(context, str(folder / "secret-key.seal"))
    return context, key


def slots(context, key, path: Path) -> list[float] | list[int]:
    """The slots of one ciphertext: real numbers or integers."""
    ciphertext, plaintext = seal.Ciphertext(), seal.Plaintext()
    ciphertext.load(context, str(path))
    seal.Decryptor(context, key).decrypt(ciphertext, plaintext)
    if context.first_context_data().parms().scheme() == seal.SCHEME_TYPE.BFV:
        return seal.BatchEncoder(context).decode_int64(plaintext)
    return seal.CKKSEncoder(context).decode_double(plaintext)


def main() -> None:
    """Prints one list of slots per file."""
    context, key = decryption(Path(sys.argv[1]))
    json.dump([slots(context, key, Path(sys.argv[2]) / name) for name in sys.argv[3:]], sys.stdout)


if __name__ == "__main__":
    main()
