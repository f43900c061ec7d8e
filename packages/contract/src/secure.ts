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

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const values: ReadonlyMap<string, number> = new Map([...alphabet].map((character, value) => [character, value]));

/** Base64 with padding, as browsers and servers alike can make it; for the few bytes of a header or a key. */
export function encodeBase64(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 3) {
    const [a = 0, b = 0, c = 0] = bytes.subarray(at, at + 3);
    const bits = (a << 16) | (b << 8) | c;
    for (const shift of [18, 12, 6, 0]) text += alphabet.charAt((bits >> shift) & 63);
  }
  const missing = (3 - (bytes.length % 3)) % 3;
  return text.slice(0, text.length - missing) + "=".repeat(missing);
}

/** The bytes of a text that `encodeBase64` would make of them; `undefined` for every other text. */
export function decodeBase64(text: string): Uint8Array | undefined {
  if (text.length % 4 !== 0) return undefined;
  const digits = text.replace(/={1,2}$/, "");
  const bytes = new Uint8Array(Math.floor((digits.length * 3) / 4));
  let bits = 0;
  let length = 0;
  for (const [index, digit] of [...digits].entries()) {
    const value = values.get(digit);
    if (value === undefined) return undefined;
    bits = ((bits << 6) | value) & 0xfff;
    const free = 2 * (index % 4);
    if (free > 0) bytes[length++] = bits >> (6 - free);
  }
  // What is left over of the last digit carries nothing, and must say so.
  return encodeBase64(bytes) === text ? bytes : undefined;
}
