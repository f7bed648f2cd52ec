/** Key files and records, as the command line writes and reads them (spec/wire.md, section 7). */
import { sha3_256 } from "@noble/hashes/sha3.js";
import { concat, le64, same, utf8 } from "./bytes.js";
import { Reader, Writer } from "./cbor.js";
import { fileError } from "./error.js";

const VERSION = 2;
const OWNER = 48;
const SERVER = 49;
const DEVICE = 50;

/** The owner's secrets. */
export interface OwnerSecrets {
  readonly setId: Uint8Array;
  readonly keyId: Uint8Array;
  /** Blob of the secret key. */
  readonly blob: Uint8Array;
  readonly link: Uint8Array;
  readonly deviceMaster: Uint8Array;
  /** Statistical bits, queries and used: what was published under the key, kept as it was. */
  readonly published: readonly [bigint, bigint, bigint];
}

/** A device's secrets. */
export interface DeviceSecrets {
  readonly keyId: Uint8Array;
  readonly device: bigint;
  readonly frameKey: Uint8Array;
}

/** The owner's file, in the clear. */
export function writeOwner(owner: OwnerSecrets): Uint8Array {
  const writer = new Writer().array(10).uint(VERSION).uint(OWNER).bytes(owner.setId).bytes(owner.keyId);
  writer.bytes(owner.blob).bytes(owner.link).bytes(owner.deviceMaster);
  owner.published.forEach((number) => writer.uint(number));
  return writer.done();
}

/** Reads the owner's file. */
export function readOwner(bytes: Uint8Array, name: string): OwnerSecrets {
  const reader = start(bytes, name, [10, OWNER], "an owner's key file, owner.key or owner.key.age");
  const [setId, keyId, blob] = [reader.bytes("the set", 8), reader.bytes("the key's name", 16), reader.bytes("the key")];
  const [link, deviceMaster] = [reader.bytes("the link key", 32), reader.bytes("the device master", 32)];
  const published = [reader.uint("bits"), reader.uint("queries"), reader.uint("used")] as const;
  reader.end();
  return { setId, keyId, blob, link, deviceMaster, published };
}

/** The server's file. */
export function writeServer(owner: OwnerSecrets): Uint8Array {
  const writer = new Writer().array(6).uint(VERSION).uint(SERVER).bytes(owner.setId).bytes(owner.keyId);
  return writer.bytes(owner.link).bytes(owner.deviceMaster).done();
}

/** A device's file, `frame.key`. */
export function writeDevice(device: DeviceSecrets): Uint8Array {
  const before = deviceFields(device);
  return concat(before, new Writer().bytes(sha3_256(before)).done());
}

function deviceFields(device: DeviceSecrets): Uint8Array {
  const writer = new Writer().array(6).uint(VERSION).uint(DEVICE).bytes(device.keyId);
  return writer.uint(device.device).bytes(device.frameKey).done();
}

/** Reads a device's file. */
export function readDevice(bytes: Uint8Array, name: string): DeviceSecrets {
  const reader = start(bytes, name, [6, DEVICE], "a device's key file, frame.key");
  const keyId = reader.bytes("the key's name", 16);
  const device = reader.uint("the device");
  const found = { keyId, device, frameKey: reader.bytes("the frame key", 32) };
  if (!same(reader.bytes("the digest", 32), sha3_256(deviceFields(found)))) {
    throw fileError(name, "its digest does not match: the file was changed or damaged; take the original, or have it made again");
  }
  reader.end();
  return found;
}

function start(bytes: Uint8Array, name: string, [fields, kind]: [number, number], what: string): Reader {
  const reader = new Reader(bytes, name);
  if (!same(bytes.subarray(0, 4), Uint8Array.of(0x80 + fields, VERSION, 24, kind))) {
    throw fileError(name, `is not ${what}; take the file of this name from the folder that was made with the keys`);
  }
  reader.array(fields).uint("version");
  reader.uint("kind");
  return reader;
}

/** A record: magic, content, digest. */
function record(magic: string, content: Uint8Array): Uint8Array {
  const bytes = concat(utf8(magic), content);
  return concat(bytes, sha3_256(bytes));
}

/** The owner's register of device numbers; each is given once. */
export function register(keyId: Uint8Array, devices: readonly bigint[]): Uint8Array {
  const spans: [bigint, bigint][] = [];
  for (const device of [...devices].sort((one, other) => (one < other ? -1 : 1))) {
    const last = spans.at(-1);
    if (last !== undefined && last[1] + 1n === device) {
      last[1] = device;
    } else {
      spans.push([device, device]);
    }
  }
  return record("ISOPODD2", concat(keyId, le64(BigInt(spans.length)), ...spans.flat().map(le64)));
}

/** The server's list of revoked devices, empty. */
export function revoked(keyId: Uint8Array): Uint8Array {
  return record("ISOPODV2", keyId);
}

/** The server's memory of frames, empty: no answer yet, no frame known. */
export function replay(keyId: Uint8Array): Uint8Array {
  return record("ISOPODR2", concat(keyId, le64(0n), le64(0n)));
}

/** A key as a C array of words. */
function words(name: string, bytes: Uint8Array): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let text = `static const uint32_t ${name}[${bytes.length / 4}] = {\n`;
  for (let row = 0; row < bytes.length; row += 32) {
    text += "   ";
    for (let at = row; at < Math.min(row + 32, bytes.length); at += 4) {
      text += ` 0x${view.getUint32(at, true).toString(16).padStart(8, "0")},`;
    }
    text += "\n";
  }
  return `${text}};\n\n`;
}

/** A device's keys as a C header. */
export function deviceHeader(device: DeviceSecrets): string {
  return (
    "/* Generated by `isopod`. Holds secrets of one device: do not publish. */\n" +
    "#ifndef ISOPOD_KEYS_H\n#define ISOPOD_KEYS_H\n\n#include <stdint.h>\n\n" +
    '#include "isopod_public_key.h" /* from the folder `public` */\n\n' +
    `#define ISOPOD_DEVICE UINT64_C(${device.device})\n\n` +
    words("isopod_frame_key", device.frameKey) +
    "#endif\n"
  );
}

/** The public key as a C header. */
export function publicHeader(blob: Uint8Array): string {
  return (
    "/* Generated by `isopod`. The public key of all devices of one key pair. */\n" +
    "#ifndef ISOPOD_PUBLIC_KEY_H\n#define ISOPOD_PUBLIC_KEY_H\n\n#include <stdint.h>\n\n" +
    `#define ISOPOD_PUBLIC_KEY_BYTES ${blob.length}u\n` +
    words("isopod_public_key", blob) +
    "#endif\n"
  );
}
