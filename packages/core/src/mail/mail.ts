import { type ProviderType, type Repositories, ServiceError } from "@sallyport/storage";

export const mailLanguages = ["en", "de"] as const;

export type MailLanguage = (typeof mailLanguages)[number];

interface Addressed {
  readonly to: string;
  readonly name: string;
  readonly language: MailLanguage;
}

/**
 * A mail to send, with its data. A password reset has only the requested name, of a database or custom user. The user
 * is looked up at sending time, so that the request takes the same time for all names.
 */
export type MailJob =
  | { readonly kind: "passwordReset"; readonly user: string; readonly custom?: true; readonly language: MailLanguage }
  | (Addressed & { readonly kind: "passwordChanged" })
  | (Addressed & { readonly kind: "accountLinked"; readonly provider: ProviderType })
  | (Addressed & { readonly kind: "confirmationCode"; readonly code: string; readonly minutes: number });

export type MailMessage =
  | Exclude<MailJob, { readonly kind: "passwordReset" }>
  | (PreparedReset & { readonly kind: "passwordReset"; readonly language: MailLanguage });

export interface Mail {
  /** One address in the form of `mailAddress`. */
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Letters and digits, the same for every attempt, to detect duplicates. */
  readonly reference: string;
}

/** Limits of RFC 5321 for the local part and the whole address, in characters. */
const [maxLocalPartLength, maxAddressLength] = [64, 254];

/** Letters, digits and marks of any script, and the special characters of RFC 5322. */
const localPart = /^[\p{L}\p{N}\p{M}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{N}\p{M}!#$%&'*+/=?^_`{|}~-]+)*$/u;

const label = "[\\p{L}\\p{N}](?:[\\p{L}\\p{N}\\p{M}-]{0,61}[\\p{L}\\p{N}\\p{M}])?";
/** Some letters and marks are invisible: fillers, joiners and variation selectors. */
const unseen = /\p{Default_Ignorable_Code_Point}/u;

const domain = new RegExp(`^${label}(?:\\.${label})*$`, "u");

/** Returns a bare address in NFC. `null` for names, comments, quotes, lists and invisible characters. */
export function mailAddress(text: string): string | null {
  const address = text.normalize("NFC");
  const at = address.lastIndexOf("@");
  const [local, host] = [address.slice(0, Math.max(at, 0)), address.slice(at + 1)];
  const fits = address.length <= maxAddressLength && local.length <= maxLocalPartLength;
  return fits && !unseen.test(address) && localPart.test(local) && domain.test(host) ? address : null;
}

/** Returns the address in NFC. Throws 307 for an invalid address. */
export function acceptMailAddress(text: string): string {
  const address = mailAddress(text);
  if (address !== null) return address;
  const detail = `"${text}" is not an e-mail address. An address without a display name, such as ada@example.com, is expected.`;
  throw new ServiceError(307, { detail });
}

/** Outcome of a delivery attempt. `reply` is the reply code, such as `550 5.1.1`, without text, which may quote the mail. */
export type MailOutcome =
  | { readonly kind: "sent" }
  /** Permanent failure: an unknown address or rejected contents. */
  | { readonly kind: "rejected"; readonly reply: string }
  /** Temporary failure: a full mailbox or greylisting. Other mail may still be accepted. */
  | { readonly kind: "deferred"; readonly reply: string };

/** Port: the mail transport. */
export interface Mailer {
  /**
   * Sends a mail. Throws `MailerUnusable` if no mail can be sent: the relay is unreachable, has the wrong identity or
   * refuses this server. The relay may have accepted a mail before the connection dropped. A retry then sends it twice.
   */
  send(mail: Mail): Promise<MailOutcome>;

  /** Waits for pending mail. Nothing can be sent afterwards. */
  close(): Promise<void>;
}

/** Why the transport cannot send any mail. */
export type MailerErrorCode = "unreachable" | "timeout" | "tls" | "authentication" | "sender" | "folder" | "answer";

/** The mail transport cannot be used. The message is for administrators and contains no secret. */
export class MailerUnusable extends Error {
  override readonly name = "MailerUnusable";

  constructor(
    readonly errorCode: MailerErrorCode,
    message: string,
    cause?: unknown,
  ) {
    super(message, cause === undefined ? undefined : { cause });
  }
}

/** Port: the texts of mail. */
export interface MessageWriter {
  /** Writes the text of a mail from the database with this alias. */
  write(message: MailMessage, alias: string): Pick<Mail, "subject" | "text" | "html">;
}

/** The recipient of a password reset, and the issued token. */
export interface PreparedReset {
  /** One address in the form of `mailAddress`. */
  readonly to: string;
  readonly name: string;
  readonly token: string;
  readonly minutes: number;
}

export type ResetMailJob = Pick<Extract<MailJob, { readonly kind: "passwordReset" }>, "user" | "custom">;

/** Prepares password resets at sending time. */
export interface ResetMail {
  /**
   * Finds the account and issues the token. `null` if no mail is sent: unknown or disabled user, no address, or a
   * recent mail. Runs in the transaction of `r` and awaits nothing else, so that token and job change together.
   */
  prepare(r: Repositories, job: ResetMailJob): Promise<PreparedReset | null>;
}
