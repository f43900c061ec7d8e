import type { IncomingMessage, OutgoingMessage, PieceOpener } from "../transport/transport.ts";

/**
 * How a client logs in. `session`: a session id; `token`: a JWT; `encrypted`: a JWT with an encrypted log-in; `secure`:
 * all traffic encrypted.
 */
export type LogInMode = "session" | "token" | "encrypted" | "secure";

/**
 * An open session: adds credentials to requests and encrypts their content. Routes work in every mode without knowing
 * it. To send requests without the client, pass each request to `seal` once and each response to `open` once.
 */
export interface ClientSession {
  readonly mode: LogInMode;

  /** Adds the credential. A secure session also encrypts the body under a new message number. */
  seal(message: OutgoingMessage): Promise<OutgoingMessage>;

  /** Decrypts a response. Throws a `ChannelError` if verification fails. */
  open(answer: IncomingMessage): Promise<IncomingMessage>;

  /**
   * Returns the function that decrypts the pieces of a successful file response, in order. Call it once per response.
   * Throws a `ChannelError` if verification of the headers fails.
   */
  openPieces(headers: IncomingMessage["headers"]): PieceOpener;

  /** Whether this error code means that the session has ended and a new log-in is needed. */
  isOverWith(code: number): boolean;
}

/** Codes for a missing or ended session. The server checks it before it processes the request. */
const sessionEndedCodes: ReadonlySet<number> = new Set([200, 201, 202, 203, 204]);

export function isSessionEndedCode(code: number): boolean {
  return sessionEndedCodes.has(code);
}

/** A session with one credential header and unencrypted messages. */
export class HeaderSession implements ClientSession {
  constructor(
    readonly mode: LogInMode,
    private readonly header: string,
    /** The session id or the token. */
    readonly credential: string,
  ) {}

  async seal({ headers, body }: OutgoingMessage): Promise<OutgoingMessage> {
    return { headers: { ...headers, [this.header]: this.credential }, body };
  }

  async open(answer: IncomingMessage): Promise<IncomingMessage> {
    return answer;
  }

  openPieces(): PieceOpener {
    return (piece) => piece;
  }

  isOverWith(code: number): boolean {
    return isSessionEndedCode(code);
  }
}
