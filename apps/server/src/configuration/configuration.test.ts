import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConfigurationError } from "./configuration-error.ts";
import { demoMacros } from "./demo.ts";
import { duration, durationText } from "./field-kinds.ts";
import { loadConfiguration } from "./load-configuration.ts";
import { maskedConfiguration, maskedUrl } from "./masked-configuration.ts";
import { readModelFile } from "./model-file.ts";
import { configurationFields } from "./schema/configuration-schema.ts";

test("the demo warns that another macro folder replaces its own", () => {
  const warnings = (environment: Record<string, string>) =>
    loadConfiguration({ environment }).warnings.filter((each) => each.includes("MACROS_DIR"));
  expect(warnings({ MACROS_DIR: tmpdir() })).toEqual([
    expect.stringContaining("the sample macros of the demo are not loaded"),
  ]);
  expect([warnings({}), warnings({ MACROS_DIR: demoMacros() ?? "" })]).toEqual([[], []]);
});

const { schema } = duration("10ms", "2d");

test.each([
  ["10ms", 10],
  ["1500ms", 1_500],
  ["15s", 15_000],
  ["30m", 1_800_000],
  ["12h", 43_200_000],
  ["2d", 172_800_000],
])("duration %s is %d ms", (text, milliseconds) => {
  expect(schema.parse(text)).toBe(milliseconds);
});

test.each(["", "5", "5 s", "5S", "-5s", "1.5s", "s", "9ms", "3d", "1h30m", "9999999999s", 5, null, undefined])(
  "duration %p is refused",
  (value) => {
    expect(schema.safeParse(value).success).toBe(false);
  },
);

test.each([
  [0, "0s"],
  [1, "1ms"],
  [90_000, "90s"],
  [3_600_000, "1h"],
  [86_400_000, "1d"],
])("%d ms is written as %s", (milliseconds, text) => {
  expect(durationText(milliseconds)).toBe(text);
});

test("the printed configuration has the same meaning, except for secrets", () => {
  const content = {
    server: { port: 1 },
    sessions: { idleTimeout: "90s", absoluteLifetime: "36h" },
    databases: [
      { storage: { engine: "embedded", dataDir: "/x", statementTimeout: "5s" } },
      { alias: "b", storage: { engine: "memory" }, throttle: { user: { initialDelay: "1500ms" } } },
      { alias: "c" },
      { alias: "d", storage: { engine: "module", module: "a", options: { key: "S3cret" } } },
    ],
  };
  const configuration = loadConfiguration({ content, environment: {} });
  const printed = maskedConfiguration(configuration) as Record<string, unknown>;
  expect(printed).toMatchObject({ sessions: { idleTimeout: "90s", absoluteLifetime: "36h" } });
  expect(JSON.stringify(printed)).not.toContain("S3cret");
  const databases = (printed["databases"] as Record<string, Record<string, unknown>>[]).map(({ storage, ...rest }) =>
    storage?.["engine"] === "module"
      ? { ...rest, storage: { ...storage, options: { key: "S3cret" } } }
      : storage?.["engine"] === "memory"
        ? { ...rest, storage: { engine: "memory" } }
        : { ...rest, ...(storage === undefined ? {} : { storage }) },
  );
  expect(loadConfiguration({ content: { ...printed, databases }, environment: {} })).toEqual(configuration);
});

test("no secret is printed", () => {
  const environment = { DATABASE_URL: "postgres://user:S3cret@host:1234/name?password=S3cret" };
  const text = JSON.stringify(maskedConfiguration(loadConfiguration({ environment })));
  expect(text).not.toContain("S3cret");
  expect(text).toContain("postgres://user:***@host:1234/name");
});

test.each([
  ["postgres://u:p@h:1/d?x=y", "postgres://u:***@h:1/d"],
  ["postgres://h/d", "postgres://h/d"],
  ["postgres://u:p@/d?host=/run", "***"],
])("URL %s is shown as %s", (url, shown) => {
  expect(maskedUrl(url)).toBe(shown);
});

describe("model file", () => {
  let folder: string;
  beforeAll(() => (folder = mkdtempSync(join(tmpdir(), "sallyport-"))));
  afterAll(() => rmSync(folder, { recursive: true }));

  function fileOf(text: string): string {
    const file = join(folder, "model.json");
    writeFileSync(file, text);
    return file;
  }

  test("gives a new database Employee and ContactPerson by default", async () => {
    const names = (await readModelFile()).map(({ name }) => name);
    expect(names).toEqual(["User", "UserGroup", "Image", "File", "xRestApiUserProvider", "Employee", "ContactPerson"]);
    const other = await readModelFile(fileOf('{ "classes": [{ "name": "Note" }] }'));
    expect(other.at(-1)).toEqual({ name: "Note", base: null, attributes: [], rights: [] });
    expect(other.map(({ name }) => name)).not.toContain("Employee");
  });

  test("works as shown in the guide", async () => {
    const guide = readFileSync(join(import.meta.dirname, "../../../../docs/guides/classes.md"), "utf8");
    const classes = await readModelFile(fileOf(/```jsonc\n(.*?)```/s.exec(guide)?.[1] ?? ""));
    expect(classes.map(({ name }) => name)).toEqual(expect.arrayContaining(["User", "Department"]));
  });

  test.each([
    ["is invalid JSON", "{", "it is no JSON: "],
    [
      "has an unknown member",
      '{ "classes": [{ "name": "Note", "attributs": [] }] }',
      "at /classes/0: Unrecognized key",
    ],
    ["has a class without a name", '{ "classes": [{}] }', "at /classes/0/name: "],
    [
      "has an unknown type",
      '{ "classes": [{ "name": "Note", "attributes": [{ "name": "Text", "type": "text" }] }] }',
      "at /classes/0/attributes/0/type: ",
    ],
    [
      "has a refused definition",
      '{ "classes": [{ "name": "Note", "base": "Nothing" }] }',
      "at /classes/0/base: There is no class with this name.",
    ],
  ])("refuses a file that %s and names the position", async (_what, text, reason) => {
    const file = fileOf(text);
    const error = await readModelFile(file).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ConfigurationError);
    expect((error as Error).message).toContain(`The model file ${file} cannot be used: ${reason}`);
  });

  test("refuses a missing file", async () => {
    await expect(readModelFile(join(folder, "nothing.json"))).rejects.toThrow(/nothing\.json cannot be used: ENOENT/);
  });
});

const fields = configurationFields();

test("every field is described in one line", () => {
  expect(fields.length).toBeGreaterThan(50);
  for (const { doc, type } of fields) {
    expect(doc).toMatch(/^[^\n]+[.:]$/);
    expect(type).not.toBe("");
  }
});

test("every field outside lists of objects has a variable of its own", () => {
  const outside = fields.filter(({ path }) => !path.includes("[]."));
  expect(outside.filter(({ env }) => env === null)).toEqual([]);
  expect(new Set(outside.map(({ env }) => env)).size).toBe(outside.length);
});

test.each([
  { path: "server.host", env: "HOST", default: '"127.0.0.1"', secret: false },
  { path: "server.port", env: "PORT", default: "8080", secret: false },
  { path: "databaseUrl", env: "DATABASE_URL", default: null, secret: true },
  { path: "databases[].storage.url", env: null, default: null, secret: true },
  { path: "sessions.idleTimeout", env: "SESSION_IDLE_TIMEOUT", default: '"30m"', secret: false },
])("the documentation describes $path", (expected) => {
  expect(fields).toContainEqual(expect.objectContaining(expected));
});
