"""Reads what `isopod export` wrote, decrypts it with the SEAL inside TenSEAL and prints the slots as JSON.

usage: slots.py KEY-FOLDER CIPHERTEXT-FOLDER FILE..."""
import json
import sys
from pathlib import Path

import tenseal.sealapi as seal


def decryption(folder: Path):
    """SEAL's context and secret key."""
    parameters = seal.EncryptionParameters(seal.SCHEME_TYPE.CKKS)
    parameters.load(str(folder / "parameters.seal"))
    context = seal.SEALContext(parameters, True, seal.SEC_LEVEL_TYPE.TC128)
    key = seal.SecretKey()
    key.load(context, str(folder / "secret-key.seal"))
    return context, key


def slots(context, key, path: Path) -> list[float]:
    """The real slots of one ciphertext."""
    ciphertext, plaintext = seal.Ciphertext(), seal.Plaintext()
    ciphertext.load(context, str(path))
    seal.Decryptor(context, key).decrypt(ciphertext, plaintext)
    return seal.CKKSEncoder(context).decode_double(plaintext)


def main() -> None:
    """One list of slots per file."""
    context, key = decryption(Path(sys.argv[1]))
    json.dump([slots(context, key, Path(sys.argv[2]) / name) for name in sys.argv[3:]], sys.stdout)


if __name__ == "__main__":
    main()
