import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConfigurationError } from "./configuration-error.ts";
import { loadConfiguration } from "./load-configuration.ts";

const masterKey = Buffer.alloc(32, 7).toString("base64");
const relay = { smtp: { host: "mail.example" }, from: "no-reply@mail.example" };

const load = (mail: object, environment: Record<string, string> = { MASTER_KEY: masterKey }) =>
  loadConfiguration({ content: { databases: [{ storage: { engine: "memory" } }], mail }, environment });

function faultsOf(mail: object, environment?: Record<string, string>): string[] {
  try {
    load(mail, environment);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return error.faults.map(({ path }) => path);
  }
}

const folder = mkdtempSync(join(tmpdir(), "sallyport-mail-"));
const file = join(folder, "file");
writeFileSync(file, "");
afterAll(() => rmSync(folder, { recursive: true }));

test.each([
  [{ ...relay }, "startTls", 587],
  [{ ...relay, smtp: { host: "mail.example", port: 465 } }, "tls", 465],
  [{ ...relay, smtp: { host: "mail.example", port: 2525 } }, "startTls", 2525],
  [{ ...relay, smtp: { host: "mail.example", security: "tls" } }, "tls", 465],
  [{ ...relay, smtp: { host: "127.0.0.1" } }, "none", 25],
  [{ ...relay, smtp: { host: "localhost", security: "startTls" } }, "startTls", 587],
])("%j is spoken to with %s on port %i", (mail, security, port) => {
  expect(load(mail).mail.smtp).toMatchObject({ security, port });
});

test.each([
  [{ ...relay, smtp: { host: "mail.example", security: "none" } }, ["mail.smtp.security"]],
  [{ smtp: { host: "mail.example" } }, ["mail.from"]],
  [{ ...relay, folder }, ["mail.folder"]],
  [{ ...relay, smtp: { host: "mail.example", user: "me" } }, ["mail.smtp.password"]],
  [{ ...relay, smtp: { host: "mail.example", password: "secret" } }, ["mail.smtp.user"]],
  [{ ...relay, smtp: { host: "mail.example", caFile: join(folder, "none.pem") } }, ["mail.smtp.caFile"]],
  [{ smtp: { port: 25 } }, ["mail.smtp.host"]],
  [{ folder: file }, ["mail.folder"]],
  [{ templates: join(folder, "none") }, ["mail.templates"]],
  [{ templates: folder }, ["mail.templates"]],
  [{ ...relay, from: "Somebody <a@mail.example>" }, ["mail.from"]],
  [{ ...relay, from: "a@mail.example\r\nBcc: b@mail.example" }, ["mail.from"]],
  [{ ...relay, fromName: "a\r\nb" }, ["mail.fromName"]],
  [{ ...relay, smtp: { host: "mail.example\r\nQUIT" } }, ["mail.smtp.host"]],
  [{ ...relay, language: "fr" }, ["mail.language"]],
])("%j is refused at %j", (mail, paths) => {
  expect(faultsOf(mail)).toEqual(paths);
});

test("mail needs a master key, and no mail needs none", () => {
  expect([faultsOf(relay, {}), faultsOf({ folder }, {}), faultsOf({}, {})]).toEqual([
    ["encryption.masterKey"],
    ["encryption.masterKey"],
    [],
  ]);
});

test("the demo writes into a folder of its data, unless a relay is given", () => {
  const demo = (environment: Record<string, string>) =>
    loadConfiguration({ environment: { DATA_DIR: folder, ...environment } }).mail;
  expect(demo({}).folder).toBe(join(folder, "mail"));
  expect(demo({ MAIL_FOLDER: folder }).folder).toBe(folder);
  const given = demo({ SMTP_HOST: "127.0.0.1", MAIL_FROM: "a@mail.example" });
  expect([given.folder, given.smtp.host]).toEqual([undefined, "127.0.0.1"]);
});

test("a demo whose data have no place names what its user gave, and nothing that follows from it", () => {
  const demo = (environment: Record<string, string>) => () => loadConfiguration({ environment });
  const message = (name: string, trouble: string) => `The configuration is refused:\n  - ${name}: names ${trouble}`;
  expect(demo({ DATA_DIR: file })).toThrow(
    new ConfigurationError([{ path: "dataDir", env: "DATA_DIR", reason: "names something that is no folder" }]),
  );
  expect(demo({ DATA_DIR: join(file, "below") })).toThrow(
    message("dataDir (DATA_DIR)", "a folder that cannot be read (ENOTDIR)"),
  );
  expect(demo({ DATA_DIR: folder, MAIL_FOLDER: file })).toThrow(
    message("mail.folder (MAIL_FOLDER)", "something that is no folder"),
  );
});
