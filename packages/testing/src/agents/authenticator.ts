import { createHmac } from "node:crypto";

/** Milliseconds of a time step. */
const step = 30_000;

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** An authenticator app for one second factor (RFC 6238), by the clock of the service. */
export class Authenticator {
  readonly #key: Buffer;
  readonly #now: () => number;
  readonly #recoveryCodes: string[];
  #last: number;

  /**
   * `secret` in Base32. Throws a `TypeError` for another text. Recovery codes replace tokens that are used up; `null` for
   * an existing factor, whose former tokens others can have used.
   */
  constructor(secret: string, now: () => number, recoveryCodes: readonly string[] | null) {
    this.#key = bytesOf(secret);
    this.#now = now;
    this.#recoveryCodes = [...(recoveryCodes ?? [])];
    this.#last = recoveryCodes === null ? Math.floor(now() / step) - 1 : 0;
  }

  /**
   * A token that was not used yet: the service accepts each once, and those of the previous, the current and the next
   * step. Throws an `Error` if all are used up.
   */
  token(): string {
    const current = Math.floor(this.#now() / step);
    const next = Math.max(current - 1, this.#last + 1);
    if (next <= current + 1) {
      this.#last = next;
      return tokenOf(this.#key, next);
    }
    const code = this.#recoveryCodes.shift();
    if (code !== undefined) return code;
    throw new Error("The tokens of the second factor are used up for now. Advance the clock by 30 seconds.");
  }
}

function tokenOf(key: Buffer, counter: number): string {
  const message = Buffer.alloc(8);
  message.writeBigUInt64BE(BigInt(counter));
  const digest = createHmac("sha1", key).update(message).digest();
  const offset = (digest.at(-1) ?? 0) & 0xf;
  return String((digest.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, "0");
}

function bytesOf(secret: string): Buffer {
  const text = secret.toUpperCase().replaceAll(/[\s=]/g, "");
  if (text === "" || !/^[A-Z2-7]+$/.test(text)) throw new TypeError("The secret of a second factor must be Base32.");
  const bits = Array.from(text, (digit) => alphabet.indexOf(digit).toString(2).padStart(5, "0")).join("");
  return Buffer.from((bits.match(/[01]{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}
