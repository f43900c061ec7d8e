import { MacroStore } from "@sallyport/core";
import { randomUUID } from "node:crypto";
import type { FaultFixture } from "./fault-fixture.ts";
import { named } from "./object-operations.ts";
import { either, type Scene, type WriteOperation } from "./write-operation.ts";

const macros: Readonly<Record<string, string>> = {
  CreateTwo: "await objects.create('Customer', { Name: input }); await objects.create('Customer', { Name: input });",
  CreateAndCall: "await objects.create('Customer', { Name: input }); await call('CreateOne', input);",
  CreateOne: "await objects.create('Customer', { Name: input });",
  CreateInPieces: "await objects.create('Customer', { Name: input });",
};

/** Puts the macros into the storage, without faults. */
export async function define({ storage }: FaultFixture): Promise<void> {
  const stored = new MacroStore(storage.repositories);
  if ((await stored.load()).macros.length > 0) return;
  for (const [name, body] of Object.entries(macros)) {
    const more = name === "CreateInPieces" ? "transaction: false, " : "";
    const text = `import { defineMacro } from "@sallyport/macros"; export default defineMacro({ ${more}access: "everyone", run: async ({ input, objects, call }) => { ${body} } });`;
    await stored.put({ name, text, language: "js", changedBy: "test" }, null);
  }
}

/** Two customers of a name, or none. */
const customers =
  (path: string, bodyOf: (name: string) => unknown, count = 2): WriteOperation["prepare"] =>
  async (fixture): Promise<Scene> => {
    await define(fixture);
    const name = randomUUID();
    return {
      request: { method: "POST", path, body: bodyOf(name) as object },
      state: async () => either(await named(fixture.storage, name), 0, count),
    };
  };

const executed = (macro: string, count?: number) => customers(`/v1/execute/${macro}`, (name) => name, count);
const creation = (Name: string) => ({ method: "POST", path: "/v1/object/Customer", data: { Name } });

const macroWrites: readonly WriteOperation[] = [
  { title: "executes a macro that creates two objects", done: "commit", prepare: executed("CreateTwo") },
  {
    title: "executes a macro that calls another one to create the second object",
    done: "commit",
    prepare: executed("CreateAndCall"),
  },
  { title: "executes a macro without a transaction", done: "objects.insert", prepare: executed("CreateInPieces", 1) },
  {
    title: "creates two objects in one transaction of two requests",
    done: "commit",
    prepare: customers("/v1/multi?atomic=true", (name) => [creation(name), creation(name)]),
  },
  {
    title: "creates an object and executes a macro in one transaction",
    done: "commit",
    prepare: customers("/v1/multi?atomic=true", (name) => [
      creation(name),
      { method: "POST", path: "/v1/execute/CreateOne", data: name },
    ]),
  },
];

/** Macros, and many requests in one transaction. */
export const macroOperations: readonly WriteOperation[] = macroWrites.map((each) => ({
  ...each,
  refusal: 713,
  refusedCall: "objects.insert",
}));
