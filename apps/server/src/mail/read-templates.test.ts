import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Letter } from "@sallyport/core";
import { ownTemplates, readTemplates } from "./read-templates.ts";
import { TemplateLetterWriter } from "./template-letter-writer.ts";

const frame = { service: "Acme & Sons", resetLink: "https://app.example/{alias}/new?token={token}" };
const hostile = `<img src=x onerror="alert(1)">&'\r\nSubject: Evil\u2028\u202e`;
const reset: Letter = {
  kind: "passwordReset",
  to: "a@b.example",
  name: "Anna",
  token: "t0k-e_n",
  minutes: 30,
  language: "en",
};

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sallyport-templates-"));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const own = readTemplates(undefined);
const write = (
  letter: Letter,
  alias = "second",
  withFrame: { readonly service: string; readonly resetLink: string | null } = frame,
) => new TemplateLetterWriter(own.templates, withFrame).write(letter, alias);

test("the templates that come with the server are sound, each in every language", () => {
  expect([own.faults, [...own.templates.keys()].length]).toEqual([[], 8]);
});

test.each(["en", "de"] as const)("every kind of letter is whole in %s", (language) => {
  const letters: Letter[] = [
    { ...reset, language },
    { kind: "passwordChanged", to: "a@b.example", name: "Anna", language },
    { kind: "accountLinked", to: "a@b.example", name: "Anna", provider: "microsoft", language },
    { kind: "confirmationCode", to: "a@b.example", name: "Anna", code: "123456", minutes: 10, language },
  ];
  for (const letter of letters) {
    const { subject, text, html } = write(letter);
    for (const part of [subject, text, html]) expect(part).not.toMatch(/\{\{|\}\}|undefined|null/);
    expect([subject, text]).toEqual([expect.stringContaining("Acme & Sons"), expect.stringContaining("Anna")]);
    expect(html).toContain("Acme &amp; Sons");
    expect(html).toMatch(new RegExp(`<html lang="${language}">`));
    expect(html).not.toMatch(/\b(?:src|srcset)=|url\(|@import|<script/i);
  }
});

test("a link is made of the configured one alone, in both parts", () => {
  const { text, html } = write(reset);
  const link = "https://app.example/second/new?token=t0k-e_n";
  expect(text).toContain(`\n${link}\n`);
  expect(html).toContain(`href="${link}"`);
  expect(text.split("\n")).not.toContain("t0k-e_n");
});

test("without a configured link the token stands alone", () => {
  const { text, html } = write(reset, "", { ...frame, resetLink: null });
  expect(text).toContain("\nt0k-e_n\n");
  expect(html).toContain(">t0k-e_n<");
  expect(html).not.toContain("href");
});

test("what replaces a place is not looked at for places again", () => {
  const { text } = write({ ...reset, token: "{alias}$&" });
  expect(text).toContain("https://app.example/second/new?token=%7Balias%7D%24%26");
});

test("a hostile name is text, in one line", () => {
  const { subject, text, html } = write({ ...reset, name: hostile });
  expect(subject).toBe("A new password for Acme & Sons");
  expect(text.split("\n")[0]).toBe(`Hello <img src=x onerror="alert(1)">&' Subject: Evil,`);
  expect(html).toContain("Hello &lt;img src=x onerror=&quot;alert(1)&quot;&gt;&amp;&#39; Subject: Evil,");
  expect(html).not.toContain("<img");
  expect(write({ ...reset, name: "ä".repeat(500) }).text).toContain(`Hello ${"ä".repeat(99)}…,`);
});

test("a file of the deployment goes before the one of the same name, the others stay", () => {
  writeFileSync(join(folder, "password-changed.en.txt"), "Subject: Changed, {{name}}\r\n\r\nOurs.\n");
  const { templates, faults } = readTemplates(folder);
  expect(faults).toEqual([]);
  const letters = new TemplateLetterWriter(templates, frame);
  const letter: Letter = { kind: "passwordChanged", to: "a@b.example", name: "Anna", language: "en" };
  expect(letters.write(letter, "")).toEqual({ subject: "Changed, Anna", text: "Ours.\n", html: write(letter).html });
  expect(letters.write({ ...letter, language: "de" }, "").text).toBe(write({ ...letter, language: "de" }).text);
});

test("a copy of all that come with the server is sound", () => {
  cpSync(ownTemplates, folder, { recursive: true });
  expect(readTemplates(folder).faults).toEqual([]);
});

const html = readFileSync(join(ownTemplates, "password-changed.en.html"), "utf8");

test.each([
  ["password-changed.en.txt", "No subject\n", 'must begin with a line "Subject: …"'],
  ["password-changed.en.txt", "Subject: {{token}}\n\n", "token is none of service, name"],
  ["password-reset.en.txt", "Subject: Hello\n\n{{name}}\n", "does not show link and token"],
  ["confirmation-code.de.html", "<p>{{name}}</p>", "does not show code"],
  ["password-changed.fr.txt", "Subject: Salut\n\n", "is the name of no template"],
  ["readme.md", "", "is the name of no template"],
  [
    "password-changed.en.html",
    html.replace("<h1>", '<img src="https://tracker.example/x.gif"><h1>'),
    "loads something from elsewhere",
  ],
  ["password-changed.en.html", html.replace("<h1>", "<img src={{name}}><h1>"), "without quotation marks"],
  [
    "password-changed.en.html",
    html.replace("</style>", "p { background: url(https://tracker.example/x) } </style>"),
    "in its style",
  ],
  [
    "password-changed.en.html",
    html.replace("</style>", '@import "https://tracker.example/x.css"; </style>'),
    "imports a style",
  ],
  ["password-changed.en.html", html.replace("<h1>", "<script>alert(1)</script><h1>"), "must not have"],
  ["password-changed.en.html", html.replace("<h1>", '<h1 onclick="alert(1)">'), "event attribute"],
  ["password-changed.en.html", html.replace("<h1>", '<a href="javascript:alert(1)">x</a><h1>'), "runs something"],
])("%s is refused when it is %j", (name, content, reason) => {
  writeFileSync(join(folder, name), content);
  expect(readTemplates(folder).faults).toEqual(
    expect.arrayContaining([expect.stringMatching(new RegExp(`^${name}.*${reason}`))]),
  );
});
