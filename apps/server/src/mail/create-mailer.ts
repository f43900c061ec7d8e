import { readFileSync } from "node:fs";
import type { Mailer } from "@sallyport/core";
import type { Configuration } from "../configuration/index.ts";

/** The configured mail transport; `null` if none is configured. */
export async function createMailer({
  mail,
  applicationName,
}: Pick<Configuration, "mail" | "applicationName">): Promise<Mailer | null> {
  const { smtp, directory, from, fromName } = mail;
  const sender = { address: from ?? "sallyport@localhost", name: fromName ?? applicationName };
  const { host, port, security, user, password, caFile, timeout } = smtp;
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
      timeout,
    },
    sender,
  );
}
