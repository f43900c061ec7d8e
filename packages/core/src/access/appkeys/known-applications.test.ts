import { KnownApplications } from "./applications.ts";

test("looks up what it does not know, and nothing twice that it found", async () => {
  const known = new KnownApplications();
  const existing = ["field", "office"];
  const asked: string[][] = [];
  const applications = {
    known: async (names: readonly string[]) => {
      asked.push([...names]);
      return existing.filter((name) => names.includes(name));
    },
  };
  expect(await known.includes(["field"], applications)).toBe(true);
  expect(await known.includes(["field", "office"], applications)).toBe(true);
  expect(await known.includes(["field", "new"], applications)).toBe(false);
  existing.push("new");
  expect(await known.includes(["office", "new"], applications)).toBe(true);
  expect(await known.includes(["new", "field", "office"], applications)).toBe(true);
  expect(asked).toEqual([["field"], ["office"], ["new"], ["new"]]);
});
