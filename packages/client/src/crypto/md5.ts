const shifts = [
  [7, 12, 17, 22],
  [5, 9, 14, 20],
  [4, 11, 16, 23],
  [6, 10, 15, 21],
] as const;

const sines = Uint32Array.from({ length: 64 }, (_, step) => Math.floor(Math.abs(Math.sin(step + 1)) * 2 ** 32));

/**
 * The MD5 of a UTF-8 text (RFC 1321), as 32 lowercase hexadecimal digits. It is the format in which the service expects
 * passwords, not a protection. WebCrypto has no MD5.
 */
export function md5(text: string): string {
  const words = padded(new TextEncoder().encode(text));
  const state = Uint32Array.of(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476);
  for (let at = 0; at < words.length; at += 16) mix(state, words.subarray(at, at + 16));
  const bytes = new DataView(new ArrayBuffer(16));
  for (const [index, word] of state.entries()) bytes.setUint32(4 * index, word, true);
  return Array.from(new Uint8Array(bytes.buffer), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The padded message as little-endian words. */
function padded(message: Uint8Array): Uint32Array {
  const view = new DataView(new ArrayBuffer(64 * Math.ceil((message.length + 9) / 64)));
  new Uint8Array(view.buffer).set(message);
  view.setUint8(message.length, 0x80);
  view.setBigUint64(view.byteLength - 8, 8n * BigInt(message.length), true);
  return Uint32Array.from({ length: view.byteLength / 4 }, (_, index) => view.getUint32(4 * index, true));
}

function mix(state: Uint32Array, block: Uint32Array): void {
  let [a = 0, b = 0, c = 0, d = 0] = state;
  for (let step = 0; step < 64; step += 1) {
    const { value, word } = round(step, b, c, d);
    const sum = (a + value + (sines[step] ?? 0) + (block[word] ?? 0)) >>> 0;
    const shift = shifts[step >> 4]?.[step & 3] ?? 0;
    [a, d, c, b] = [d, c, b, (b + ((sum << shift) | (sum >>> (32 - shift)))) >>> 0];
  }
  for (const [index, word] of [a, b, c, d].entries()) state[index] = (state[index] ?? 0) + word;
}

/** The round function's value, and the index of the message word. */
function round(step: number, b: number, c: number, d: number): { value: number; word: number } {
  if (step < 16) return { value: (b & c) | (~b & d), word: step };
  if (step < 32) return { value: (d & b) | (~d & c), word: (5 * step + 1) % 16 };
  if (step < 48) return { value: b ^ c ^ d, word: (3 * step + 5) % 16 };
  return { value: c ^ (b | ~d), word: (7 * step) % 16 };
}
