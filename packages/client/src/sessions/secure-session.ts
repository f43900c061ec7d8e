import { headerNames } from "@sallyport/contract/header-names";
import {
  buildCounterBlock,
  directions,
  encodeBase64,
  formatEncryptedHeader,
  lenientBase64,
  parseCounterBlock,
  parseEncryptedHeader,
} from "@sallyport/contract/secure";
import { type Bytes, unshared, webCrypto } from "../crypto/web-crypto.ts";
import { ChannelError, TransportError } from "../errors.ts";
import { codeOf } from "../transport/envelope.ts";
import type { IncomingMessage, OutgoingMessage, PieceOpener } from "../transport/transport.ts";
import { type ClientSession, isSessionEndedCode } from "./client-session.ts";

/** Only the block number is incremented, so the cipher never reaches the number of another message. */
const counterBits = 32;
const blockLength = 16;
const maxBlocks = 2 ** counterBits;

/** AES-256-CTR with a session key. Encryption and decryption are the same operation. */
export class ChannelCipher {
  readonly #key: CryptoKey;

  private constructor(key: CryptoKey) {
    this.#key = key;
  }

  static async create(symmetricKey: Bytes): Promise<ChannelCipher> {
    return new ChannelCipher(await webCrypto().subtle.importKey("raw", symmetricKey, "AES-CTR", false, ["encrypt"]));
  }

  /** Applies the cipher to a message that starts at this counter block. */
  async apply(counterBlock: Uint8Array, message: Uint8Array): Promise<Bytes> {
    const algorithm = { name: "AES-CTR", counter: new Uint8Array(counterBlock), length: counterBits };
    return new Uint8Array(await webCrypto().subtle.encrypt(algorithm, this.#key, unshared(message)));
  }

  /** Applies the cipher to the consecutive pieces, of any length, of a message that starts at this counter block. */
  pieces(counterBlock: Uint8Array): (piece: Uint8Array) => Promise<Bytes> {
    const counter = new Uint8Array(counterBlock);
    let length = 0;
    return (piece) => {
      const inBlock = length % blockLength;
      // The number of the block in which the piece begins. The message begins at 0.
      new DataView(counter.buffer).setUint32(12, Math.floor(length / blockLength));
      length += piece.length;
      if (length > maxBlocks * blockLength) throw new ChannelError("too-long");
      if (inBlock === 0) return this.apply(counter, piece);
      const aligned = new Uint8Array(inBlock + piece.length);
      aligned.set(piece, inBlock);
      return this.apply(counter, aligned).then((bytes) => bytes.subarray(inBlock));
    };
  }
}

/** The result of a secure log-in. */
interface SecureSessionParts {
  readonly secureToken: string;
  /** Three bytes. */
  readonly ivPrefix: Uint8Array;
  readonly cipher: ChannelCipher;
}

/** Content type of encrypted JSON. Files keep their own type. */
const encryptedText = /^application\/text\b/i;
/** The server could not decrypt a message or use its key, so the session is unusable. */
const disagreement: ReadonlySet<number> = new Set([312, 314]);

/** A session with encrypted bodies. */
export class SecureSession implements ClientSession {
  readonly mode = "secure";
  readonly #parts: SecureSessionParts;
  readonly #outgoing = new OutgoingNumbers();
  readonly #accepted = new AcceptedNumbers();

  constructor(parts: SecureSessionParts) {
    this.#parts = parts;
  }

  async seal({ headers, body }: OutgoingMessage): Promise<OutgoingMessage> {
    const { secureToken, ivPrefix, cipher } = this.#parts;
    const credential = { ...headers, [headerNames.secureToken]: secureToken };
    if (body === undefined) return { headers: credential };
    // Taken before the first await and never reused, so that message numbers are unique.
    const message = this.#outgoing.next();
    const iv = buildCounterBlock({ direction: directions.toServer, ivPrefix, message, block: 0 });
    const encrypted = { ...credential, [headerNames.encrypted]: formatEncryptedHeader({ iv }) };
    if (typeof body !== "string") return { headers: encrypted, body: await cipher.apply(iv, body) };
    const sealed = await cipher.apply(iv, new TextEncoder().encode(body));
    return { headers: { ...encrypted, "content-type": "application/text" }, body: encodeBase64(sealed) };
  }

  async open(answer: IncomingMessage): Promise<IncomingMessage> {
    const header = answer.headers.get(headerNames.encrypted);
    if (header === null) return inClear(answer);
    const iv = this.#checked(header);
    const isText = encryptedText.test(answer.headers.get("content-type") ?? "");
    const sealed = isText ? lenientBase64(new TextDecoder().decode(answer.body)) : answer.body;
    if (sealed === undefined) throw new ChannelError("undecipherable");
    return { ...answer, body: await this.#parts.cipher.apply(iv, sealed) };
  }

  openPieces(headers: IncomingMessage["headers"]): PieceOpener {
    const header = headers.get(headerNames.encrypted);
    if (header === null) throw new ChannelError("clear-answer");
    return this.#parts.cipher.pieces(this.#checked(header));
  }

  isOverWith(code: number): boolean {
    return isSessionEndedCode(code) || disagreement.has(code);
  }

  /** The counter block of a response. Throws unless it belongs to this session and is new. */
  #checked(header: string): Uint8Array {
    const iv = parseEncryptedHeader(header)?.iv;
    const counter = iv && parseCounterBlock(iv);
    if (iv === undefined || counter === undefined) throw new ChannelError("no-counter-block");
    if (counter.direction !== directions.toClient) throw new ChannelError("wrong-direction");
    if (!counter.ivPrefix.every((byte, index) => byte === this.#parts.ivPrefix[index]))
      throw new ChannelError("foreign-prefix");
    if (counter.block !== 0) throw new ChannelError("not-first-block");
    if (!this.#accepted.accept(counter.message)) throw new ChannelError("repeated-number");
    return iv;
  }
}

/** Accepts an unencrypted response only if it is a refusal from before the session is known. */
function inClear(answer: IncomingMessage): IncomingMessage {
  const code = codeOf(answer);
  if (code === undefined) throw new TransportError("foreign-answer", { httpStatus: answer.status });
  if (!clearCodes.has(code)) throw new ChannelError("clear-answer");
  return answer;
}

/**
 * Codes that a server can return before it knows the secure session, or if it cannot use the session key. Only these
 * can be unencrypted: path and method (304, 305), malformed HTTP (699) or headers (307), database, maintenance and load
 * (607, 704, 705, 706), app key (100, 101), rate limit (800), plain HTTP (307), the session (200 to 204), its key
 * (314), and internal errors in these steps (799). All are failures, so forging one achieves no more than dropping the
 * response.
 */
const clearCodes: ReadonlySet<number> = new Set([
  100, 101, 200, 201, 202, 203, 204, 304, 305, 307, 314, 607, 699, 704, 705, 706, 799, 800,
]);

/** Message numbers of a session: 0, 1, 2 and so on, each used once. */
export class OutgoingNumbers {
  #next = 0n;

  next(): bigint {
    const number = this.#next;
    this.#next += 1n;
    return number;
  }
}

/** A range of numbers, both ends inclusive. */
interface NumberRange {
  first: bigint;
  last: bigint;
}

/**
 * The message numbers that a session has received. They arrive in any order and with gaps, because server processes
 * take numbers from different ranges. All are kept, as ranges.
 */
export class AcceptedNumbers {
  /** Ascending, with a gap between two ranges. */
  readonly #ranges: NumberRange[] = [];

  /** Accepts a number. Returns `false` for a number accepted before. */
  accept(number: bigint): boolean {
    const at = this.#rangesUpTo(number);
    const before = this.#ranges[at - 1];
    const after = this.#ranges[at];
    if (before !== undefined && number <= before.last) return false;
    const extendsBefore = before?.last === number - 1n;
    const extendsAfter = after?.first === number + 1n;
    if (extendsBefore && extendsAfter) {
      before.last = after.last;
      this.#ranges.splice(at, 1);
    } else if (extendsBefore) before.last = number;
    else if (extendsAfter) after.first = number;
    else this.#ranges.splice(at, 0, { first: number, last: number });
    return true;
  }

  /** Number of ranges that start at or below this number. */
  #rangesUpTo(number: bigint): number {
    let [low, high] = [0, this.#ranges.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#ranges[middle]?.first ?? 0n) <= number) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
