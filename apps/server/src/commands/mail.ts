import { randomBytes } from "node:crypto";
import { type Mail, mailAddress, type Mailer, MailerUnusable } from "@sallyport/core";
import type { Configuration } from "../configuration/index.ts";
import { createMailer, mailAdvice } from "../mail/create-mailer.ts";
import { CommandError } from "../command-line/command-error.ts";
import { defineMoved } from "./moved-commands.ts";
import type { AliasOptions, ServerCommand } from "../command-line/server-command.ts";
import { loadWithDemoNote } from "../command-line/with-database.ts";

/** `mail test`. */
export function defineMail(group: ServerCommand): void {
  group
    .command("test")
    .description("send a test message and diagnose failures")
    .argument("<address>", "recipient")
    .withConfiguration()
    .addHelpText(
      "after",
      "\nThe command needs no running server and no database. It exits with 1 if the message was not accepted.",
    )
    .action((address: string, { config }: AliasOptions) => testMail(address, loadWithDemoNote(config)));
  defineMoved(group, ["queue"]);
}

/** Sends a message directly, without the outbox, and reports the result. */
async function testMail(address: string, configuration: Configuration): Promise<void> {
  const to = mailAddress(address);
  if (to === null)
    throw new CommandError("The address must be an e-mail address without a display name, such as user@example.com.");
  const mailer = await createMailer(configuration);
  if (mailer === null)
    throw new CommandError("Mail is not configured. Set mail.smtp.host and mail.from, or mail.directory for tests.");
  try {
    await hand(mailer, testMessage(to, configuration), configuration);
  } finally {
    await mailer.close();
  }
}

async function hand(mailer: Mailer, mail: Mail, configuration: Configuration): Promise<void> {
  const place = placeOf(configuration);
  let outcome;
  try {
    outcome = await mailer.send(mail);
  } catch (error) {
    if (!(error instanceof MailerUnusable)) throw error;
    throw new CommandError(`${place}: ${error.message} ${mailAdvice.get(error.errorCode) ?? ""}`, { cause: error });
  }
  const { kind } = outcome;
  if (kind === "rejected")
    throw new CommandError(
      `${place} rejected the message (${outcome.reply}). The connection works; check the recipient.`,
    );
  if (kind === "deferred")
    throw new CommandError(
      `${place} deferred the message (${outcome.reply}). The connection works. A server would retry; this command does not.`,
    );
  console.log(
    configuration.mail.directory === undefined
      ? `${place} accepted the message. Check the mailbox and its spam folder.`
      : `The message was written to ${configuration.mail.directory}.`,
  );
}

function placeOf({ mail: { smtp, directory } }: Configuration): string {
  return directory === undefined
    ? `The SMTP server ${smtp.host}:${smtp.port} (${smtp.security})`
    : `The directory ${directory}`;
}

function testMessage(to: string, { applicationName, mail: { language } }: Configuration): Mail {
  const [subject, words] =
    language === "de"
      ? [`Test-E-Mail von ${applicationName}`, "Diese Nachricht bestätigt, dass der Server E-Mails versenden kann."]
      : [`Test mail from ${applicationName}`, "This message confirms that the server can send mail."];
  const html = `<!doctype html>\n<html lang="${language}"><head><meta charset="utf-8"><title>Mail</title></head><body><p>${words}</p></body></html>\n`;
  return { to, subject, text: `${words}\n`, html, reference: randomBytes(16).toString("hex") };
}
