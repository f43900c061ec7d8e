import { ServiceError } from "../errors/index.ts";
import type { RequestContext } from "../request/index.ts";
import type { Account } from "../storage/index.ts";
import { mailAddress, type MailJob } from "./mail.ts";
import { ChangeNotice } from "./queue-mail.ts";

const context = { database: { alias: "second" }, r: {} } as RequestContext;
const account = { loginName: "Ada", email: "ada@mail.example" } as Account;
const changed = { kind: "passwordChanged" } as const;

/** Accepts mail jobs, or refuses them. */
function mailContext(configured: boolean, refusal?: ServiceError) {
  const jobs: [string, MailJob][] = [];
  const queueMail = async ({ alias }: { readonly alias: string }, job: MailJob) => {
    jobs.push([alias, job]);
    if (refusal !== undefined) throw refusal;
  };
  return { jobs, notice: new ChangeNotice({ configured, queueMail }, "de") };
}

test("a notice uses the requested language, else the configured one", async () => {
  const { jobs, notice } = mailContext(true);
  await notice.send(context, account, changed, "en");
  await notice.send(context, account, changed, null);
  expect(jobs).toEqual(
    ["en", "de"].map((language) => [
      "second",
      { kind: "passwordChanged", to: "ada@mail.example", name: "Ada", language },
    ]),
  );
});

test("a notice is omitted without an address or without mail", async () => {
  const [without, off] = [mailContext(true), mailContext(false)];
  await without.notice.send(context, { ...account, email: null }, changed, null);
  await off.notice.send(context, account, changed, null);
  expect([without.jobs, off.jobs]).toEqual([[], []]);
});

test.each([706, 712, 704] as const)("a notice ignores a refused mail job: %i", async (code) => {
  const { jobs, notice } = mailContext(true, new ServiceError(code));
  await notice.send(context, account, changed, null);
  expect(jobs).toHaveLength(1);
});

test.each([
  "a@b.example",
  "first.last+tag@sub.example.com",
  "o'brien@example.com",
  "müller@bücher.example",
  "用户@例え.テスト",
  "a@localhost",
  "1@2.example",
  "a@xn--bcher-kva.example",
])("mail address %s is accepted", (text) => {
  expect(mailAddress(text)).toBe(text);
});

test("a mail address is stored in composed form", () => {
  expect(mailAddress("mu\u0308ller@example.com")).toBe("m\u00fcller@example.com");
});

// The transport must refuse these, too: no one may be asked to accept them.
test.each([
  "",
  "a",
  "@b",
  "a@",
  "a b@c",
  " a@b.example",
  "a@b.example ",
  "a@b.example,c@d.example",
  "A <a@b.example>",
  "a@b@c",
  "a@b_c.example",
  "a@b.example.",
  "a@b\n",
  "a\r\n@b",
  "a\u2028@b",
  "a\u200d@b",
  "a\u034f@b",
  "a\ufe0f@b",
  "a\u3164@b",
  "\u115fa@b",
  "a@b\uffa0",
  "a@b\u180b.example",
  "\ud800@b.example",
  `${"ä".repeat(65)}@b.example`,
])("mail address %j is refused", (text) => {
  expect(mailAddress(text)).toBeNull();
});
