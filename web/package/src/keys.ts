/** Key pairs: the owner's, and what of them goes to the server, to all devices, to one device. */
import { shake256 } from "@noble/hashes/sha3.js";
import { PUBLIC, PUBLIC_SEEDED, SECRET, checkedBlob, checkedPublic, setOf } from "./blob.js";
import { concat, hex, le64, random, same, utf8 } from "./bytes.js";
import { IsopodError } from "./error.js";
import * as files from "./files.js";
import type { Module, ParameterSet } from "./module.js";
import { isProtected, protect, unprotect } from "./passphrase.js";

/** A file of a folder; secret ones belong to their holder only (mode 0600). */
export interface KeyFile {
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly isSecret: boolean;
}

/** The owner of the data: whoever holds this reads every result. */
export class OwnerKey {
  constructor(
    readonly set: ParameterSet,
    /** Not for others. */
    readonly secrets: files.OwnerSecrets,
  ) {}

  /** Opens the owner's file; `passphrase` is needed for owner.key.age. */
  static async open(module: Module, bytes: Uint8Array, passphrase?: string, name = "owner.key"): Promise<OwnerKey> {
    const secrets = files.readOwner(await inTheClear(bytes, passphrase, name), name);
    const set = setOf(module, secrets.setId, name);
    const blob = checkedBlob(module, secrets.blob, [SECRET], name);
    if (!same(blob.keyId, secrets.keyId)) {
      const problem = `names key pair ${hex(secrets.keyId)} and holds ${hex(blob.keyId)}; take the original file`;
      throw new IsopodError("key", `${name}: ${problem}`, name);
    }
    return new OwnerKey(set, secrets);
  }

  /** The name of the key pair, 32 digits. */
  get keyId(): string {
    return hex(this.secrets.keyId);
  }

  /** The keys of one device. */
  device(number: bigint | number): DeviceKey {
    const device = BigInt(number);
    const input = concat(utf8("isopod-v2-device"), this.secrets.deviceMaster, le64(device));
    return new DeviceKey({ keyId: this.secrets.keyId, device, frameKey: shake256(input, { dkLen: 32 }) });
  }

  /** The owner's file, under a passphrase if there is one. */
  async file(passphrase?: string): Promise<KeyFile> {
    const bytes = files.writeOwner(this.secrets);
    return passphrase === undefined
      ? { path: "owner/owner.key", bytes, isSecret: true }
      : { path: "owner/owner.key.age", bytes: await protect(bytes, passphrase), isSecret: true };
  }

  /** The server's folder. Nothing in it decrypts; keys for rotations and products come from `isopod server-keys`. */
  serverFiles(): KeyFile[] {
    const { keyId } = this.secrets;
    return [
      { path: "server/server.key", bytes: files.writeServer(this.secrets), isSecret: true },
      { path: "server/replay", bytes: files.replay(keyId), isSecret: true },
      { path: "server/revoked", bytes: files.revoked(keyId), isSecret: true },
    ];
  }
}

async function inTheClear(bytes: Uint8Array, passphrase: string | undefined, name: string): Promise<Uint8Array> {
  if (!isProtected(bytes)) {
    return bytes;
  }
  if (passphrase === undefined) {
    throw new IsopodError("passphrase", `${name}: is under a passphrase; give it`, "passphrase");
  }
  return unprotect(bytes, passphrase, name);
}

/** The keys of one device: they make its frames authentic, and read nothing. */
export class DeviceKey {
  constructor(readonly secrets: files.DeviceSecrets) {}

  /** Opens a frame.key. */
  static open(bytes: Uint8Array, name = "frame.key"): DeviceKey {
    return new DeviceKey(files.readDevice(bytes, name));
  }

  /** The device's number. */
  get number(): bigint {
    return this.secrets.device;
  }

  /** The name of the key pair. */
  get keyId(): string {
    return hex(this.secrets.keyId);
  }

  /** The device's folder. */
  files(): KeyFile[] {
    const folder = `device-${this.number}`;
    return [
      { path: `${folder}/frame.key`, bytes: files.writeDevice(this.secrets), isSecret: true },
      { path: `${folder}/isopod_keys.h`, bytes: utf8(files.deviceHeader(this.secrets)), isSecret: true },
    ];
  }
}

/** The public key of all devices of a key pair. */
export class PublicKey {
  private constructor(
    readonly set: ParameterSet,
    readonly blob: Uint8Array,
    /** The name of the key pair. */
    readonly keyId: string,
  ) {}

  /** Opens a public.key and checks all of it. */
  static open(module: Module, bytes: Uint8Array, name = "public.key"): PublicKey {
    const blob = checkedPublic(module, bytes, name);
    return new PublicKey(blob.set, bytes, hex(blob.keyId));
  }

  /** The folder `public`. */
  files(): KeyFile[] {
    return [
      { path: "public/public.key", bytes: this.blob, isSecret: false },
      { path: "public/isopod_public_key.h", bytes: utf8(files.publicHeader(this.blob)), isSecret: false },
    ];
  }
}

/** A fresh key pair. */
export interface KeyPair {
  readonly owner: OwnerKey;
  readonly publicKey: PublicKey;
}

/** Name and blobs that the device library makes of 32 bytes of entropy, which are wiped. */
export function makeBlobs(module: Module, set: ParameterSet, entropy: Uint8Array): { keyId: Uint8Array; blobs: Uint8Array[] } {
  return module.scope(() => {
    const maker = module.opened("keys_begin", set.number, module.give(entropy));
    entropy.fill(0);
    const blobs = [PUBLIC_SEEDED, PUBLIC, SECRET].map((kind) => {
      const length = module.call("keys_blob_bytes", set.number, kind);
      const out = module.take(length);
      module.checked("keys_blob", maker, set.number, kind, out);
      return module.copy(out, length);
    });
    const keyId = module.copy(module.call("keys_id", maker), 16);
    module.call("keys_close", maker);
    return { keyId, blobs };
  });
}

/** Makes a key pair under a set of label 128. The owner's key stays in memory until `owner.file` gives it out. */
export function makeKeys(module: Module, setName: string): KeyPair {
  const set = module.set(setName);
  if (set.label !== "128") {
    throw new IsopodError("argument", `${setName} has label ${set.label}; allowed here are sets of label 128`, "set");
  }
  const { keyId, blobs } = makeBlobs(module, set, random(32));
  const [, publicBlob, blob] = blobs as [Uint8Array, Uint8Array, Uint8Array];
  const [link, deviceMaster] = [random(32), random(32)];
  const owner = new OwnerKey(set, { setId: set.setId, keyId, blob, link, deviceMaster, published: [0n, 0n, 0n] });
  return { owner, publicKey: PublicKey.open(module, publicBlob) };
}

/** All folders of a key pair, as `isopod keygen` writes them. */
export async function keyFiles(pair: KeyPair, devices: readonly bigint[], passphrase?: string): Promise<KeyFile[]> {
  const { owner, publicKey } = pair;
  if (new Set(devices).size !== devices.length) {
    throw new IsopodError("argument", "a device's number occurs twice; allowed is each once", "devices");
  }
  return [
    await owner.file(passphrase),
    { path: "owner/devices", bytes: files.register(owner.secrets.keyId, devices), isSecret: true },
    ...owner.serverFiles(),
    ...publicKey.files(),
    ...devices.flatMap((device) => owner.device(device).files()),
  ];
}
