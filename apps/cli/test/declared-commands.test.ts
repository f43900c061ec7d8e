import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { administrationOperations, operations, operationsOf } from "@sallyport/contract";
import type { SallyportAdmin } from "@sallyport/client/admin";
import * as z from "zod";
import { CommandInput } from "../src/admin-command.ts";
import { type DeclaredCommand, withDeclared } from "../src/declared-commands.ts";
import { mainCommand } from "../src/main-command.ts";
import { listed, type Outcome } from "../src/outcome.ts";
import { Questions } from "../src/questions.ts";

const { declaredCommands } = (await import(
  pathToFileURL(join(import.meta.dirname, "../make-declared-commands.mjs")).href
)) as {
  readonly declaredCommands: (all: readonly object[]) => DeclaredCommand[];
};

const printer = z.object({
  printerId: z.string(),
  enabled: z.boolean(),
  name: z.string(),
  since: z.string().nullable().meta({ format: "date-time" }),
  trays: z.array(z.string()),
  pages: z.int(),
  color: z.boolean(),
  place: z.object({ floor: z.int() }),
});
const kind = z.enum(["laser", "ink"]);

const sample = operations("Operations", {
  listPrinters: {
    method: "GET",
    path: "/admin/v1/printers",
    access: "session",
    summary: "List the printers",
    query: z.object({ after: z.string().optional(), limit: z.string().optional(), floor: z.string().optional() }),
    data: z.object({ items: z.array(printer), next: z.string().nullable() }),
    command: { name: "printer list", help: "list printers" },
  },
  addPrinter: {
    method: "POST",
    path: "/admin/v1/printers",
    access: "session",
    summary: "Add a printer",
    body: { json: z.object({ name: z.string(), kind, color: z.boolean().default(false), rooms: z.array(z.string()) }) },
    data: printer,
    command: { name: "printer add", help: "add a printer", done: 'Added printer "{name}".' },
  },
  getPrinter: {
    method: "GET",
    path: "/admin/v1/printers/{printerId}",
    access: "session",
    summary: "Get a printer",
    data: printer,
    versioned: true,
    command: { name: "printer show", help: "show a printer" },
  },
  changePrinter: {
    method: "PATCH",
    path: "/admin/v1/printers/{printerId}",
    access: "session",
    summary: "Change a printer",
    body: {
      json: z
        .object({
          note: z.string().nullable().describe("New `note`."),
          pages: z.int(),
          color: z.boolean(),
          kind,
          trays: z.array(z.string()),
          layout: z.record(z.string(), z.int()),
        })
        .partial(),
    },
    data: printer,
    conditional: true,
    command: { name: "printer change", help: "change a printer", done: 'Changed printer "{name}".' },
  },
});
const commands = declaredCommands(Object.values(sample));

/** Executes a command on a server that records the calls. */
async function execute(name: string, words: readonly string[], options: object = {}) {
  const hall = { printerId: "7", name: "hall", enabled: true, since: null, trays: ["a", "b"], pages: 3, color: false };
  const loft = { ...hall, printerId: "8", name: "loft", enabled: false, trays: [] };
  const calls: (readonly [operation: string, options: Readonly<Record<string, unknown>>])[] = [];
  const call = async (operation: string, input: { readonly query?: { readonly after?: string } }) => {
    calls.push([operation, input]);
    if (operation !== "GET /admin/v1/printers") return hall;
    return input.query?.after === "p" ? { items: [loft], next: null } : { items: [hall], next: "p" };
  };
  const [noun] = withDeclared([], commands);
  const command = noun?.commands.find((each) => each.name === `printer ${name}`);
  const input = new CommandInput(
    { call } as unknown as SallyportAdmin,
    new Questions(),
    words,
    new Map(Object.entries(options)),
  );
  const outcome = (await command?.call(input)) as Outcome;
  return { calls, outcome, last: calls.at(-1) };
}

test("the build has written the commands of all declarations, and the command line has them", () => {
  const declared = declaredCommands(operationsOf(administrationOperations));
  const file = new URL("../dist/declared-commands.json", import.meta.url);
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(JSON.parse(JSON.stringify(declared)));
  expect(declared.length).toBeGreaterThan(0);
  const main = mainCommand();
  for (const { name, help } of declared) {
    const [noun, verb] = name.split(" ");
    const found = main.commands.find((each) => each.name() === noun)?.commands.filter((each) => each.name() === verb);
    expect({ name, help: found?.map((each) => each.description()) }).toEqual({ name, help: [help] });
  }
});

test("arguments and options follow from path, query and body", () => {
  const [noun] = withDeclared([], commands);
  expect(noun).toMatchObject({ name: "printer", description: "maintenance, limits, examination, keys and mail" });
  expect(noun?.commands.map(({ name, arguments: words, options }) => ({ name, words, options }))).toEqual([
    { name: "printer list", words: [], options: [["--floor <text>", "floor"]] },
    {
      name: "printer add",
      words: [
        ["<name>", "name"],
        ["<laser|ink>", "kind"],
      ],
      options: [
        ["--color", "color"],
        ["--rooms <text...>", "rooms"],
      ],
    },
    { name: "printer show", words: [["<name>", "name or id of the printer"]], options: [] },
    {
      name: "printer change",
      words: [["<name>", "name or id of the printer"]],
      options: [
        ["--note <text>", "new note; empty to remove it"],
        ["--pages <number>", "pages"],
        ["--color <yes|no>", "color"],
        ["--kind <laser|ink>", "kind"],
        ["--trays <text...>", "trays"],
        ["--layout <json>", "layout"],
      ],
    },
  ]);
});

test("a list is a table of all pages", async () => {
  const { outcome, calls } = await execute("list", [], { floor: "2" });
  expect(outcome.text).toBe(
    [
      "NAME  ID  STATE     SINCE  TRAYS  PAGES  COLOR",
      "hall  7   enabled   none   a, b   3      no",
      "loft  8   disabled  none   none   3      no",
    ].join("\n"),
  );
  expect(outcome.data).toMatchObject([{ name: "hall" }, { name: "loft" }]);
  expect(calls.map(([, { query }]) => query)).toMatchObject([{ floor: "2" }, { floor: "2", after: "p" }]);
});

test("a declaration chooses columns, of members that the schema has", () => {
  const { listPrinters } = sample;
  const choosing = (...columns: string[]) =>
    declaredCommands([{ ...listPrinters, command: { name: "printer list", help: "list printers", columns } }]);
  expect(choosing("since", "name")[0]?.columns.map(({ label, kind: of }) => [label, of])).toEqual([
    ["since", "time"],
    ["name", "string"],
  ]);
  expect(() => choosing("place")).toThrow('/admin/v1/printers has no member "place" that a command can show.');
});

test("the columns without room are counted where their names have none either", () => {
  const columns = Object.fromEntries(
    Array.from({ length: 30 }, (_, index) => [`COLUMN ${index}`, () => "a text of a cell"] as const),
  );
  const lines = listed("printers", [{}], columns).text.split("\n");
  expect(lines.at(-1)).toMatch(/^\(no room for \d+ columns: see --json\)$/);
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
});

test("one thing is shown with a line for each value, and found by its name or id", async () => {
  const { outcome, last } = await execute("show", ["loft"]);
  expect(outcome.text).toMatch(/^name +hall\nid +7\nstate +enabled\nsince +none\ntrays +a, b\npages +3\ncolor +no$/);
  expect(last).toEqual(["GET /admin/v1/printers/{printerId}", { path: { printerId: "8" }, query: {} }]);
  expect((await execute("show", ["7"])).last).toMatchObject([{}, { path: { printerId: "7" } }]);
  await expect(execute("show", ["haal"])).rejects.toThrow('There is no printer "haal". Did you mean "hall"?');
});

test("a change sends what is passed, with the version that it read", async () => {
  const options = { note: "", pages: "4", color: "yes", kind: "ink", trays: ["c"], layout: '{"x":1}' };
  const { outcome, last } = await execute("change", ["hall"], options);
  expect(outcome.text).toBe('Changed printer "hall".');
  const body = { note: null, pages: 4, color: true, kind: "ink", trays: ["c"], layout: { x: 1 } };
  const ifMatch = expect.objectContaining({ printerId: "7" });
  expect(last).toEqual([
    "PATCH /admin/v1/printers/{printerId}",
    { path: { printerId: "7" }, query: {}, body, ifMatch },
  ]);
  const added = await execute("add", ["attic", "laser"], { color: true, rooms: ["1", "2"] });
  expect(added.last).toMatchObject([
    "POST /admin/v1/printers",
    { body: { name: "attic", kind: "laser", color: true, rooms: ["1", "2"] } },
  ]);
});

test.each<[string, object, string]>([
  ["no option", {}, "Pass --note or --pages or --color or --kind or --trays or --layout."],
  ["a number in words", { pages: "many" }, "--pages must be an integer."],
  ["another choice", { kind: "wax" }, '--kind must be laser or ink, not "wax".'],
  ["another truth", { color: "maybe" }, '--color must be yes or no, not "maybe".'],
  ["broken JSON", { layout: "{" }, "--layout must be JSON."],
])("%s is a wrong usage", async (_title, options, message) => {
  await expect(execute("change", ["hall"], options)).rejects.toThrow(message);
});

test("a conditional operation without a read of its version has no command", () => {
  const { changePrinter } = sample;
  expect(() => declaredCommands([changePrinter])).toThrow("No operation reads the version of /admin/v1/printers/");
});
