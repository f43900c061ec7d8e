import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { memory, messageOf, masterKey } from "../../test/configuration-file.ts";
import { loadConfiguration } from "./load-configuration.ts";

const otherKey = Buffer.alloc(32, 8).toString("base64");

/** Settings that are refused. */
describe("refused settings", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "sallyport-configuration-"));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const secret = "S3cretValue";

  describe("refuses", () => {
    const faults: readonly (readonly [string, object, RegExp, Record<string, string>?])[] = [
      ["an unknown member", { server: { prot: 1 } }, /^ {2}- server\.prot: is unknown; did you mean "port"\?$/m],
      [
        "an unknown member without a similar one",
        { server: { zzzzzzz: 1 } },
        /server\.zzzzzzz: is unknown; known names are host, port,/,
      ],
      ["an unknown section", { databasez: [] }, /databasez: is unknown; did you mean "databases"\?/],
      [
        "an unknown member of a database",
        { databases: [{ alais: "a", ...memory }] },
        /databases\[0\]\.alais: is unknown; did you mean "alias"\?/,
      ],
      ["a member with the name of a prototype property", JSON.parse('{"constructor": 1}'), /constructor: is unknown/],
      ["a prototype", JSON.parse('{"__proto__": {"port": 1}}'), /^ {2}- __proto__: is unknown/m],
      [
        "a prototype of a section",
        JSON.parse('{"server": {"__proto__": {"port": 1}}}'),
        /^ {2}- server\.__proto__: is unknown/m,
      ],
      ["a number in place of a text", { server: { host: 5 } }, /server\.host: must be a host name or an address/],
      ["a text in place of a number", { server: { port: "80" } }, /server\.port: must be an integer from 0 to 65535/],
      [
        "a number of workers",
        { server: { workers: 0 } },
        /server\.workers: must be an integer from 1 to 256, or "auto"$/m,
      ],
      [
        "a number of workers in the variable",
        {},
        /server\.workers \(WORKERS\): must be an integer from 1 to 256, or "auto"$/m,
        { WORKERS: "many" },
      ],
      [
        "workers beside a database in memory",
        { server: { workers: 2 }, databases: [{ storage: { url: "postgres://h/d" } }, { alias: "b", ...memory }] },
        /server\.workers: must be 1: the database "b" is in memory, and only one process can use it/,
      ],
      ["a fraction", { server: { port: 80.5 } }, /server\.port: must be an integer/],
      ["a number out of range", { server: { port: 65_536 } }, /server\.port: must be an integer from 0 to 65535/],
      ["a text in place of a flag", { debugMessages: "yes" }, /debugMessages: must be true or false/],
      ["a list in place of a section", { server: [] }, /server: must be an object/],
      ["null in place of a section", { sessions: null }, /sessions: must be an object/],
      ["a section in place of a list", { databases: {} }, /databases: must be a list/],
      ["an invalid database", { databases: ["a"] }, /databases\[0\]: must be an object/],
      ["no database", { databases: [] }, /databases: is required/],
      [
        "an object storage without its settings",
        { files: { store: "s3", s3: { bucket: "files", endpoint: "https://s3.example" } } },
        /files\.s3\.accessKeyId[^\n]*: is required with files\.store s3\n[^\n]*files\.s3\.secretAccessKey[^\n]*: is required/,
      ],
      [
        "an object storage that is not used",
        { files: { s3: { bucket: "files" } } },
        /files\.s3\.bucket: requires "files\.store" to be "s3"/,
      ],
      [
        "an endpoint with keys",
        { files: { s3: { endpoint: "https://id:key@s3.example" } } },
        /files\.s3\.endpoint: must be an http/,
      ],
      [
        "a prefix that leads upwards",
        { files: { s3: { prefix: "../" } } },
        /files\.s3\.prefix: must be letters, digits/,
      ],
      ["an unknown word", { log: { level: "loud" } }, /log\.level: must be "fatal", .* or "silent"/],
      [
        "a duration without a unit",
        { sessions: { idleTimeout: "30" } },
        /sessions\.idleTimeout: must be a duration from "1s"/,
      ],
      ["a duration as a number", { sessions: { idleTimeout: 30 } }, /sessions\.idleTimeout: must be a duration/],
      [
        "a duration that is too long",
        { server: { timeouts: { drain: "2h" } } },
        /server\.timeouts\.drain: must be a duration from "0s" to "10m"/,
      ],
      [
        "a missing macro folder",
        { macros: { directory: "/nonexistent/macros" } },
        /^ {2}- macros\.directory: does not exist$/m,
      ],
      [
        "a file as the macro folder",
        { databases: [{ macros: { directory: import.meta.filename }, ...memory }] },
        /databases\[0\]\.macros\.directory: is not a directory/,
      ],
      [
        "a missing macro folder from a variable",
        {},
        /macros\.directory \(MACROS_DIR\): does not exist/,
        { MACROS_DIR: "/nonexistent" },
      ],
      [
        "an answer limit below the size of one object",
        { limits: { maxResponseBytes: 1_048_576 } },
        /limits\.maxResponseBytes: must be an integer from 2097152 to 1073741824/,
      ],
      [
        "a reset link of another scheme",
        { passwords: { resetLink: "javascript:{token}" } },
        /passwords\.resetLink: must be an http or https URL/,
      ],
      ["a bad host", { server: { host: "a b" } }, /server\.host: must be a host name/],
      ["a bad address", { server: { host: "300.1.1.1" } }, /server\.host: must be a host name/],
      ["a bad base path", { server: { basePath: "/api/" } }, /server\.basePath: must be empty, or a path/],
      ["a bad public address", { server: { publicUrl: "ftp://a" } }, /server\.publicUrl: must be an http or https URL/],
      [
        "an unknown provider",
        { oAuthProviders: [{ name: "github" }] },
        /oAuthProviders\[0\]\.name: must be google, facebook, microsoft or apple$/m,
      ],
      [
        "a provider without a name",
        { oAuthProviders: [{}] },
        /oAuthProviders\[0\]\.name: is required: google, facebook, microsoft or apple$/m,
      ],
      [
        "a duplicate provider",
        { oAuthProviders: [{ name: "microsoft" }, { name: "WindowsLive" }] },
        /oAuthProviders\[1\]\.name: is the same provider as oAuthProviders\[0\]\.name/,
      ],
      [
        "providers without a master key",
        { oAuthProviders: [{ name: "google" }] },
        /encryption\.masterKey \(MASTER_KEY\): is required with oAuthProviders/,
      ],
      ...(
        [
          ["that is the master key", { masterKey, formerMasterKeys: [masterKey] }, "must not contain the master key"],
          ["twice", { masterKey, formerMasterKeys: [otherKey, otherKey] }, "must not contain a key twice"],
          ["malformed", { masterKey, formerMasterKeys: ["c2hvcnQ="] }, "must be base64 of 32 bytes"],
          ["without a master key", { formerMasterKeys: [otherKey] }, "is required with formerMasterKeys"],
        ] as const
      ).map(([what, encryption, words]): [string, object, RegExp] => [
        `a former master key: ${what}`,
        { encryption },
        RegExp(`encryption\\.\\w+asterKeys?.*: ${words}`),
      ]),
      [
        "encrypted files without a master key",
        { files: { encrypt: true } },
        /encryption\.masterKey \(MASTER_KEY\): is required with files\.encrypt/,
      ],
      [
        "providers without a public address",
        { oAuthProviders: [{ name: "Google" }], encryption: { masterKey } },
        /server\.publicUrl \(PUBLIC_URL\): is required with oAuthProviders/,
      ],
      [
        "a fake provider on another machine",
        { providers: { fakeUrl: "http://192.0.2.1:9000" } },
        /providers\.fakeUrl: must be an http URL on this machine/,
      ],
      [
        "a bad network",
        { server: { trustedProxies: ["10.0.0.0/8", "10.0.0.0/33"] } },
        /server\.trustedProxies\[1\]: must be an IP address or a network/,
      ],
      [
        "a certificate without a key",
        { server: { tls: { certificateFile: "package.json" } } },
        /^ {2}- server\.tls\.keyFile \(TLS_KEY_FILE\): is required/m,
      ],
      [
        "a key without a certificate",
        { server: { tls: { keyFile: "package.json" } } },
        /^ {2}- server\.tls\.certificateFile \(TLS_CERTIFICATE_FILE\): is required/m,
      ],
      [
        "a missing certificate",
        { server: { tls: { certificateFile: "/none", keyFile: "/none" } } },
        /server\.tls\.keyFile: the file does not exist/,
      ],
      [
        "an idle time-out beyond the lifetime",
        { sessions: { idleTimeout: "13h" } },
        /sessions\.idleTimeout: must not be longer than absoluteLifetime/,
      ],
      [
        "the same in one database",
        { databases: [{ ...memory, sessions: { absoluteLifetime: "5m" } }] },
        /databases\[0\]\.sessions\.idleTimeout: must not be longer/,
      ],
      [
        "more sessions per user than in all",
        { sessions: { limit: 5, perUserLimit: 6 } },
        /sessions\.perUserLimit: must not be greater than limit/,
      ],
      ["a bad variable", {}, /^ {2}- server\.port \(PORT\): must be an integer from 0 to 65535$/m, { PORT: "http" }],
      [
        "a bad part of a variable",
        {},
        /server\.trustedProxies\[1\] \(TRUSTED_PROXIES\): must be/,
        { TRUSTED_PROXIES: "::1, x" },
      ],
      [
        "a bad flag in a variable",
        {},
        /debugMessages \(DEBUG_MESSAGES\): must be true or false/,
        { DEBUG_MESSAGES: "maybe" },
      ],
      [
        "a missing secret file",
        {},
        /databaseUrl \(DATABASE_URL_FILE\): the file does not exist/,
        { DATABASE_URL_FILE: "/none" },
      ],
      [
        "a secret together with its file",
        {},
        /databaseUrl \(DATABASE_URL_FILE\): cannot be combined with DATABASE_URL/,
        { DATABASE_URL: "postgres://h/d", DATABASE_URL_FILE: "/none" },
      ],
    ];

    const rows = faults.map(
      ([title, content, expected, environment]) => [title, content, expected, environment ?? {}] as const,
    );
    test.each(rows)("%s", (_title, content, expected, environment) => {
      expect(messageOf(content, environment)).toMatch(expected);
    });

    test("lists all errors at once, each by name", () => {
      const message = messageOf(
        {
          server: { prot: 1, tls: { keyFile: "package.json" } },
          sessions: { idleTimeout: "1d" },
          databases: [
            { alias: "v1", ...memory },
            { alias: "b", timeZone: 1 },
          ],
        },
        { PORT: "x" },
      );
      for (const path of [
        "server.port",
        "server.prot",
        "server.tls.certificateFile",
        "sessions.idleTimeout",
        "databases[0].alias",
        "databases[1].timeZone",
      ]) {
        expect(message).toContain(`  - ${path}`);
      }
      expect(message.split("\n")).toHaveLength(7);
    });

    test("reports nothing that follows from a refused value", () => {
      expect(messageOf({ sessions: { idleTimeout: "13h", absoluteLifetime: "x" } })).not.toContain(
        "must not be longer",
      );
      expect(messageOf({ databases: [{ alias: 1, ...memory }, memory] })).not.toContain("is the same");
    });

    test.each([
      ["in the file", { databases: [{ storage: { engine: "postgres", url: `oracle://u:${secret}@h/d` } }] }, {}],
      [
        "in an error beside it",
        { databases: [{ storage: { engine: "memory", url: `postgres://u:${secret}@h/d` } }] },
        {},
      ],
      ["in the environment", {}, { DATABASE_URL: `nonsense ${secret}` }],
      ["as an unknown member", { passwords: { argon: secret } }, {}],
    ])("does not repeat a secret %s", (_title, content, environment) => {
      const message = messageOf(content, environment);
      expect(message).not.toBe("accepted");
      expect(message).not.toContain(secret);
    });

    test.each([
      ["that is missing", undefined, /The configuration file .*file\.json does not exist\./],
      ["that is invalid JSON", `{"databaseUrl": "${secret}", }`, /is not valid JSON/],
      ["without an object", "[]", /must contain a JSON object/],
    ])("a file %s", (_title, content, expected) => {
      const file = join(folder, "file.json");
      rmSync(file, { force: true });
      if (content !== undefined) writeFileSync(file, content);
      const load = () => loadConfiguration({ file, environment: {} });
      expect(load).toThrow(expected);
      expect(load).not.toThrow(secret);
    });

    test.each([
      ["in production", { NODE_ENV: "production" }, /NODE_ENV is production/],
      ["beyond loopback", { HOST: "0.0.0.0" }, /HOST is not a loopback address/],
    ])("a start without a configuration %s, and explains how to configure", (_title, environment, why) => {
      const load = () => loadConfiguration({ environment });
      expect(load).toThrow(why);
      expect(load).toThrow(/DATABASE_URL/);
      expect(load).toThrow(/--config/);
    });
  });
});
