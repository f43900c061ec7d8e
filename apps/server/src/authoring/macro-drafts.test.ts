import { QuickJsMacroRuntime } from "@sallyport/macros";
import { draftedHooks, draftOf } from "./macro-drafts.ts";

const begin = { name: "Begun", hook: null, classes: ["Invoice"], language: "ts" } as const;

const runtime = new QuickJsMacroRuntime({ threads: 1, queue: 10 });
afterAll(() => runtime.close());

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

test.each(draftedHooks)("the draft of %s is a hook on that event", async (on) => {
  for (const language of ["ts", "js"] as const) {
    const [file, ...others] = draftOf({ ...begin, hook: on, language });
    expect(others).toEqual([]);
    const { declaration } = await runtime.inspect({ name: "Begun", code: file?.text ?? "" }, language);
    expect(declaration).toMatchObject({
      on,
      run: true,
      ...(/^xRestApi_(?:DBCreateInit|Authenticate)/.test(on) ? {} : { classes: ["Invoice"] }),
    });
  }
});
