import { acceptDatabaseName } from "./tables.ts";

describe("the name of a database", () => {
  test.each(["sallyport", "_a1", "x".repeat(63)])("%s is taken", (name) => {
    expect(acceptDatabaseName(name)).toBe(name);
  });

  test.each(["", "Sallyport", "a-b", "a`b", "1a", "x".repeat(64), "mysql", "information_schema"])(
    "%s is refused",
    (name) => {
      expect(() => acceptDatabaseName(name)).toThrow("name of a database");
    },
  );
});
