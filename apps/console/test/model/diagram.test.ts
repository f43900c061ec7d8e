import { diagramOf } from "../../src/model/diagram-layout.ts";
import type { ClassState, Definition } from "../../src/model/model-edits.ts";

const state = (name: string, definition: Partial<Definition> = {}): [string, ClassState] => {
  const edited = { base: null, attributes: [], rights: [], ...definition };
  return [name, { name, isBuiltIn: false, stored: edited, edited }];
};
const reference = (name: string, target: string) => ({ name, type: "reference", target }) as const;

test("a diagram has each class once, its lines, and no two classes in one place", () => {
  const { classes, lines } = diagramOf(
    new Map([
      state("Party"),
      state("Customer", { base: "Party", attributes: [reference("Partner", "Customer")] }),
      state("Invoice", { attributes: [reference("Customer", "Customer"), reference("Payer", "Customer")] }),
    ]),
  );
  expect(classes.map(({ name }) => name)).toEqual(["Party", "Customer", "Invoice"]);
  expect(lines.map(({ from, to, attribute }) => [from, to, attribute])).toEqual([
    ["Customer", "Party", null],
    ["Customer", "Customer", "Partner"],
    ["Invoice", "Customer", "Customer"],
    ["Invoice", "Customer", "Payer"],
  ]);
  for (const [index, one] of classes.entries()) {
    for (const other of classes.slice(index + 1)) {
      const isApart =
        one.x + one.width <= other.x ||
        other.x + other.width <= one.x ||
        one.y + one.height <= other.y ||
        other.y + other.height <= one.y;
      expect([one.name, other.name, isApart]).toEqual([one.name, other.name, true]);
    }
  }
});

test("bases are above their subclasses", () => {
  const { classes } = diagramOf(new Map([state("Customer", { base: "Party" }), state("Party")]));
  const [customer, party] = classes;
  expect(party?.y ?? 0).toBeLessThan(customer?.y ?? 0);
});

test("a line to a removed class is left out, and the attributes beyond the first are counted", () => {
  const many = Array.from({ length: 12 }, (_, index) => ({ name: `A${index}`, type: "string" }) as const);
  const [removed] = [state("Gone")];
  const { classes, lines } = diagramOf(
    new Map([state("Note", { base: "Gone", attributes: many }), ["Gone", { ...removed[1], edited: null }]]),
  );
  expect(lines).toEqual([]);
  expect(classes).toMatchObject([{ name: "Note", hidden: 4 }]);
  expect(classes[0]?.attributes).toHaveLength(8);
});
