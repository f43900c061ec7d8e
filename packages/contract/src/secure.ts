/** Direction of a message in a secure session: the first byte of its counter block. */
export const directions = { toServer: 1, toClient: 2 } as const;

export type Direction = (typeof directions)[keyof typeof directions];

/** The 16 bytes of a counter block, big-endian and in this order. */
export interface CounterBlock {
  /** One byte. */
  readonly direction: Direction;
  /** Three bytes, random per session: `data.ivPrefix` of the log-in. */
  readonly ivPrefix: Uint8Array;
  /** Eight bytes: the message number in this direction, from 0. */
  readonly message: bigint;
  /** Four bytes: the number of the 16-byte block within the message, from 0. */
  readonly block: number;
}

export const counterBlockLength = 16;

const lastMessage = 2n ** 64n - 1n;
const lastBlock = 2 ** 32 - 1;

/** Encodes a counter block. Throws a `RangeError` for an invalid part. */
export function buildCounterBlock({ direction, ivPrefix, message, block }: CounterBlock): Uint8Array {
  if (!isDirection(direction)) throw new RangeError("the direction must be 1 or 2");
  if (ivPrefix.length !== 3) throw new RangeError("the IV prefix must have three bytes");
  if (message < 0n || message > lastMessage) throw new RangeError("the message number must fit into eight bytes");
  if (!Number.isInteger(block) || block < 0 || block > lastBlock)
    throw new RangeError("the block number must fit into four bytes");
  const bytes = new Uint8Array(counterBlockLength);
  const view = new DataView(bytes.buffer);
  view.setUint8(0, direction);
  bytes.set(ivPrefix, 1);
  view.setBigUint64(4, message);
  view.setUint32(12, block);
  return bytes;
}

/** Decodes a counter block. Returns `undefined` for a wrong length or direction. */
export function parseCounterBlock(bytes: Uint8Array): CounterBlock | undefined {
  if (bytes.length !== counterBlockLength) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const direction = view.getUint8(0);
  if (!isDirection(direction)) return undefined;
  return { direction, ivPrefix: bytes.slice(1, 4), message: view.getBigUint64(4), block: view.getUint32(12) };
}

function isDirection(value: number): value is Direction {
  return value === directions.toServer || value === directions.toClient;
}

/** Content of the `Encrypted` header. */
export interface EncryptedHeader {
  /** The first counter block of the message, 16 bytes. Absent on a log-in response, which RSA protects. */
  readonly iv?: Uint8Array;
}

/** 16 bytes are 22 base64 digits. The last digit carries two bits. */
const grammar = /^[ \t]*[vV]=1(?:[ \t]*;[ \t]*[iI][vV]=([A-Za-z0-9+/]{21}[AQgw]==))?[ \t]*$/;
const maxLength = 64;

/** Header value: `v=1`, or `v=1;iv=` and the base64 of a counter block. */
export function formatEncryptedHeader({ iv }: EncryptedHeader = {}): string {
  if (iv === undefined) return "v=1";
  if (iv.length !== counterBlockLength) throw new RangeError("the counter block must have 16 bytes");
  return `v=1;iv=${encodeBase64(iv)}`;
}

/**
 * Parses the header value. Allows blanks around the two parts and upper case in their names. Returns `undefined` for
 * any other text, a second value or another version.
 */
export function parseEncryptedHeader(value: string): EncryptedHeader | undefined {
  if (value.length > maxLength) return undefined;
  const match = grammar.exec(value);
  if (match === null) return undefined;
  if (match[1] === undefined) return {};
  const iv = decodeBase64(match[1]);
  return iv && { iv };
}

/** Bytes per call of `String.fromCharCode`, which limits its arguments. */
const piece = 8_192;

/** Base64 with padding. Uses only functions that both browsers and Node have. */
export function encodeBase64(bytes: Uint8Array): string {
  let characters = "";
  for (let at = 0; at < bytes.length; at += piece) characters += String.fromCharCode(...bytes.subarray(at, at + piece));
  return btoa(characters);
}

/** Decodes canonical base64 as written by `encodeBase64`. Returns `undefined` for any other text. */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  const bytes = lenientBase64(text);
  return bytes !== undefined && encodeBase64(bytes) === text ? bytes : undefined;
}

/** Decodes base64 and ignores white space. Returns `undefined` for invalid text. */
export function lenientBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
