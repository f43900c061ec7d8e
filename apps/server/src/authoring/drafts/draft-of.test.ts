import { draftedHooks, draftOf } from "./draft-of.ts";

const begin = { name: "Begun", hook: null, classes: ["Invoice"], language: "ts" } as const;

test("a draft in JavaScript is the one in TypeScript without its types", () => {
  const [typed, plain] = (["ts", "js"] as const).map((language) => draftOf({ ...begin, language }));
  expect(typed?.map(({ file }) => file)).toEqual(["Begun.ts", "Begun.test.json"]);
  expect(plain?.map(({ file }) => file)).toEqual(["Begun.js", "Begun.test.json"]);
  const types = /\ninterface Input \{[^}]*\}\n|<Input>/g;
  expect(typed?.[0]?.text).toMatch(types);
  expect(typed?.[0]?.text.replaceAll(types, "")).toBe(plain?.[0]?.text);
  expect(typed?.[0]?.text).not.toContain("// ts");
});

test("classes are spelled as texts, whatever they are called", () => {
  const [file] = draftOf({ ...begin, hook: "beforeSave", classes: ["A", ' B"$&'] });
  expect(file?.text).toContain('  classes: ["A", "B\\"$&"],\n');
});

test.each(draftedHooks)("the draft of %s is on that event", (hook) => {
  const [file, ...others] = draftOf({ ...begin, hook });
  expect(others).toEqual([]);
  expect(file?.text).toContain(`  on: "${hook}",\n`);
  expect(file?.text).not.toContain("CLASSES");
});
