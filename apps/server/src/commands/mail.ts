import { randomBytes } from "node:crypto";
import { type Mail, mailAddress, type Mailer, type MailerTrouble, MailerUnusable, waitingMail } from "@sallyport/core";
import { durationText } from "../configuration/field-kinds.ts";
import type { Configuration } from "../configuration/index.ts";
import { createMailer } from "../mail/create-mailer.ts";
import { type JsonOptions, printJson } from "./list-command.ts";
import { CommandError } from "./command-error.ts";
import type { AliasOptions, ServerCommand } from "./server-command.ts";
import { loadNoting } from "./with-database.ts";

/** `mail test|waiting`. */
export function defineMail(group: ServerCommand): void {
  group
    .command("test")
    .description("send a mail as configured, and say what is wrong if it cannot be sent")
    .argument("<address>", "to whom")
    .withConfiguration()
    .addHelpText(
      "after",
      "\nNo server needs to run, and no database is touched. Exit code 1 if the mail was not taken.",
    )
    .action((address: string, { config }: AliasOptions) => testMail(address, loadNoting(config)));
  group
    .command("waiting")
    .description("show how much mail of a database waits, for how long, and whether anything can be sent at all")
    .option("--json", "print JSON, for scripts")
    .onDatabase((options: JsonOptions) => async ({ database: { storage } }) => {
      const { count, oldest, stuck } = await waitingMail(storage.repositories);
      if (options.json) {
        const [oldestSeconds, stuckSeconds] = [oldest, stuck].map((milliseconds) => Math.floor(milliseconds / 1_000));
        printJson({ count, oldestSeconds, stuckSeconds });
        return;
      }
      console.log(
        count === 0
          ? "No mail waits."
          : `${count === 1 ? "One mail waits" : `${count} mails wait`}, the longest for ${inWords(oldest)}.`,
      );
      if (stuck > 0)
        console.log(`No mail could be sent for ${inWords(stuck)}; the log of the server and "mail test" tell why.`);
    });
}

/** What to look at, by what is wrong. */
const advice: ReadonlyMap<MailerTrouble, string> = new Map([
  [
    "away",
    "Is mail.smtp.host right, does the relay listen on mail.smtp.port, and does a firewall let this machine through?",
  ],
  [
    "timeout",
    "Usually a firewall drops what is sent to that port, or mail.smtp.security does not fit it: port 465 wants tls, 587 and 25 want startTls.",
  ],
  [
    "tls",
    "Does the relay offer what mail.smtp.security asks for, and does its certificate name mail.smtp.host? If an authority of your own vouches for it, name that in mail.smtp.caFile.",
  ],
  [
    "authentication",
    "Are mail.smtp.user and mail.smtp.password right? Some relays want a password made for applications, or let in by address only.",
  ],
  ["sender", "Relays take mail only from senders that they know: is mail.from one of them?"],
  ["answer", "Does a mail relay listen on that port, and does mail.smtp.security fit it?"],
  ["folder", "May this user write into mail.folder, and is there space left?"],
]);

/** Hands a mail over at once, beside the outbox, and says what becomes of it. */
async function testMail(address: string, configuration: Configuration): Promise<void> {
  const to = mailAddress(address);
  if (to === null) throw new CommandError("That is not one bare e-mail address, such as somebody@example.com.");
  const mailer = await createMailer(configuration);
  if (mailer === null)
    throw new CommandError("Mail is not configured: set mail.smtp.host and mail.from, or mail.folder for trying out.");
  try {
    await hand(mailer, testLetter(to, configuration), configuration);
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
    throw new CommandError(`${place}: ${error.message} ${advice.get(error.trouble) ?? ""}`, { cause: error });
  }
  const { kind } = outcome;
  if (kind === "refused")
    throw new CommandError(
      `${place} refuses this mail for good, with ${outcome.reply}: it does not know the address, or may not send there. Everything before that worked.`,
    );
  if (kind === "later")
    throw new CommandError(
      `${place} wants to see this mail again later, with ${outcome.reply}; the server tries again by itself. Everything before that worked.`,
    );
  console.log(
    configuration.mail.folder === undefined
      ? `${place} has taken the mail. Whether it arrives, its mailbox tells; look among the unwanted ones, too.`
      : `The mail lies in ${configuration.mail.folder}.`,
  );
}

function placeOf({ mail: { smtp, folder } }: Configuration): string {
  return folder === undefined ? `The relay ${smtp.host}:${smtp.port} (${smtp.security})` : `The folder ${folder}`;
}

function testLetter(to: string, { applicationName, mail: { language } }: Configuration): Mail {
  const [subject, words] =
    language === "de"
      ? [
          `Probe-Mail von ${applicationName}`,
          "Diese Nachricht zeigt, dass Mail verschickt werden kann. Sonst bedeutet sie nichts.",
        ]
      : [`Test mail from ${applicationName}`, "This mail shows that mail can be sent. It means nothing else."];
  const html = `<!doctype html>\n<html lang="${language}"><head><meta charset="utf-8"><title>Mail</title></head><body><p>${words}</p></body></html>\n`;
  return { to, subject, text: `${words}\n`, html, reference: randomBytes(16).toString("hex") };
}

function inWords(milliseconds: number): string {
  return durationText(Math.max(1_000, Math.floor(milliseconds / 1_000) * 1_000));
}
