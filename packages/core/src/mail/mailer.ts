import type { Letter, Mail } from "./mail.ts";

/** What became of a mail. `reply` is the code that it was answered with, such as `550 5.1.1`: never text, which can quote the mail. */
export type MailOutcome =
  | { readonly kind: "sent" }
  /** It will never be taken: an address that does not exist, or contents that are not wanted. */
  | { readonly kind: "refused"; readonly reply: string }
  /** It may be taken later: a mailbox that is full, a relay that wants to see it again. Other mail may be taken now. */
  | { readonly kind: "later"; readonly reply: string };

/** Port: the transport of mail. */
export interface Mailer {
  /**
   * Hands a mail over. Throws `MailerUnusable` when no mail at all can be handed over now: the relay is away, not the one that it says,
   * or does not let this server in. A relay that breaks off may have taken the mail all the same: who sends it again, may send it twice.
   */
  send(mail: Mail): Promise<MailOutcome>;

  /** Waits for what is being sent; nothing can be sent afterwards. */
  close(): Promise<void>;
}

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

/** Port: the wording of mail. */
export interface LetterWriter {
  /** What a letter from the database with this alias says. */
  write(letter: Letter, alias: string): Pick<Mail, "subject" | "text" | "html">;
}
