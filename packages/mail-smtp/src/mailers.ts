import { randomBytes } from "node:crypto";
import { access, constants, mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { domainToASCII } from "node:url";
import {
  type Mail,
  mailAddress,
  type Mailer,
  type MailerErrorCode,
  MailerUnusable,
  type MailOutcome,
} from "@sallyport/core";
import { createTransport, type SendMailOptions, type Transporter } from "nodemailer";

/** The sender of all mail. */
export interface Sender {
  /** One address, in the format of core's `mailAddress`. */
  readonly address: string;
  readonly name: string;
}

/** The message for nodemailer, `null` for an invalid recipient. All parts are structured, so nothing is parsed. */
function mailMessage({ to, subject, text, html, reference }: Mail, sender: Sender): SendMailOptions | null {
  const address = mailAddress(to);
  const recipient = address === null ? null : withAsciiDomain(address);
  const from = withAsciiDomain(sender.address);
  if (recipient === null || from === null) return null;
  return {
    envelope: { from, to: [recipient] },
    from: { name: headerText(sender.name), address: from },
    to: { name: "", address: recipient },
    subject: headerText(subject),
    text,
    html,
    messageId: `<${reference}@${from.slice(from.lastIndexOf("@") + 1)}>`,
    // Suppresses automatic replies such as out-of-office messages (RFC 3834).
    headers: { "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All" },
    textEncoding: "quoted-printable",
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

/** The address with its domain in Punycode, `null` for an invalid domain. */
function withAsciiDomain(address: string): string | null {
  const at = address.lastIndexOf("@");
  const host = domainToASCII(address.slice(at + 1));
  return host === "" ? null : `${address.slice(0, at)}@${host}`;
}

/** Characters that allow header injection or spoofing: controls, line separators, directional formatting. */
const unprintable = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu;

const maxReplyLength = 200;

/** A text for a header: one line of limited length. */
function headerText(text: string): string {
  const line = text.replaceAll(unprintable, " ").replaceAll(/ {2,}/g, " ").trim();
  const characters = [...line];
  return characters.length <= maxReplyLength ? line : `${characters.slice(0, maxReplyLength - 1).join("")}…`;
}

/** Connection to the SMTP relay. */
export interface SmtpOptions {
  readonly host: string;
  readonly port: number;
  /** `tls`: implicit TLS. `startTls`: STARTTLS is required. `none`: unencrypted. */
  readonly security: "tls" | "startTls" | "none";
  /** `null`: no authentication. */
  readonly credentials: { readonly user: string; readonly password: string } | null;
  /** PEM of the trusted certificate authorities. Default: Node's list. */
  readonly authorities?: string;
  /** Milliseconds for the connection, the greeting, or any reply. */
  readonly timeout: number;
}

/** Maximum parallel connections, and mails per connection. */
const [connections, mailsPerConnection] = [3, 100];

/** Maximum number of replies per mail. It limits the total time with a slow relay. */
const answersPerMail = 6;

/** Sends mail to an SMTP relay over pooled connections. The certificate is always verified. */
export class SmtpMailer implements Mailer {
  private readonly transport: Transporter;
  private readonly atWork = new Set<Promise<unknown>>();
  private readonly deadline: number;
  private closed = false;

  constructor(
    { host, port, security, credentials, authorities, timeout }: SmtpOptions,
    private readonly sender: Sender,
  ) {
    this.deadline = answersPerMail * timeout;
    this.transport = createTransport({
      pool: true,
      host,
      port,
      secure: security === "tls",
      requireTLS: security === "startTls",
      ignoreTLS: security === "none",
      ...(credentials === null ? {} : { auth: { user: credentials.user, pass: credentials.password } }),
      tls: { minVersion: "TLSv1.2", ...(authorities === undefined ? {} : { ca: authorities }) },
      connectionTimeout: timeout,
      greetingTimeout: timeout,
      socketTimeout: timeout,
      dnsTimeout: timeout,
      maxConnections: connections,
      maxMessages: mailsPerConnection,
      // An interrupted mail may have been accepted. The outbox decides about retries.
      maxRequeues: 0,
    });
  }

  async send(mail: Mail): Promise<MailOutcome> {
    if (this.closed) throw new MailerUnusable("unreachable", "The mail transport is closed.");
    const message = mailMessage(mail, this.sender);
    if (message === null) return { kind: "rejected", reply: "address" };
    const sending = withinDeadline(this.transport.sendMail(message), this.deadline);
    this.atWork.add(sending);
    try {
      await sending;
      return { kind: "sent" };
    } catch (error) {
      if (error instanceof MailerUnusable) throw error;
      return outcomeOf(error);
    } finally {
      this.atWork.delete(sending);
    }
  }

  /** Connects and authenticates without sending anything. Throws `MailerUnusable` as `send` does. */
  async verify(): Promise<void> {
    try {
      await withinDeadline(this.transport.verify(), this.deadline);
    } catch (error) {
      if (error instanceof MailerUnusable) throw error;
      const failure: Failure = typeof error === "object" && error !== null ? error : {};
      throw unusable(failure, errorCodeOf(failure.code, failure));
    }
  }

  async close(): Promise<void> {
    this.closed = true;
    await Promise.allSettled(this.atWork);
    this.transport.close();
  }
}

async function withinDeadline(sending: Promise<unknown>, milliseconds: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new MailerUnusable("timeout", "The SMTP server did not finish in time.")),
      milliseconds,
    );
  });
  try {
    await Promise.race([sending, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The members of a nodemailer error. */
interface Failure {
  readonly code?: unknown;
  readonly originalCode?: unknown;
  readonly command?: unknown;
  readonly response?: unknown;
  readonly responseCode?: unknown;
}

/** Replies about the connection or the authentication, to any command. */
const connectionReplies: ReadonlySet<number> = new Set([421, 454, 530, 534, 535, 538]);

const errorCodes: ReadonlyMap<unknown, MailerErrorCode> = new Map<unknown, MailerErrorCode>([
  ["ETLS", "tls"],
  ["EAUTH", "authentication"],
  ["ENOAUTH", "authentication"],
  ["ETIMEDOUT", "timeout"],
  ["EPROTOCOL", "answer"],
]);

const words: ReadonlyMap<MailerErrorCode, string> = new Map([
  ["unreachable", "The SMTP server cannot be reached or closed the connection"],
  ["timeout", "The SMTP server did not respond in time"],
  ["tls", "The TLS connection to the SMTP server failed, or its certificate is not valid for the host"],
  ["authentication", "The SMTP server refused the authentication"],
  ["sender", "The SMTP server does not accept the sender"],
  ["answer", "The response of the SMTP server is not valid SMTP, or is incomplete"],
]);

/** The outcome of this mail. Throws a `MailerUnusable` if the failure affects all mail. */
function outcomeOf(error: unknown): MailOutcome {
  const failure: Failure = typeof error === "object" && error !== null ? error : {};
  const { code, command, responseCode } = failure;
  const generalReplies = typeof responseCode !== "number" || connectionReplies.has(responseCode);
  if (!generalReplies && command === "MAIL FROM") throw unusable(failure, "sender");
  if (generalReplies || (command !== "RCPT TO" && command !== "DATA"))
    throw unusable(failure, errorCodeOf(code, failure));
  return { kind: responseCode >= 500 ? "rejected" : "deferred", reply: replyOf(failure) };
}

function errorCodeOf(code: unknown, { originalCode, responseCode }: Failure): MailerErrorCode {
  if (responseCode === 421) return "unreachable";
  if (originalCode === "ETIMEDOUT") return "timeout";
  // nodemailer reports a failed TLS handshake on an implicit TLS port as a socket error.
  if (
    typeof originalCode === "string" &&
    /^(?:ERR_(?:TLS|SSL)|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/.test(originalCode)
  )
    return "tls";
  if (typeof responseCode === "number" && responseCode >= 530 && connectionReplies.has(responseCode))
    return "authentication";
  return errorCodes.get(code) ?? "unreachable";
}

function unusable(failure: Failure, errorCode: MailerErrorCode): MailerUnusable {
  const reason = [failure.originalCode ?? failure.code, replyOf(failure)]
    .filter((part) => typeof part === "string" && part !== "")
    .join(", ");
  return new MailerUnusable(errorCode, `${words.get(errorCode) ?? ""}${reason === "" ? "" : ` (${reason})`}.`);
}

/** The reply code and enhanced status code. The text is omitted: it can contain addresses and anything else. */
function replyOf({ response, responseCode }: Failure): string {
  const match = typeof response === "string" ? /^(\d{3})[ -](?:(\d\.\d{1,3}\.\d{1,3})(?: |$))?/.exec(response) : null;
  if (match !== null)
    return match
      .slice(1)
      .filter((part) => part !== undefined)
      .join(" ");
  return typeof responseCode === "number" ? String(responseCode) : "";
}

/** Writes each mail to an `.eml` file in a folder, for development. Folder access means access to the mail. */
export class FolderMailer implements Mailer {
  private readonly transport = createTransport({ streamTransport: true, buffer: true, newline: "windows" });

  constructor(
    /** Created on demand. */
    private readonly folder: string,
    private readonly sender: Sender,
  ) {}

  async send(mail: Mail): Promise<MailOutcome> {
    const message = mailMessage(mail, this.sender);
    if (message === null) return { kind: "rejected", reply: "address" };
    const { message: bytes } = await this.transport.sendMail(message);
    const name = `${new Date().toISOString().replaceAll(":", "-")}-${randomBytes(4).toString("hex")}.eml`;
    const unfinished = join(this.folder, `.${name}`);
    try {
      await mkdir(this.folder, { recursive: true, mode: 0o700 });
      await writeFile(unfinished, bytes as Buffer, { mode: 0o600, flag: "wx" });
      await rename(unfinished, join(this.folder, name));
    } catch (error) {
      await rm(unfinished, { force: true }).catch(() => {});
      throw unwritable(error);
    }
    return { kind: "sent" };
  }

  /** Checks that messages can be written, without writing any. Throws `MailerUnusable` as `send` does. */
  async verify(): Promise<void> {
    try {
      await mkdir(this.folder, { recursive: true, mode: 0o700 });
      await access(this.folder, constants.W_OK | constants.X_OK);
    } catch (error) {
      throw unwritable(error);
    }
  }

  async close(): Promise<void> {}
}

function unwritable(error: unknown): MailerUnusable {
  const code = String((error as NodeJS.ErrnoException).code);
  return new MailerUnusable("folder", `The message cannot be written to the mail directory (${code}).`, error);
}
