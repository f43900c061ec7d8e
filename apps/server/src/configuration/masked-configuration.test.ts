import { loadConfiguration } from "./load-configuration.ts";
import { maskedConfiguration, maskedUrl } from "./masked-configuration.ts";

test("what is printed is a configuration with the same meaning, but for secrets", () => {
  const content = {
    server: { port: 1 },
    sessions: { idleTimeout: "90s", absoluteLifetime: "36h" },
    databases: [
      { storage: { engine: "embedded", dataDir: "/x", statementTimeout: "5s" } },
      { alias: "b", storage: { engine: "memory" }, throttle: { user: { firstDelay: "1500ms" } } },
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
])("%s is shown as %s", (url, shown) => {
  expect(maskedUrl(url)).toBe(shown);
});
