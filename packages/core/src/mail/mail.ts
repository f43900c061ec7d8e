import { ServiceError } from "../errors/index.ts";
import type { ProviderType, Repositories } from "../storage/index.ts";

export const mailLanguages = ["en", "de"] as const;

export type MailLanguage = (typeof mailLanguages)[number];

interface Addressed {
  readonly to: string;
  readonly name: string;
  readonly language: MailLanguage;
}

/**
 * What is to be mailed, and what has to be known for it. A request for a new password names whoever was asked for, a database user or a custom
 * one: whether there is such a user, is found out when it is sent, so that asking takes the same for everybody.
 */
export type MailJob =
  | { readonly kind: "passwordReset"; readonly user: string; readonly custom?: true; readonly language: MailLanguage }
  | (Addressed & { readonly kind: "passwordChanged" })
  | (Addressed & { readonly kind: "accountLinked"; readonly provider: ProviderType })
  | (Addressed & { readonly kind: "confirmationCode"; readonly code: string; readonly minutes: number });

export type MailMessage =
  | Exclude<MailJob, { readonly kind: "passwordReset" }>
  | (PreparedReset & { readonly kind: "passwordReset"; readonly language: MailLanguage });

/** A mail as it is handed to the transport. */
export interface Mail {
  /** One address, as `mailAddress` takes it. */
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Letters and digits that are the same for every attempt to send it, so that what arrives twice can be told to be one. */
  readonly reference: string;
}

/** As of RFC 5321: local part and whole. */
const [longestLocalPart, longestAddress] = [64, 254];

/** Letters, digits and marks of any script besides the signs of RFC 5322. */
const localPart = /^[\p{L}\p{N}\p{M}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{N}\p{M}!#$%&'*+/=?^_`{|}~-]+)*$/u;

const label = "[\\p{L}\\p{N}](?:[\\p{L}\\p{N}\\p{M}-]{0,61}[\\p{L}\\p{N}\\p{M}])?";
/** Among letters and marks there are some that nothing is seen of: fillers, joiners, selectors of variants. */
const unseen = /\p{Default_Ignorable_Code_Point}/u;

const domain = new RegExp(`^${label}(?:\\.${label})*$`, "u");

/** One bare address in composed form: no name, comment, quotes or list, nothing invisible; else `null`. */
export function mailAddress(text: string): string | null {
  const address = text.normalize("NFC");
  const at = address.lastIndexOf("@");
  const [local, host] = [address.slice(0, Math.max(at, 0)), address.slice(at + 1)];
  const fits = address.length <= longestAddress && local.length <= longestLocalPart;
  return fits && !unseen.test(address) && localPart.test(local) && domain.test(host) ? address : null;
}

/** The address in its composed form; a text that is none: 307. */
export function acceptMailAddress(text: string): string {
  const address = mailAddress(text);
  if (address !== null) return address;
  const detail = `"${text}" is no e-mail address: one bare address such as ada@example.com is expected.`;
  throw new ServiceError(307, { detail });
}

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
export type MailerErrorCode = "away" | "timeout" | "tls" | "authentication" | "sender" | "folder" | "answer";

/** The transport of mail cannot be used now. The message is for administrators and holds no secret. */
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

/** Port: the wording of mail. */
export interface MessageWriter {
  /** What a letter from the database with this alias says. */
  write(message: MailMessage, alias: string): Pick<Mail, "subject" | "text" | "html">;
}

/** Whom a request for a new password leads to, with the token that it has been given. */
export interface PreparedReset {
  /** One address, as `mailAddress` takes it. */
  readonly to: string;
  readonly name: string;
  readonly token: string;
  readonly minutes: number;
}

export type ResetMailJob = Pick<Extract<MailJob, { readonly kind: "passwordReset" }>, "user" | "custom">;

/** What a request for a new password comes to, found out when it is about to be sent. */
export interface ResetMail {
  /**
   * Finds the account and issues the token; `null` if no mail is sent: no such user, no address, disabled, or written to a moment ago.
   * Is called within a transaction, of which `r` are the repositories, and awaits nothing else: token and order are changed together.
   */
  prepare(r: Repositories, job: ResetMailJob): Promise<PreparedReset | null>;
}
