import { statement } from "./statement.ts";

describe("statements", () => {
  test("have the same name for the same text only", () => {
    expect(statement("admit", "select 1").name).toBe(statement("admit", "select 1").name);
    expect(statement("admit", "select 1").name).not.toBe(statement("admit", "select 2").name);
  });

  test("have names that the server keeps whole", () => {
    expect(statement("session_open_within", "select 1").name.length).toBeLessThan(64);
  });
});
