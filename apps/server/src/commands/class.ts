import { type Principal, seesAll } from "@sallyport/storage";
import { type ClassStructure, readStructure } from "@sallyport/core";
import { listCommand } from "../command-line/list-command.ts";
import type { ServerCommand } from "../command-line/server-command.ts";
import type { OpenedDatabase } from "../command-line/with-database.ts";

interface ListedClass {
  readonly structure: ClassStructure;
  /** Number of objects of exactly this class. */
  readonly objects: number;
}

/** An operator of the command line can read everything. */
const operator: Principal = { userId: "", groups: [], administrator: true };

/** `class list`. */
export function defineClass(group: ServerCommand): void {
  group.addCommand(
    listCommand<ListedClass>({
      plural: "classes",
      read,
      json: ({ structure: { permissions: _permissions, ...structure }, objects }) => ({ ...structure, objects }),
      columns: {
        NAME: ({ structure }) => structure.name,
        BASE: ({ structure }) => structure.base ?? "none",
        ATTRIBUTES: ({ structure }) => structure.attributes.map(({ name }) => name).join(" ") || "none",
        INDEXES: ({ structure }) => indexesOf(structure),
        OBJECTS: ({ objects }) => String(objects),
      },
    }),
  );
}

async function read({ database }: OpenedDatabase): Promise<ListedClass[]> {
  const r = database.storage.repositories;
  const { generation } = await r.model.load();
  const { classes } = await readStructure({
    r,
    database,
    unit: database.unit,
    principal: operator,
    modelGeneration: generation,
  });
  const listed: ListedClass[] = [];
  for (const structure of classes)
    listed.push({ structure, objects: await r.objects.count({ classes: [structure.name] }, seesAll) });
  return listed;
}

function indexesOf({ attributes }: ClassStructure): string {
  const indexed = attributes.filter((attribute) => attribute.indexed);
  return (
    indexed.map(({ name, indexState }) => (indexState === "ready" ? name : `${name} (building)`)).join(" ") || "none"
  );
}
