import { randomBytes } from "node:crypto";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Mail, type Mailer, MailerUnusable, type MailOutcome } from "@sallyport/core";
import { createTransport } from "nodemailer";
import { mailMessage, type Sender } from "./mail-message.ts";

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
