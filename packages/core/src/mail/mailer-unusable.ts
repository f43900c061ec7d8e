/** Why no mail can be handed over. */
export type MailerTrouble = "away" | "timeout" | "tls" | "authentication" | "sender" | "folder" | "answer";

/** The transport of mail cannot be used now. The message is for administrators and holds no secret. */
export class MailerUnusable extends Error {
  override readonly name = "MailerUnusable";

  constructor(
    readonly trouble: MailerTrouble,
    message: string,
    cause?: unknown,
  ) {
    super(message, cause === undefined ? undefined : { cause });
  }
}
