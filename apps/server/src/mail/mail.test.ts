import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ServiceError } from "@sallyport/storage";
import { type ClaimedMailJob, type Database, type Delivery, type MailMessage, MailerUnusable } from "@sallyport/core";
import { ServedDatabases } from "../databases/served-databases.ts";
import { OutboxRelay } from "../background/outbox-relay.ts";
import { mailOutbox, type MailReports } from "./mail-outbox.ts";
import { ownTemplates, readTemplates, Template } from "./read-templates.ts";
import { TemplateMessageWriter } from "./template-message-writer.ts";

describe("mail relay", () => {
  const unusable = new MailerUnusable("unreachable", "not there");
  const stuck: Delivery = { kind: "unavailable", error: unusable, delay: 10_000 };

  const waiting: Omit<ClaimedMailJob, "id"> = {
    owner: null,
    value: { sealed: "", lifetime: 60_000, stuck: false },
    version: 1,
    createdVersion: 1,
    createdAt: 0,
    claims: 1,
    age: 0,
  };

  /** An outbox with scripted messages, and a delivery with scripted outcomes. */
  class Scene {
    now = 0;
    claims = 0;
    readonly queue: ClaimedMailJob[] = [];
    readonly delivered: [string, Delivery["kind"]][] = [];
    readonly failures: unknown[] = [];
    outcome: (job: ClaimedMailJob) => Promise<Delivery> = async () => ({ kind: "sent" });
    claimFails: unknown = null;
    private looks: (() => void)[] = [];
    private id = 0;

    readonly reports: MailReports = {
      delivered: (_alias, { id }, { kind }) => this.delivered.push([id, kind]),
      waiting: () => {
        for (const look of this.looks.splice(0)) look();
      },
      failed: (_alias, error) => {
        this.failures.push(error);
        for (const look of this.looks.splice(0)) look();
      },
    };

    readonly relay = new OutboxRelay(
      mailOutbox({
        deliverMail: { deliverMail: (_context, job) => this.outcome(job) },
        reports: this.reports,
        lease: 60_000,
        interval: 3_600_000,
      }),
      () => this.now,
    );

    put(count: number): this {
      for (let index = 0; index < count; index += 1) this.queue.push({ ...waiting, id: String((this.id += 1)) });
      return this;
    }

    start(): Promise<void> {
      const records = {
        claim: async (_kind: string, limit: number) => {
          this.claims += 1;
          if (this.claimFails !== null) throw this.claimFails;
          return this.queue.splice(0, limit);
        },
        count: async () => ({ count: this.queue.length, oldest: 0 }),
      };
      const database = { alias: "a", storage: { repositories: { records } } } as unknown as Database;
      return this.polled(() => this.relay.start(new ServedDatabases([["a", database]])));
    }

    /** Runs a callback, and resolves after the next check of the outbox. */
    polled(work: () => void): Promise<void> {
      return new Promise((resolve) => {
        this.looks.push(resolve);
        work();
      });
    }
  }

  let scene: Scene;

  beforeEach(() => {
    scene = new Scene();
  });

  afterEach(() => scene.relay.stop());

  test("sends waiting messages at the start, in batches until none is left", async () => {
    await scene.put(12).start();
    expect([scene.delivered.length, scene.claims]).toEqual([12, 3]);
  });

  test("a notification is handled before the interval ends, even during a delivery", async () => {
    await scene.start();
    await scene.put(1).polled(() => scene.relay.notify("a"));
    expect(scene.delivered).toEqual([["1", "sent"]]);
    let release = () => {};
    scene.outcome = () =>
      new Promise((resolve) => {
        release = () => resolve({ kind: "sent" });
        scene.outcome = async () => ({ kind: "sent" });
        begun();
      });
    let begun = () => {};
    const working = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const first = scene.put(1).polled(() => scene.relay.notify("a"));
    await working;
    scene.relay.notify("a");
    release();
    await first;
    await scene.put(1).polled(() => {});
    expect(scene.delivered.map(([id]) => id)).toEqual(["1", "2", "3"]);
  });

  test("pauses longer and longer while the transport fails, until a message is delivered", async () => {
    scene.outcome = async () => stuck;
    await scene.put(20).start();
    expect([scene.delivered.length, scene.claims]).toEqual([5, 1]);
    for (const pause of [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]) {
      const { claims } = scene;
      scene.now += pause - 1;
      await scene.polled(() => scene.relay.notify("a"));
      expect(scene.claims).toBe(claims);
      scene.now += 1;
      await scene.put(1).polled(() => scene.relay.notify("a"));
      expect(scene.claims).toBe(claims + 1);
    }
    scene.now += 30_000;
    scene.outcome = async () => ({ kind: "deferred", reply: "450", delay: 10_000 });
    await scene.put(1).polled(() => scene.relay.notify("a"));
    scene.outcome = async () => stuck;
    await scene.put(1).polled(() => scene.relay.notify("a"));
    scene.now += 1_000;
    const { claims } = scene;
    await scene.polled(() => scene.relay.notify("a"));
    expect(scene.claims).toBe(claims + 1);
  });

  test("stopping waits for messages in progress and starts no new ones", async () => {
    let release = () => {};
    let begun = () => {};
    const working = new Promise<void>((resolve) => {
      begun = resolve;
    });
    scene.outcome = () =>
      new Promise((resolve) => {
        release = () => resolve({ kind: "sent" });
        begun();
      });
    void scene.put(1).start();
    await working;
    let stopped = false;
    const stopping = scene.relay.stop().then(() => (stopped = true));
    await Promise.resolve();
    expect(stopped).toBe(false);
    scene.put(5);
    release();
    await stopping;
    expect([scene.delivered, scene.claims, scene.queue.length]).toEqual([[["1", "sent"]], 1, 5]);
  });

  test("an unreadable outbox is reported, unless already reported elsewhere, and retried", async () => {
    scene.claimFails = new ServiceError(799);
    await scene.start();
    expect(scene.failures).toEqual([scene.claimFails]);
    scene.claimFails = null;
    await scene.put(1).polled(() => scene.relay.notify("a"));
    expect(scene.delivered).toHaveLength(1);
  });
});

describe("read templates", () => {
  const frame = { service: "Acme & Sons", resetLink: "https://app.example/{alias}/new?token={token}" };
  const hostile = `<img src=x onerror="alert(1)">&'\r\nSubject: Evil\u2028\u202e`;
  const reset: MailMessage = {
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
    message: MailMessage,
    alias = "second",
    withFrame: { readonly service: string; readonly resetLink: string | null } = frame,
  ) => new TemplateMessageWriter(own.templates, withFrame).write(message, alias);

  test("the built-in templates are valid in every language", () => {
    expect([own.faults, [...own.templates.keys()].length]).toEqual([[], 8]);
  });

  test.each(["en", "de"] as const)("every kind of message is complete in %s", (language) => {
    const letters: MailMessage[] = [
      { ...reset, language },
      { kind: "passwordChanged", to: "a@b.example", name: "Anna", language },
      { kind: "accountLinked", to: "a@b.example", name: "Anna", provider: "microsoft", language },
      { kind: "confirmationCode", to: "a@b.example", name: "Anna", code: "123456", minutes: 10, language },
    ];
    for (const message of letters) {
      const { subject, text, html } = write(message);
      for (const part of [subject, text, html]) expect(part).not.toMatch(/\{\{|\}\}|undefined|null/);
      expect([subject, text]).toEqual([expect.stringContaining("Acme & Sons"), expect.stringContaining("Anna")]);
      expect(html).toContain("Acme &amp; Sons");
      expect(html).toMatch(new RegExp(`<html lang="${language}">`));
      expect(html).not.toMatch(/\b(?:src|srcset)=|url\(|@import|<script/i);
    }
  });

  test("a link is built from the configured one only, in both parts", () => {
    const { text, html } = write(reset);
    const link = "https://app.example/second/new?token=t0k-e_n";
    expect(text).toContain(`\n${link}\n`);
    expect(html).toContain(`href="${link}"`);
    expect(text.split("\n")).not.toContain("t0k-e_n");
  });

  test("without a configured link, the message has the token only", () => {
    const { text, html } = write(reset, "", { ...frame, resetLink: null });
    expect(text).toContain("\nt0k-e_n\n");
    expect(html).toContain(">t0k-e_n<");
    expect(html).not.toContain("href");
  });

  test("replacement values are not searched for placeholders", () => {
    const { text } = write({ ...reset, token: "{alias}$&" });
    expect(text).toContain("https://app.example/second/new?token=%7Balias%7D%24%26");
  });

  test("a hostile name is plain text in one line", () => {
    const { subject, text, html } = write({ ...reset, name: hostile });
    expect(subject).toBe("A new password for Acme & Sons");
    expect(text.split("\n")[0]).toBe(`Hello <img src=x onerror="alert(1)">&' Subject: Evil,`);
    expect(html).toContain("Hello &lt;img src=x onerror=&quot;alert(1)&quot;&gt;&amp;&#39; Subject: Evil,");
    expect(html).not.toContain("<img");
    expect(write({ ...reset, name: "ä".repeat(500) }).text).toContain(`Hello ${"ä".repeat(99)}…,`);
  });

  test("a file of the deployment overrides the built-in one of the same name", () => {
    writeFileSync(join(folder, "password-changed.en.txt"), "Subject: Changed, {{name}}\r\n\r\nOurs.\n");
    const { templates, faults } = readTemplates(folder);
    expect(faults).toEqual([]);
    const letters = new TemplateMessageWriter(templates, frame);
    const message: MailMessage = { kind: "passwordChanged", to: "a@b.example", name: "Anna", language: "en" };
    expect(letters.write(message, "")).toEqual({
      subject: "Changed, Anna",
      text: "Ours.\n",
      html: write(message).html,
    });
    expect(letters.write({ ...message, language: "de" }, "").text).toBe(write({ ...message, language: "de" }).text);
  });

  test("a copy of all built-in templates is valid", () => {
    cpSync(ownTemplates, folder, { recursive: true });
    expect(readTemplates(folder).faults).toEqual([]);
  });

  const html = readFileSync(join(ownTemplates, "password-changed.en.html"), "utf8");

  test.each([
    ["password-changed.en.txt", "No subject\n", 'must begin with a line "Subject: …"'],
    [
      "password-changed.en.txt",
      "Subject: {{token}}\n\n",
      "unknown placeholder {{token}}; known names are service, name",
    ],
    ["password-reset.en.txt", "Subject: Hello\n\n{{name}}\n", "does not contain link and token"],
    ["confirmation-code.de.html", "<p>{{name}}</p>", "does not contain code"],
    ["password-changed.fr.txt", "Subject: Salut\n\n", "is not the name of a template"],
    ["readme.md", "", "is not the name of a template"],
    [
      "password-changed.en.html",
      html.replace("<h1>", '<img src="https://tracker.example/x.gif"><h1>'),
      "loads a remote resource",
    ],
    ["password-changed.en.html", html.replace("<h1>", "<img src={{name}}><h1>"), "without quotation marks"],
    [
      "password-changed.en.html",
      html.replace("</style>", "p { background: url(https://tracker.example/x) } </style>"),
      "in a style",
    ],
    [
      "password-changed.en.html",
      html.replace("</style>", '@import "https://tracker.example/x.css"; </style>'),
      "imports a stylesheet",
    ],
    ["password-changed.en.html", html.replace("<h1>", "<script>alert(1)</script><h1>"), "forbidden element"],
    ["password-changed.en.html", html.replace("<h1>", '<h1 onclick="alert(1)">'), "event attribute"],
    ["password-changed.en.html", html.replace("<h1>", '<a href="javascript:alert(1)">x</a><h1>'), "executes code"],
  ])("refuses %s as %j", (name, content, reason) => {
    writeFileSync(join(folder, name), content);
    expect(readTemplates(folder).faults).toEqual(
      expect.arrayContaining([expect.stringMatching(new RegExp(`^${name}.*${reason}`))]),
    );
  });
});

const names = new Set(["name", "link"]);

function filled(source: string, values: Record<string, string | null>): string {
  const template = Template.read(source, names);
  if (!(template instanceof Template)) throw new Error(template.join("; "));
  return template.render(new Map(Object.entries(values)), (value) => value.toUpperCase());
}

test.each([
  ["Hello {{name}}!", { name: "anna" }, "Hello ANNA!"],
  ["{{name}}{{name}}", { name: "a" }, "AA"],
  ["a{{#link}}[{{link}}]{{/link}}{{^link}}none{{/link}}b", { link: "x" }, "a[X]b"],
  ["a{{#link}}[{{link}}]{{/link}}{{^link}}none{{/link}}b", { link: null }, "anoneb"],
  ["one\n{{#link}}\ntwo\n{{/link}}\nthree\n", { link: null }, "one\nthree\n"],
  ["one\n  {{#link}}\ntwo\n  {{/link}}\nthree\n", { link: "x" }, "one\ntwo\nthree\n"],
  ["{{name}}", { name: "{{link}} $& $1" }, "{{LINK}} $& $1"],
  ["{ {name} }", {}, "{ {name} }"],
])("template %j is filled", (source, values, expected) => {
  expect(filled(source, values)).toBe(expected);
});

test.each([
  ["{{unknown}}", "unknown placeholder {{unknown}}; known names are name, link"],
  ["{{constructor}}", "has the unknown placeholder {{constructor}}"],
  ["{{{name}}}", "braces"],
  ["{{ name }}", "braces"],
  ["{{name", "braces"],
  ["name}}", "braces"],
  ["{{> other}}", "braces"],
  ["{{#link}}", "does not close the section link"],
  ["{{/link}}", "without its start"],
  ["{{#link}}{{/name}}", "without its start"],
  ["{{#link}}{{#name}}{{/name}}{{/link}}", "inside another section"],
])("template %j is refused", (source, reason) => {
  expect(Template.read(source, names)).toEqual(expect.arrayContaining([expect.stringContaining(reason)]));
});
