import { readFileSync } from "node:fs";
import type { Mailer } from "@sallyport/core";
import { FolderMailer, SmtpMailer } from "@sallyport/mail-smtp";
import type { Configuration } from "../configuration/index.ts";

/** The transport of mail as configured; `null` if none is. */
export function createMailer({
  mail,
  applicationName,
}: Pick<Configuration, "mail" | "applicationName">): Mailer | null {
  const { smtp, folder, from, fromName } = mail;
  const sender = { address: from ?? "sallyport@localhost", name: fromName ?? applicationName };
  if (folder !== undefined) return new FolderMailer(folder, sender);
  const { host, port, security, user, password, caFile, timeout } = smtp;
  if (host === undefined || port === undefined || security === undefined) return null;
  return new SmtpMailer(
    {
      host,
      port,
      security,
      credentials: user === undefined || password === undefined ? null : { user, password },
      ...(caFile === undefined ? {} : { authorities: readFileSync(caFile, "utf8") }),
      timeout,
    },
    sender,
  );
}
