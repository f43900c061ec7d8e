import { headerNames } from "@sallyport/contract/header-names";
import {
  buildCounterBlock,
  directions,
  encodeBase64,
  formatEncryptedHeader,
  looseBase64,
  parseCounterBlock,
  parseEncryptedHeader,
} from "@sallyport/contract/secure";
import { type Bytes, webCrypto } from "../crypto/web-crypto.ts";
import { ChannelError, TransportError } from "../errors.ts";
import { codeOf } from "../transport/envelope.ts";
import type { IncomingMessage, OutgoingMessage } from "../transport/transport.ts";
import { type ClientSession, saysSessionIsOver } from "./client-session.ts";

/** Only the number of the block counts up: the cipher can never run into the number of another message. */
const counterBits = 32;

/** AES-256-CTR with the key of a session. To encrypt and to decrypt is the same operation. */
export class ChannelCipher {
  readonly #key: CryptoKey;

  private constructor(key: CryptoKey) {
    this.#key = key;
  }

  static async create(symmetricKey: Bytes): Promise<ChannelCipher> {
    return new ChannelCipher(await webCrypto().subtle.importKey("raw", symmetricKey, "AES-CTR", false, ["encrypt"]));
  }

  /** A message that begins with this counter block. */
  async apply(counterBlock: Uint8Array, message: Uint8Array): Promise<Bytes> {
    const algorithm = { name: "AES-CTR", counter: new Uint8Array(counterBlock), length: counterBits };
    return new Uint8Array(await webCrypto().subtle.encrypt(algorithm, this.#key, new Uint8Array(message)));
  }
}

/** What a secure log-in has agreed on. */
interface SecureSessionParts {
  readonly secureToken: string;
  /** Three bytes. */
  readonly ivPrefix: Uint8Array;
  readonly cipher: ChannelCipher;
}

/** The type of encrypted JSON; files keep their own. */
const encryptedText = /^application\/text\b/i;
/** The server could not read a message, or not use its key: the two ends no longer agree. */
const disagreement: ReadonlySet<number> = new Set([312, 314]);

/** A session all of whose bodies are encrypted. */
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
    // Taken before anything is awaited, and never given back: no two messages have the same.
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
    const sealed = isText ? looseBase64(new TextDecoder().decode(answer.body)) : answer.body;
    if (sealed === undefined) throw new ChannelError("undecipherable");
    return { ...answer, body: await this.#parts.cipher.apply(iv, sealed) };
  }

  isOverWith(code: number): boolean {
    return saysSessionIsOver(code) || disagreement.has(code);
  }

  /** The counter block of an answer, if it is one of this session that was not seen before. */
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

/** An answer that is not encrypted: a refusal from before the session was known, or nothing to be believed. */
function inClear(answer: IncomingMessage): IncomingMessage {
  const code = codeOf(answer);
  if (code === undefined) throw new TransportError("foreign-answer", { httpStatus: answer.status });
  if (!clearCodes.has(code)) throw new ChannelError("clear-answer");
  return answer;
}

/**
 * The codes that a server can answer before it knows that a request is of a secure session, or when it cannot use the
 * session's key. They alone may come in clear text: path and method (304, 305), malformed HTTP (699) or headers (307),
 * database, maintenance and load (607, 704, 705, 706), app key (100, 101), request rate (800), plain HTTP (307), the
 * session itself (200 to 204), its key (314), and whatever goes wrong among these steps (799). They report failures only, so
 * whoever forges one achieves no more than by dropping the answer.
 */
const clearCodes: ReadonlySet<number> = new Set([
  100, 101, 200, 201, 202, 203, 204, 304, 305, 307, 314, 607, 699, 704, 705, 706, 799, 800,
]);

/** The numbers of the messages that a session sends: 0, 1, 2 …, each given out once. */
export class OutgoingNumbers {
  #next = 0n;

  next(): bigint {
    const number = this.#next;
    this.#next += 1n;
    return number;
  }
}

/** Successive numbers, both ends included. */
interface Run {
  first: bigint;
  last: bigint;
}

/**
 * The numbers of the messages that a session has received, in any order and with gaps of any size: the processes of a
 * server take their numbers from different blocks. Remembers all of them, as runs.
 */
export class AcceptedNumbers {
  /** Ascending; between two runs is a gap. */
  readonly #runs: Run[] = [];

  /** Takes a number; `false` if it was taken before. */
  accept(number: bigint): boolean {
    const at = this.#runsUpTo(number);
    const before = this.#runs[at - 1];
    const after = this.#runs[at];
    if (before !== undefined && number <= before.last) return false;
    const extendsBefore = before?.last === number - 1n;
    const extendsAfter = after?.first === number + 1n;
    if (extendsBefore && extendsAfter) {
      before.last = after.last;
      this.#runs.splice(at, 1);
    } else if (extendsBefore) before.last = number;
    else if (extendsAfter) after.first = number;
    else this.#runs.splice(at, 0, { first: number, last: number });
    return true;
  }

  /** How many runs begin with this number or a lower one. */
  #runsUpTo(number: bigint): number {
    let [low, high] = [0, this.#runs.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#runs[middle]?.first ?? 0n) <= number) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
