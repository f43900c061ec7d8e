import type { ClassStructure } from "@sallyport/client";
import { changeSteps, obstaclesOf } from "../../src/model/change-steps.ts";
import {
  type ClassEdit,
  classStates,
  type Definition,
  differencesOf,
  editTo,
  noEdit,
} from "../../src/model/model-edits.ts";
import { editsTo, modelFile, ModelFileError, parseModelFile } from "../../src/model/model-file.ts";

const text = (name: string, more: object = {}) =>
  ({ name, type: "string", mandatory: false, indexed: false, inherited: false, ...more }) as const;
const reference = (name: string, target: string, more: object = {}) =>
  ({ ...text(name), type: "reference", target, onDelete: "clear", ...more }) as const;

/** A class as the server returns it. Its attributes are its own. */
const structure = (name: string, more: Partial<ClassStructure> = {}): ClassStructure => ({
  name,
  base: null,
  builtIn: false,
  attributes: [],
  permissions: ["read", "create", "write", "delete"],
  rights: [],
  ...more,
});

const party = structure("Party", { attributes: [text("Name", { mandatory: true })] });
const customer = structure("Customer", {
  base: "Party",
  attributes: [text("Name", { mandatory: true, inherited: true }), text("City")],
  rights: [{ group: "*", permissions: ["read"] }],
});
const invoice = structure("Invoice", { attributes: [reference("Customer", "Customer")] });
const classes = [party, customer, invoice];

const editOf = (edit: Partial<ClassEdit>): ClassEdit => ({ ...noEdit, ...edit });
const statesWith = (edits: Readonly<Record<string, Partial<ClassEdit>>> = {}) =>
  classStates({ classes }, new Map(Object.entries(edits).map(([name, edit]) => [name, editOf(edit)])));
const stateWith = (name: string, edit: Partial<ClassEdit>) => {
  const state = statesWith({ [name]: edit }).get(name);
  if (state === undefined) throw new Error("There is no such class.");
  return state;
};
const attributesOf = (...attributes: readonly Definition["attributes"][number][]) =>
  new Map(attributes.map((each) => [each.name, each]));

describe("edits of a class", () => {
  test.each<readonly [change: string, name: string, edit: Partial<ClassEdit>, parts: readonly string[]]>([
    ["without an edit", "Customer", {}, []],
    [
      "with the stored values",
      "Customer",
      { base: "Party", attributes: attributesOf({ name: "City", type: "string" }) },
      [],
    ],
    ["with an attribute", "Customer", { attributes: attributesOf({ name: "Zip", type: "string" }) }, ["attribute"]],
    [
      "with a base and without an attribute",
      "Customer",
      { base: null, attributes: new Map([["City", null]]) },
      ["base", "attribute"],
    ],
    ["with a title", "Customer", { title: "City" }, ["title"]],
    ["with an empty title", "Customer", { title: "" }, []],
    ["with the same permissions in another order", "Customer", { rights: new Map([["*", ["read"]]]) }, []],
    ["with the rights of a group", "Customer", { rights: new Map([["1F", ["write", "read"]]]) }, ["right"]],
    ["that remove it", "Customer", { isRemoved: true }, ["class"]],
    ["that create it", "Ticket", { attributes: attributesOf({ name: "Zip", type: "string" }) }, ["class", "attribute"]],
  ])("differ from the stored one %s", (_change, name, edit, parts) => {
    expect(differencesOf(stateWith(name, edit)).map(({ part }) => part)).toEqual(parts);
  });

  test("keep what another person changes of other parts", () => {
    const edits = new Map([["Customer", editOf({ attributes: attributesOf({ name: "Zip", type: "string" }) })]]);
    const changed = { ...customer, attributes: [...customer.attributes, text("Country")], rights: [] };
    const edited = classStates({ classes: [party, changed, invoice] }, edits).get("Customer")?.edited;
    expect(edited?.attributes.map(({ name }) => name)).toEqual(["City", "Country", "Zip"]);
    expect(edited?.rights).toEqual([]);
  });

  test("that a definition asks for make the class what it says", () => {
    const stored = statesWith().get("Customer")?.stored ?? null;
    const definition: Definition = {
      base: null,
      title: "Zip",
      attributes: [{ name: "Zip", type: "number", mandatory: true }],
      rights: [{ group: "1F", permissions: ["read", "write"] }],
    };
    expect(stateWith("Customer", editTo(stored, definition)).edited).toMatchObject(definition);
  });
});

describe("steps of a change", () => {
  const namesOf = (edits: Parameters<typeof statesWith>[0]) =>
    changeSteps(statesWith(edits)).map(({ className, definition }) => `${definition === null ? "-" : ""}${className}`);

  test.each<readonly [rule: string, edits: Parameters<typeof statesWith>[0], steps: readonly string[]]>([
    ["nothing without edits", { Customer: {} }, []],
    ["bases before their subclasses", { Beta: { base: "Alpha" }, Alpha: {} }, ["Alpha", "Beta"]],
    [
      "links to later classes in a second step",
      {
        Alpha: { attributes: attributesOf({ name: "Next", type: "reference", target: "Beta" }) },
        Beta: { attributes: attributesOf({ name: "Next", type: "reference", target: "Alpha" }) },
      },
      ["Alpha", "Beta", "Alpha"],
    ],
    [
      "removed classes after what needs them",
      { Party: { isRemoved: true }, Customer: { isRemoved: true }, Invoice: { isRemoved: true } },
      ["-Invoice", "-Customer", "-Party"],
    ],
    [
      "changes before removals",
      { Customer: { isRemoved: true }, Invoice: { attributes: new Map([["Customer", null]]) } },
      ["Invoice", "-Customer"],
    ],
    ["new classes whose bases are a circle", { Alpha: { base: "Beta" }, Beta: { base: "Alpha" } }, ["Alpha", "Beta"]],
  ])("has %s", (_rule, edits, steps) => {
    expect(namesOf(edits)).toEqual(steps);
  });

  test("tells a change of rights alone", () => {
    const rights = new Map([["*", ["read", "write"] as const]]);
    expect(changeSteps(statesWith({ Customer: { rights } }))).toMatchObject([{ isRightsOnly: true }]);
    expect(changeSteps(statesWith({ Customer: { rights, base: null } }))).toMatchObject([{ isRightsOnly: false }]);
  });
});

describe("objects in the way", () => {
  const found = (className: string, kind: string, attribute: string, where?: object) => ({
    className,
    kind,
    attribute,
    where,
  });

  test.each<readonly [reason: string, edits: Parameters<typeof statesWith>[0], obstacles: readonly object[]]>([
    ["of none for an addition", { Customer: { attributes: attributesOf({ name: "Zip", type: "string" }) } }, []],
    ["of a removed class", { Invoice: { isRemoved: true } }, [found("Invoice", "object", "")]],
    [
      "with values of a removed attribute",
      { Customer: { attributes: new Map([["City", null]]) } },
      [found("Customer", "value", "City", { City: { $ne: null } })],
    ],
    [
      "with values of another type",
      { Customer: { attributes: attributesOf({ name: "City", type: "number" }) } },
      [found("Customer", "value", "City", { City: { $ne: null } })],
    ],
    [
      "without values of an attribute that becomes mandatory",
      { Customer: { attributes: attributesOf({ name: "City", type: "string", mandatory: true }) } },
      [found("Customer", "noValue", "City", { City: null })],
    ],
    [
      "without values of a new mandatory attribute",
      { Customer: { attributes: attributesOf({ name: "Zip", type: "string", mandatory: true }) } },
      [found("Customer", "noValue", "Zip")],
    ],
    [
      "with values that a base has given",
      { Customer: { base: null } },
      [found("Customer", "value", "Name", { Name: { $ne: null } })],
    ],
    [
      "with references out of a narrower target",
      { Invoice: { attributes: attributesOf({ name: "Customer", type: "reference", target: "Invoice" }) } },
      [found("Invoice", "value", "Customer", { Customer: { $ne: null } })],
    ],
    [
      "of none for a wider target",
      { Invoice: { attributes: attributesOf({ name: "Customer", type: "reference", target: "Party" }) } },
      [],
    ],
  ])("are those %s", (_reason, edits, obstacles) => {
    expect(obstaclesOf(statesWith(edits))).toEqual(obstacles);
  });
});

describe("model file", () => {
  test("of a database changes nothing in it", () => {
    const states = statesWith();
    const edits = editsTo(parseModelFile(modelFile(states, "all")), states);
    expect([...classStates({ classes }, edits).values()].flatMap(differencesOf)).toEqual([]);
  });

  test("for a new database has no groups", () => {
    const restricted = structure("Note", {
      attributes: [text("Secret", { read: ["1F"] })],
      rights: [
        { group: "*", permissions: ["read"] },
        { group: "1F", permissions: ["write"] },
      ],
    });
    const file = modelFile(classStates({ classes: [restricted] }, new Map()), "none");
    expect(JSON.parse(file)).toMatchObject({
      classes: [{ name: "Note", attributes: [{ name: "Secret", read: [] }], rights: [{ group: "*" }] }],
    });
    expect(file).not.toContain("1F");
  });

  test.each<readonly [text: string, place: string]>([
    ["{", "/"],
    ["[]", "/"],
    ["{}", "/classes"],
    ['{"classes":[1]}', "/classes/0"],
    ['{"classes":[{"name":7}]}', "/classes/0/name"],
    ['{"classes":[{"name":"A","base":7}]}', "/classes/0/base"],
    ['{"classes":[{"name":"A","title":7}]}', "/classes/0/title"],
    ['{"classes":[{"name":"A","attributes":[{"name":"B"}]}]}', "/classes/0/attributes/0/type"],
    [
      '{"classes":[{"name":"A","attributes":[{"name":"B","type":"string","read":"x"}]}]}',
      "/classes/0/attributes/0/read",
    ],
    ['{"classes":[{"name":"A","rights":[{"group":"*"}]}]}', "/classes/0/rights/0/permissions"],
  ])("is refused with the place of its fault: %s", (wrong, place) => {
    expect(() => parseModelFile(wrong)).toThrow(new ModelFileError(place));
  });
});
