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
