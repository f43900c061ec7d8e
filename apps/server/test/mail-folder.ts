import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, watch } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { receivedMail, type ReceivedMail } from "@sallyport/test-kit/mail/received-mail";

/** A folder that servers write mail into, read as a mailbox. It is removed with the process. */
export class MailFolder {
  readonly path: string;
  private readonly taken = new Set<string>();

  constructor() {
    this.path = join(mkdtempSync(join(tmpdir(), "sallyport-mail-")), "mail");
    mkdirSync(this.path);
    process.once("exit", () => rmSync(this.path, { recursive: true, force: true }));
  }

  /** The next unread mail to an address, as soon as it exists. */
  async next(address: string): Promise<ReceivedMail> {
    const watcher = watch(this.path);
    try {
      for (;;) {
        const changed = new Promise((resolve) => {
          watcher.once("change", resolve);
        });
        const found = this.take(address);
        if (found !== null) return found;
        await changed;
      }
    } finally {
      watcher.close();
    }
  }

  private take(address: string): ReceivedMail | null {
    for (const name of readdirSync(this.path).toSorted()) {
      if (this.taken.has(name) || !/^[^.].*\.eml$/.test(name)) continue;
      const mail = receivedMail(readFileSync(join(this.path, name), "utf8"));
      if (mail.headers.get("to")?.[0]?.includes(address) !== true) continue;
      this.taken.add(name);
      return mail;
    }
    return null;
  }
}
