import { type Cipher, createCipheriv } from "node:crypto";
import type { ChannelCipher } from "@sallyport/core";

const keyLength = 32;
const blockLength = 16;
const blockNumbers = 2 ** 32;

/** AES-256-CTR by OpenSSL, whose counter is all 16 bytes of the block: hence the bound on the length of a message. */
export class AesCtrChannelCipher implements ChannelCipher {
  apply(key: Uint8Array, counterBlock: Uint8Array, message: Uint8Array): Uint8Array {
    const { cipher, room } = begin(key, counterBlock);
    if (message.length > room) throw tooLong();
    return cipher.update(message);
  }

  applyToStream(
    key: Uint8Array,
    counterBlock: Uint8Array,
    message: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  ): AsyncIterable<Uint8Array> {
    const { cipher, room } = begin(key, counterBlock);
    return pieces(cipher, room, message);
  }
}

async function* pieces(
  cipher: Cipher,
  room: number,
  message: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncIterable<Uint8Array> {
  let length = 0;
  for await (const piece of message) {
    length += piece.length;
    if (length > room) throw tooLong();
    yield cipher.update(piece);
  }
}

/** A cipher, and how many bytes it may process before the numbers of blocks are used up. */
function begin(key: Uint8Array, counterBlock: Uint8Array): { cipher: Cipher; room: number } {
  if (key.length !== keyLength) throw new RangeError("a symmetric key has 32 bytes");
  if (counterBlock.length !== blockLength) throw new RangeError("a counter block has 16 bytes");
  const view = new DataView(counterBlock.buffer, counterBlock.byteOffset, counterBlock.length);
  const room = (blockNumbers - view.getUint32(blockLength - 4)) * blockLength;
  return { cipher: createCipheriv("aes-256-ctr", key, counterBlock), room };
}

function tooLong(): RangeError {
  return new RangeError("the message is longer than its counter can number");
}
