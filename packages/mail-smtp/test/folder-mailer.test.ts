import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Mail, MailerUnusable } from "@sallyport/core";
import { FolderMailer } from "@sallyport/mail-smtp";
import { receivedMail } from "@sallyport/test-kit/mail/received-mail";

/** Mail in a folder. */
describe("folder mailer", () => {
  const mail: Mail = {
    to: "someone@example.com",
    subject: "Grüße",
    text: "Text\n",
    html: "<p>Text</p>\n",
    reference: "0123456789abcdef",
  };
  const sender = { address: "sallyport@localhost", name: "Sallyport" };

  let scratch: string;

  beforeEach(async () => {
    scratch = await mkdtemp(join(tmpdir(), "sallyport-mail-"));
  });

  afterEach(() => rm(scratch, { recursive: true, force: true }));

  test("each message becomes a file that only its owner can read, in a folder created on demand", async () => {
    const folder = join(scratch, "new", "mail");
    const mailer = new FolderMailer(folder, sender);
    expect(await Promise.all([mailer.send(mail), mailer.send(mail), mailer.send(mail)])).toEqual([
      { kind: "sent" },
      { kind: "sent" },
      { kind: "sent" },
    ]);
    const names = await readdir(folder);
    expect(names).toHaveLength(3);
    for (const name of names) {
      expect(name).toMatch(/^\d{4}-.*\.eml$/);
      expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
      const { headers, bodies } = receivedMail(await readFile(join(folder, name), "utf8"));
      expect([headers.get("to"), headers.get("subject"), bodies.get("text/plain")?.trim()]).toEqual([
        ["someone@example.com"],
        ["Grüße"],
        "Text",
      ]);
    }
  });

  test("an invalid address creates no file", async () => {
    const mailer = new FolderMailer(scratch, sender);
    expect(await mailer.send({ ...mail, to: "../../etc/passwd" })).toEqual({ kind: "rejected", reply: "address" });
    expect(await readdir(scratch)).toEqual([]);
  });

  test("a folder without write access keeps all messages queued", async () => {
    await writeFile(join(scratch, "file"), "");
    const error: unknown = await new FolderMailer(join(scratch, "file"), sender)
      .send(mail)
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(MailerUnusable);
    expect((error as MailerUnusable).errorCode).toBe("folder");
  });
});
