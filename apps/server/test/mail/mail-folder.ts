import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, watch } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { receivedMail, type ReceivedMail } from "@sallyport/test-kit/mail/received-mail";
import { tuned } from "../test-environment.ts";

/** A folder that servers write mail into, read as a mailbox. It is removed with the process. */
export class MailFolder {
  readonly path: string;
  private readonly taken = new Set<string>();

  constructor() {
    this.path = join(mkdtempSync(join(tmpdir(), "sallyport-mail-")), "mail");
    mkdirSync(this.path);
    process.once("exit", () => rmSync(this.path, { recursive: true, force: true }));
  }

  /** The settings of a server that writes into it. */
  get environment(): Readonly<Record<string, string>> {
    return {
      MAIL_DIR: this.path,
      MASTER_KEY: Buffer.alloc(32, 5).toString("base64"),
      PASSWORD_RESET_LINK: "https://app.example/{alias}/new#{token}",
      ...tuned({ mail: { pollInterval: 100 } }),
    };
  }

  all(): ReceivedMail[] {
    return this.names().map((name) => this.read(name));
  }

  /** The first mail to an address. */
  to(address: string): Promise<ReceivedMail> {
    return new Promise((resolve) => {
      const watcher = watch(this.path);
      const look = () => {
        const found = this.all().find(({ headers }) => headers.get("to")?.[0] === address);
        if (found === undefined) return;
        watcher.close();
        resolve(found);
      };
      watcher.on("change", look);
      look();
    });
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
    for (const name of this.names()) {
      if (this.taken.has(name)) continue;
      const mail = this.read(name);
      if (mail.headers.get("to")?.[0]?.includes(address) !== true) continue;
      this.taken.add(name);
      return mail;
    }
    return null;
  }

  private names(): string[] {
    return readdirSync(this.path)
      .filter((name) => /^[^.].*\.eml$/.test(name))
      .toSorted();
  }

  private read(name: string): ReceivedMail {
    return receivedMail(readFileSync(join(this.path, name), "utf8"));
  }
}
