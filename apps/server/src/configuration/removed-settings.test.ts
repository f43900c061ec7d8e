import { readFileSync } from "node:fs";
import { join } from "node:path";
import { memory, messageOf } from "../../test/configuration-file.ts";
import { loadConfiguration } from "./load-configuration.ts";
import { removedSettings } from "./removed-settings.ts";
import { configurationFields } from "./schema/configuration-schema.ts";

describe("removed settings", () => {
  const load = (content: object, environment: Record<string, string> = {}) =>
    loadConfiguration({ content: { databases: [memory], ...content }, environment });
  const warningsOf = (...args: Parameters<typeof load>) =>
    load(...args).warnings.filter((each) => each.includes("not used any more"));
  const inFile = (path: string, value: unknown): object =>
    path.split(".").reduceRight<unknown>((inner, name) => ({ [name]: inner }), value) as object;

  test.each(removedSettings.filter(({ value }) => value !== null))(
    "$variable with the value of the server is named, and refused with another one",
    ({ path, variable, value, inDatabases }) => {
      const note = (name: string) => [`${name} is not used any more: the server always uses ${value}. Remove it.`];
      expect(warningsOf({}, { [variable]: `${value}` })).toEqual(note(variable));
      expect(warningsOf(inFile(path, value))).toEqual(note(path));
      const other = typeof value === "number" ? value + 1 : "17ms";
      expect(messageOf({}, { [variable]: `${other}` })).toContain(`${variable} is not used any more: `);
      expect(messageOf(inFile(path, other))).toContain(`${path} is not used any more: `);
      const own = { databases: [{ ...memory, ...inFile(path, other) }] };
      if (inDatabases === true)
        expect(messageOf(own)).toContain(`databases[0].${path} is not used any more: the server always uses ${value}.`);
    },
  );

  test("one that the server derives from the machine is refused with any value", () => {
    expect(messageOf({}, { PASSWORD_HASH_CONCURRENCY: "3" })).toBe(
      "PASSWORD_HASH_CONCURRENCY is not used any more: the server adapts it to the machine. Remove it; WORKERS serves the same need.",
    );
  });

  test("an equal value can have another form, and other members of the section stay", () => {
    expect(warningsOf({ server: { timeouts: { headers: "10000ms", request: "40s" } } })).toHaveLength(1);
    expect(load({ server: { timeouts: { headers: "10s", request: "40s" } } }).server.timeouts.request).toBe(40_000);
  });

  test("an empty variable counts as unset, and no value is repeated", () => {
    expect(warningsOf({}, { SHEDDING_DELAY: "" })).toEqual([]);
    expect(messageOf({}, { SHEDDING_DELAY: "S3cret" })).not.toContain("S3cret");
  });

  test("are not settings any more, and their successors are", () => {
    const fields = configurationFields();
    const variables = fields.flatMap(({ env }) => env ?? []);
    for (const { path, variable, successor } of removedSettings) {
      expect(fields.map((field) => field.path)).not.toContain(path);
      expect(variables).not.toContain(variable);
      if (successor !== null) expect(variables).toContain(successor);
    }
  });

  test("are all in the guide, with their values and successors", () => {
    const guide = readFileSync(join(import.meta.dirname, "../../../../docs/guides/upgrade.md"), "utf8");
    const rows = Array.from(guide.matchAll(/^\| `([A-Z0-9_]+)`, `([\w.]+)` \| (.+) \| (.+) \|$/gm), (row) =>
      row.slice(1),
    );
    expect(rows).toEqual(
      removedSettings.map(({ path, variable, value, successor }) => [
        variable,
        path,
        value === null ? "adapts to the machine" : `\`${value}\``,
        successor === null ? "none" : `\`${successor}\``,
      ]),
    );
  });
});
