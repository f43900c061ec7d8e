import { acceptSchemaName } from "./tables.ts";

describe("names of schemas", () => {
  test.each(["a", "sallyport", "_private", "tenant_7", "x".repeat(63)])("%s is accepted", (name) => {
    expect(acceptSchemaName(name)).toBe(name);
  });

  test.each([
    "",
    "Upper",
    "7up",
    "a-b",
    "a b",
    'a"b',
    "a.b",
    "a;drop",
    "é",
    "pg_catalog",
    "pg_mine",
    "information_schema",
    "x".repeat(64),
    "a\n",
  ])("%j is refused", (name) => {
    expect(() => acceptSchemaName(name)).toThrow("schema name");
  });
});
