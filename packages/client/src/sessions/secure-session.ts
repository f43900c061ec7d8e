import { headerNames } from "@sallyport/contract/header-names";
import {
  buildCounterBlock,
  directions,
  formatEncryptedHeader,
  parseCounterBlock,
  parseEncryptedHeader,
} from "@sallyport/contract/secure";
import { AcceptedNumbers } from "../channel/accepted-numbers.ts";
import type { ChannelCipher } from "../channel/channel-cipher.ts";
import { OutgoingNumbers } from "../channel/outgoing-numbers.ts";
import { base64ToBody, bodyToBase64 } from "../crypto/body-base64.ts";
import { ChannelError } from "../errors/channel-error.ts";
import { TransportError } from "../errors/transport-error.ts";
import { codeOf } from "../transport/envelope.ts";
import type { IncomingMessage, OutgoingMessage } from "../transport/message.ts";
import { mayComeInClear } from "./clear-refusals.ts";
import { type ClientSession, saysSessionIsOver } from "./client-session.ts";

/** What a secure log-in has agreed on. */
export interface SecureSessionParts {
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
    return { headers: { ...encrypted, "content-type": "application/text" }, body: bodyToBase64(sealed) };
  }

  async open(answer: IncomingMessage): Promise<IncomingMessage> {
    const header = answer.headers.get(headerNames.encrypted);
    if (header === null) return inClear(answer);
    const iv = this.#checked(header);
    const isText = encryptedText.test(answer.headers.get("content-type") ?? "");
    const sealed = isText ? base64ToBody(new TextDecoder().decode(answer.body)) : answer.body;
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
  if (!mayComeInClear(code)) throw new ChannelError("clear-answer");
  return answer;
}
