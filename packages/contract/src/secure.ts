/** Who sends a message of a secure session: the first byte of its counter block. */
export const directions = { toServer: 1, toClient: 2 } as const;

export type Direction = (typeof directions)[keyof typeof directions];

/** What the 16 bytes of a counter block say, big-endian and in this order. */
export interface CounterBlock {
  /** One byte. */
  readonly direction: Direction;
  /** Three bytes, random for each session: `data.ivPrefix` of the log-in. */
  readonly ivPrefix: Uint8Array;
  /** Eight bytes: 0 for the first message in this direction, then one more for each. */
  readonly message: bigint;
  /** Four bytes: 0 where a message begins, one more for every 16 bytes of it. */
  readonly block: number;
}

export const counterBlockLength = 16;

const lastMessage = 2n ** 64n - 1n;
const lastBlock = 2 ** 32 - 1;

/** The bytes of a counter block. Throws a `RangeError` for parts that do not fit. */
export function buildCounterBlock({ direction, ivPrefix, message, block }: CounterBlock): Uint8Array {
  if (!isDirection(direction)) throw new RangeError("a direction is 1 or 2");
  if (ivPrefix.length !== 3) throw new RangeError("an IV prefix has three bytes");
  if (message < 0n || message > lastMessage) throw new RangeError("a message number has eight bytes");
  if (!Number.isInteger(block) || block < 0 || block > lastBlock) throw new RangeError("a block number has four bytes");
  const bytes = new Uint8Array(counterBlockLength);
  const view = new DataView(bytes.buffer);
  view.setUint8(0, direction);
  bytes.set(ivPrefix, 1);
  view.setBigUint64(4, message);
  view.setUint32(12, block);
  return bytes;
}

/** What a counter block says; `undefined` if it has another length or neither direction. */
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

/** What the header `Encrypted` says. */
export interface EncryptedHeader {
  /** The counter block the message begins with, 16 bytes; absent on the answer to a log-in, which RSA protects. */
  readonly iv?: Uint8Array;
}

/** 16 bytes are 22 digits of base64, of which the last stands for two bits only. */
const grammar = /^[ \t]*[vV]=1(?:[ \t]*;[ \t]*[iI][vV]=([A-Za-z0-9+/]{21}[AQgw]==))?[ \t]*$/;
const longest = 64;

/** The value of the header: `v=1`, or `v=1;iv=` and the base64 of a counter block. */
export function formatEncryptedHeader({ iv }: EncryptedHeader = {}): string {
  if (iv === undefined) return "v=1";
  if (iv.length !== counterBlockLength) throw new RangeError("a counter block has 16 bytes");
  return `v=1;iv=${encodeBase64(iv)}`;
}

/**
 * Reads the value of the header. Blanks around the two parts and capital letters in their names are tolerated, nothing
 * else is: any other text, a second value or another version is `undefined`.
 */
export function parseEncryptedHeader(value: string): EncryptedHeader | undefined {
  if (value.length > longest) return undefined;
  const match = grammar.exec(value);
  if (match === null) return undefined;
  if (match[1] === undefined) return {};
  const iv = decodeBase64(match[1]);
  return iv && { iv };
}

/** More arguments than this are too many for one call. */
const piece = 8_192;

/** Base64 with padding, by the means that browsers and servers have in common. */
export function encodeBase64(bytes: Uint8Array): string {
  let characters = "";
  for (let at = 0; at < bytes.length; at += piece) characters += String.fromCharCode(...bytes.subarray(at, at + piece));
  return btoa(characters);
}

/** The bytes of a text that `encodeBase64` would make of them; `undefined` for every other text. */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  const bytes = looseBase64(text);
  return bytes !== undefined && encodeBase64(bytes) === text ? bytes : undefined;
}

/** The bytes of base64 text, white space aside; `undefined` for what is none. */
export function looseBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
