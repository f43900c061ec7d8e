import { Template } from "./read-templates.ts";

const names = new Set(["name", "link"]);

function filled(source: string, values: Record<string, string | null>): string {
  const template = Template.read(source, names);
  if (!(template instanceof Template)) throw new Error(template.join("; "));
  return template.render(new Map(Object.entries(values)), (value) => value.toUpperCase());
}

test.each([
  ["Hello {{name}}!", { name: "anna" }, "Hello ANNA!"],
  ["{{name}}{{name}}", { name: "a" }, "AA"],
  ["a{{#link}}[{{link}}]{{/link}}{{^link}}none{{/link}}b", { link: "x" }, "a[X]b"],
  ["a{{#link}}[{{link}}]{{/link}}{{^link}}none{{/link}}b", { link: null }, "anoneb"],
  ["one\n{{#link}}\ntwo\n{{/link}}\nthree\n", { link: null }, "one\nthree\n"],
  ["one\n  {{#link}}\ntwo\n  {{/link}}\nthree\n", { link: "x" }, "one\ntwo\nthree\n"],
  ["{{name}}", { name: "{{link}} $& $1" }, "{{LINK}} $& $1"],
  ["{ {name} }", {}, "{ {name} }"],
])("%j is filled", (source, values, expected) => {
  expect(filled(source, values)).toBe(expected);
});

test.each([
  ["{{nobody}}", "nobody is none of name, link"],
  ["{{constructor}}", "constructor is none of"],
  ["{{{name}}}", "braces"],
  ["{{ name }}", "braces"],
  ["{{name", "braces"],
  ["name}}", "braces"],
  ["{{> other}}", "braces"],
  ["{{#link}}", "does not end the section link"],
  ["{{/link}}", "not open"],
  ["{{#link}}{{/name}}", "not open"],
  ["{{#link}}{{#name}}{{/name}}{{/link}}", "inside another one"],
])("%j is refused", (source, reason) => {
  expect(Template.read(source, names)).toEqual(expect.arrayContaining([expect.stringContaining(reason)]));
});
