const messages = {
  "no-web-crypto":
    "This platform has no WebCrypto; browsers offer it on pages that came over HTTPS or from the same machine.",
  "unprotected-key":
    "The server's key would come over an unprotected connection: use https, or hand the key in as `serverKey`.",
  "server-key": "The server's key is not a usable RSA public key.",
  "log-in-answer": "The answer to the log-in cannot be decrypted, or lacks what the mode needs.",
  "clear-answer": "The server answered a secure session in clear text.",
  "no-counter-block": "An answer says nothing usable about its encryption.",
  "wrong-direction": "An answer has a counter block of the client's own direction.",
  "foreign-prefix": "An answer has a counter block of another session.",
  "not-first-block": "An answer has a counter block from the middle of a message.",
  "repeated-number": "An answer has the message number of an earlier one.",
  undecipherable: "An answer is not encrypted as it says.",
} as const;

/** What was wrong with the protection of a log-in or a session. */
export type ChannelFailure = keyof typeof messages;

/** Encryption cannot be used as it must be, or an answer is not what the server of the session would send. Nothing of it was used. */
export class ChannelError extends Error {
  override readonly name = "ChannelError";
  readonly reason: ChannelFailure;

  constructor(reason: ChannelFailure, { cause }: { cause?: unknown } = {}) {
    super(messages[reason], cause === undefined ? undefined : { cause });
    this.reason = reason;
  }
}
