import { type ClassDefinition, type ObjectId, seesAll, type StoredObject } from "@sallyport/storage";
import type { ObjectContext } from "../../src/index.ts";
import { type Fixture, openFixture, using } from "../fixture.ts";
import { sessionContext } from "../session-context.ts";
import { PlainHooks } from "./plain-hooks.ts";

const everything = ["read", "create", "write", "delete"] as const;
const rights = [{ group: "A1", permissions: everything }];
const classes: ClassDefinition[] = [
  {
    name: "Person",
    base: null,
    attributes: [
      { name: "Name", type: "string", mandatory: true },
      { name: "Note", type: "string" },
      { name: "Age", type: "number" },
      { name: "Boss", type: "reference", target: "Person" },
      { name: "Team", type: "collection", target: "Person" },
      { name: "Secret", type: "reference", target: "Secret" },
    ],
    rights,
  },
  { name: "Manager", base: "Person", attributes: [], rights },
  {
    name: "Task",
    base: null,
    attributes: [
      { name: "Title", type: "string" },
      { name: "Owner", type: "reference", target: "Person", onDelete: "cascade" },
    ],
    rights,
  },
  {
    name: "Secret",
    base: null,
    attributes: [
      { name: "Owner", type: "reference", target: "Person", onDelete: "cascade" },
      { name: "Word", type: "string" },
    ],
    rights: [],
  },
];

/** Hooks over a database in memory, and a user with all rights on all classes but `Secret`. */
export interface HookFixture {
  readonly fixture: Fixture;
  readonly hooks: PlainHooks;
  readonly context: ObjectContext;
  stored(id: ObjectId): Promise<StoredObject | undefined>;
}

export async function openHookFixture(): Promise<HookFixture> {
  const fixture = await openFixture();
  await fixture.define(...classes);
  const hooks = new PlainHooks();
  return {
    fixture,
    hooks,
    context: using(await sessionContext(fixture, { groups: ["A1"] }), { objectHooks: hooks }),
    stored: async (id) => (await fixture.r.objects.get([id], seesAll))[0],
  };
}
