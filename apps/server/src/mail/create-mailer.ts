import { readFileSync } from "node:fs";
import type { MailerErrorCode } from "@sallyport/core";
import type { FolderMailer, SmtpMailer } from "@sallyport/mail-smtp";
import type { Configuration } from "../configuration/index.ts";

/** Milliseconds for a connection to open, and for each reply. SMTP servers that check the sender take seconds. */
export const smtpTimeout = 10_000;

/** The configured mail transport; `null` if none is configured. */
export async function createMailer({
  mail,
  applicationName,
}: Pick<Configuration, "mail" | "applicationName">): Promise<SmtpMailer | FolderMailer | null> {
  const { smtp, directory, from, fromName } = mail;
  const sender = { address: from ?? "sallyport@localhost", name: fromName ?? applicationName };
  const { host, port, security, user, password, caFile } = smtp;
  if (directory !== undefined) {
    const { FolderMailer } = await import("@sallyport/mail-smtp");
    return new FolderMailer(directory, sender);
  }
  if (host === undefined || port === undefined || security === undefined) return null;
  const { SmtpMailer } = await import("@sallyport/mail-smtp");
  return new SmtpMailer(
    {
      host,
      port,
      security,
      credentials: user === undefined || password === undefined ? null : { user, password },
      ...(caFile === undefined ? {} : { authorities: readFileSync(caFile, "utf8") }),
      timeout: smtpTimeout,
    },
    sender,
  );
}

/** Advice for operators by error code. */
export const mailAdvice: ReadonlyMap<MailerErrorCode, string> = new Map([
  ["unreachable", "Check mail.smtp.host and mail.smtp.port, and that no firewall blocks the connection."],
  [
    "timeout",
    "Check that no firewall drops the connection, and that mail.smtp.security fits the port: 465 needs tls, 587 and 25 need startTls.",
  ],
  [
    "tls",
    "Check that the SMTP server supports mail.smtp.security, and that its certificate is for mail.smtp.host. Set mail.smtp.caFile for a private certificate authority.",
  ],
  [
    "authentication",
    "Check mail.smtp.user and mail.smtp.password. Some providers require an app password or an allowed IP address.",
  ],
  ["sender", "Check that the SMTP server accepts mail.from as a sender."],
  ["answer", "Check that an SMTP server listens on the port, and that mail.smtp.security fits it."],
  ["folder", "Check that this user can write to mail.directory, and that the disk is not full."],
]);
