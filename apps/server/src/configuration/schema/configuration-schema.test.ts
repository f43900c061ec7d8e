import { configurationFields } from "./configuration-schema.ts";

const fields = configurationFields();

test("every field is described in one line", () => {
  expect(fields.length).toBeGreaterThan(50);
  for (const { doc, type } of fields) {
    expect(doc).toMatch(/^[^\n]+[.:]$/);
    expect(type).not.toBe("");
  }
});

test("every field outside of lists of objects has a variable, no two the same", () => {
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
])("knows $path", (expected) => {
  expect(fields).toContainEqual(expect.objectContaining(expected));
});
