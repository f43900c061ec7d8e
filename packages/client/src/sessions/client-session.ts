import type { IncomingMessage, OutgoingMessage } from "../transport/transport.ts";

/**
 * How a client logs in. `session`: a session id; `token`: a JWT; `encrypted`: a JWT, the log-in itself encrypted;
 * `secure`: log-in and all later traffic encrypted.
 */
export type LogInMode = "session" | "token" | "encrypted" | "secure";

/**
 * What a log-in leaves behind: how the requests of the session prove it, and how their contents travel. Routes need not
 * know it, so that each of them works in every mode. Also for whoever sends requests by other means than the client:
 * whatever goes out has to pass `seal` once, and each answer `open` once.
 */
export interface ClientSession {
  readonly mode: LogInMode;

  /** The message with its credential; in a secure session its body encrypted under a number of its own. */
  seal(message: OutgoingMessage): Promise<OutgoingMessage>;

  /** The answer as the server meant it. A `ChannelError` for one that a secure session must not believe. */
  open(answer: IncomingMessage): Promise<IncomingMessage>;

  /** Whether a refusal with this code says that the session is over, so that only a new log-in helps. */
  isOverWith(code: number): boolean;
}

/** The codes of a session that is missing or over. They come before a request is looked at any further. */
const overCodes: ReadonlySet<number> = new Set([200, 201, 202, 203, 204]);

export function saysSessionIsOver(code: number): boolean {
  return overCodes.has(code);
}

/** A session that is proven by one header, and whose messages travel as they are. */
export class HeaderSession implements ClientSession {
  readonly #credential: Readonly<Record<string, string>>;

  constructor(
    readonly mode: LogInMode,
    header: string,
    value: string,
  ) {
    this.#credential = { [header]: value };
  }

  async seal({ headers, body }: OutgoingMessage): Promise<OutgoingMessage> {
    return { headers: { ...headers, ...this.#credential }, body };
  }

  async open(answer: IncomingMessage): Promise<IncomingMessage> {
    return answer;
  }

  isOverWith(code: number): boolean {
    return saysSessionIsOver(code);
  }
}
