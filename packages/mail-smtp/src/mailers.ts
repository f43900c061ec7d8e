import { randomBytes } from "node:crypto";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
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

/** Who writes. */
export interface Sender {
  /** One address, as `mailAddress` of core takes it. */
  readonly address: string;
  readonly name: string;
}

/** The mail as nodemailer takes it; `null` when it is not addressed to one address. Every part is a value here, none is parsed. */
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
    // Nobody answers, and no absence is to be told to nobody.
    headers: { "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All" },
    textEncoding: "quoted-printable",
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

/** The address with its domain as the name service spells it; `null` if that has no such name. */
function withAsciiDomain(address: string): string | null {
  const at = address.lastIndexOf("@");
  const host = domainToASCII(address.slice(at + 1));
  return host === "" ? null : `${address.slice(0, at)}@${host}`;
}

/** What would end a header or hide in one: controls, line separators, and signs that turn the direction of what follows. */
const unprintable = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu;

const longest = 200;

/** A text as it can stand in a header: in one line, not too long. */
function headerText(text: string): string {
  const line = text.replaceAll(unprintable, " ").replaceAll(/ {2,}/g, " ").trim();
  const characters = [...line];
  return characters.length <= longest ? line : `${characters.slice(0, longest - 1).join("")}…`;
}

/** How the relay is reached and what is asked of it. */
export interface SmtpOptions {
  readonly host: string;
  readonly port: number;
  /** `tls`: encrypted from the first byte. `startTls`: encrypted before anything is said, or not at all. `none`: readable on the way. */
  readonly security: "tls" | "startTls" | "none";
  /** `null`: the relay lets this server in as it is. */
  readonly credentials: { readonly user: string; readonly password: string } | null;
  /** PEM of the authorities that may vouch for the relay; those that Node knows unless given. */
  readonly authorities?: string;
  /** Milliseconds that the relay may take for a connection, its greeting, or any answer. */
  readonly timeout: number;
}

/** Connections to the relay at once, and mails on one of them. */
const [connections, mailsPerConnection] = [3, 100];

/** One mail takes this many answers at most; a relay that gives each of them in the last moment is given up then. */
const answersPerMail = 6;

/** Hands mail to a relay by SMTP, over connections that are kept for a while. Its certificate is always checked. */
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
      // What was broken off may have been taken; the outbox decides when it is tried again.
      maxRequeues: 0,
    });
  }

  async send(mail: Mail): Promise<MailOutcome> {
    if (this.closed) throw new MailerUnusable("away", "The transport is closed.");
    const message = mailMessage(mail, this.sender);
    if (message === null) return { kind: "refused", reply: "address" };
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

  async close(): Promise<void> {
    this.closed = true;
    await Promise.allSettled(this.atWork);
    this.transport.close();
  }
}

async function withinDeadline(sending: Promise<unknown>, milliseconds: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new MailerUnusable("timeout", "The relay took too long.")), milliseconds);
  });
  try {
    await Promise.race([sending, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** What nodemailer says of a failure. */
interface Failure {
  readonly code?: unknown;
  readonly originalCode?: unknown;
  readonly command?: unknown;
  readonly response?: unknown;
  readonly responseCode?: unknown;
}

/** Replies that are about the connection or about who is connected, whatever they answer: shutting down, and wanting a log-in. */
const aboutTheConnection: ReadonlySet<number> = new Set([421, 454, 530, 534, 535, 538]);

const errorCodes: ReadonlyMap<unknown, MailerErrorCode> = new Map<unknown, MailerErrorCode>([
  ["ETLS", "tls"],
  ["EAUTH", "authentication"],
  ["ENOAUTH", "authentication"],
  ["ETIMEDOUT", "timeout"],
  ["EPROTOCOL", "answer"],
]);

const words: ReadonlyMap<MailerErrorCode, string> = new Map([
  ["away", "The relay cannot be reached, or broke off."],
  ["timeout", "The relay did not answer in time."],
  ["tls", "The connection could not be encrypted, or the relay is not the one that its certificate names."],
  ["authentication", "The relay does not let this server in."],
  ["sender", "The relay does not take mail from this sender."],
  ["answer", "The relay does not speak SMTP, or broke off in the middle of a mail."],
]);

/** What a failed attempt means: the outcome of this mail, or that no mail can be handed over, which is thrown. */
function outcomeOf(error: unknown): MailOutcome {
  const failure: Failure = typeof error === "object" && error !== null ? error : {};
  const { code, command, responseCode } = failure;
  const aboutAll = typeof responseCode !== "number" || aboutTheConnection.has(responseCode);
  if (!aboutAll && command === "MAIL FROM") throw unusable(failure, "sender");
  if (aboutAll || (command !== "RCPT TO" && command !== "DATA")) throw unusable(failure, errorCodeOf(code, failure));
  return { kind: responseCode >= 500 ? "refused" : "later", reply: replyOf(failure) };
}

function errorCodeOf(code: unknown, { originalCode, responseCode }: Failure): MailerErrorCode {
  if (responseCode === 421) return "away";
  if (originalCode === "ETIMEDOUT") return "timeout";
  // A handshake that fails on an encrypted port is an error of the socket to nodemailer.
  if (
    typeof originalCode === "string" &&
    /^(?:ERR_(?:TLS|SSL)|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/.test(originalCode)
  )
    return "tls";
  if (typeof responseCode === "number" && responseCode >= 530 && aboutTheConnection.has(responseCode))
    return "authentication";
  return errorCodes.get(code) ?? "away";
}

function unusable(failure: Failure, errorCode: MailerErrorCode): MailerUnusable {
  const reason = [failure.originalCode ?? failure.code, replyOf(failure)]
    .filter((part) => typeof part === "string" && part !== "")
    .join(", ");
  return new MailerUnusable(errorCode, `${words.get(errorCode) ?? ""}${reason === "" ? "" : ` (${reason})`}`);
}

/** The code of a reply and its extension, without its text: that repeats addresses, and relays write there what they like. */
function replyOf({ response, responseCode }: Failure): string {
  const known = typeof response === "string" ? /^(\d{3})[ -](?:(\d\.\d{1,3}\.\d{1,3})(?: |$))?/.exec(response) : null;
  if (known !== null)
    return known
      .slice(1)
      .filter((part) => part !== undefined)
      .join(" ");
  return typeof responseCode === "number" ? String(responseCode) : "";
}

/** Writes mail into a folder, one file each, which mail programs open: for trying out. Whoever can read the folder can read the mail. */
export class FolderMailer implements Mailer {
  private readonly transport = createTransport({ streamTransport: true, buffer: true, newline: "windows" });

  constructor(
    /** Is made when it is needed. */
    private readonly folder: string,
    private readonly sender: Sender,
  ) {}

  async send(mail: Mail): Promise<MailOutcome> {
    const message = mailMessage(mail, this.sender);
    if (message === null) return { kind: "refused", reply: "address" };
    const { message: bytes } = await this.transport.sendMail(message);
    const name = `${new Date().toISOString().replaceAll(":", "-")}-${randomBytes(4).toString("hex")}.eml`;
    const unfinished = join(this.folder, `.${name}`);
    try {
      await mkdir(this.folder, { recursive: true, mode: 0o700 });
      await writeFile(unfinished, bytes as Buffer, { mode: 0o600, flag: "wx" });
      await rename(unfinished, join(this.folder, name));
    } catch (error) {
      await rm(unfinished, { force: true }).catch(() => {});
      throw new MailerUnusable(
        "folder",
        `The mail could not be written into the folder (${String((error as NodeJS.ErrnoException).code)}).`,
        error,
      );
    }
    return { kind: "sent" };
  }

  async close(): Promise<void> {}
}
