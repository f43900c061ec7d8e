/**
 * Port: AES-256-CTR over the messages of a secure session. To encrypt and to decrypt is the same operation.
 *
 * The key has 32 bytes, the counter block 16: the block a message begins with, by the layout of the wire contract. Its last
 * four bytes number the blocks of the message; a message that would need a number beyond them (64 GiB when it begins
 * with 0) is refused with a `RangeError`, because the counter would go on into the number of the message and repeat
 * what protects the next one. A key or counter block of another length is a `RangeError`, too.
 */
export interface ChannelCipher {
  apply(key: Uint8Array, counterBlock: Uint8Array, message: Uint8Array): Uint8Array;

  /** The same over a message that comes in pieces of any size, in constant memory; gives a piece for every piece. */
  applyToStream(
    key: Uint8Array,
    counterBlock: Uint8Array,
    message: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  ): AsyncIterable<Uint8Array>;
}
