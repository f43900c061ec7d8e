import { checks } from "./checks.ts";
import { numberOfChecks } from "./number-of-checks.ts";

test("no check has vanished, and none was added without being counted", () => {
  expect(checks).toHaveLength(numberOfChecks);
});

test("every check has a name of its own", () => {
  const names = checks.map(({ name }) => name);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

test("the sections follow one another without mixing", () => {
  const sections = checks.map(({ section }) => section);
  const changes = sections.filter((section, index) => section !== sections[index - 1]);
  expect(changes).toHaveLength(new Set(sections).size);
});
