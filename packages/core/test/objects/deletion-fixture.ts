import { type ClassDefinition, type NewObject, type ObjectId, seesAll, type StoredObject } from "@sallyport/storage";
import { type DeleteObjectInput, deleteObject, restoreObject, type ObjectContext } from "../../src/index.ts";
import { type Fixture, openFixture } from "../fixture.ts";
import { sessionContext } from "../session-context.ts";

const everything = ["read", "create", "write", "delete"] as const;
export const deletionRights = [
  { group: "A1", permissions: everything },
  { group: "B2", permissions: ["read", "write", "create"] },
] as const;
export const deletionClasses: ClassDefinition[] = [
  {
    name: "Thing",
    base: null,
    attributes: [
      { name: "Name", type: "string" },
      { name: "Size", type: "number" },
      { name: "Near", type: "reference" },
      { name: "All", type: "collection" },
      { name: "Kept", type: "reference", onDelete: "refuse" },
      { name: "Crew", type: "collection" },
      { name: "Owner", type: "reference", onDelete: "cascade" },
      { name: "Owners", type: "collection", onDelete: "cascade" },
    ],
    rights: deletionRights,
  },
  {
    name: "Strict",
    base: "Thing",
    attributes: [
      { name: "Needed", type: "reference", mandatory: true },
      { name: "Parts", type: "collection", mandatory: true },
    ],
    rights: deletionRights,
  },
  // The same name with another rule.
  {
    name: "Other",
    base: null,
    attributes: [
      { name: "Name", type: "string" },
      { name: "Kept", type: "reference" },
      { name: "Near", type: "reference", onDelete: "cascade" },
    ],
    rights: deletionRights,
  },
  {
    name: "Foreign",
    base: null,
    attributes: [
      { name: "Name", type: "string" },
      { name: "Owner", type: "reference", onDelete: "cascade" },
    ],
    rights: [],
  },
];

/** Fixture for deletions and restores, with a new database for each test. Call it where tests are defined. */
export function deletionFixture() {
  let fixture: Fixture;
  let context: ObjectContext;
  const errorWith = (code: number) => expect.objectContaining({ code });

  beforeEach(async () => {
    fixture = await openFixture();
    await fixture.define(...deletionClasses);
    context = await sessionContext(fixture, { groups: ["A1"] });
  });

  /** Creates an object that refers to others by these attributes. */
  const create = async (
    links: Readonly<Record<string, ObjectId | readonly ObjectId[]>> = {},
    more: Partial<NewObject> = {},
  ): Promise<ObjectId> => {
    const object = {
      className: "Thing",
      attributes: { Name: "thing", ...links },
      links: Object.fromEntries(Object.entries(links).map(([name, ids]) => [name, [ids].flat()])),
      ...more,
    };
    return (await fixture.insert(object))[0] as ObjectId;
  };
  const deleteIn = (as: ObjectContext, id: ObjectId, input: Partial<DeleteObjectInput> = {}) =>
    deleteObject(as, { kind: "id", id }, { recycled: false, expectedVersions: null, ...input });
  const deleted = (id: ObjectId, input?: Partial<DeleteObjectInput>) => deleteIn(context, id, input);
  const recycle = (id: ObjectId) => deleted(id, { recycled: true });
  const restored = (id: ObjectId) => restoreObject(context, { kind: "id", id });
  const live = async (...ids: ObjectId[]) => (await fixture.r.objects.get(ids, seesAll)).map(({ id }) => id).toSorted();
  const read = async (id: ObjectId) => (await fixture.r.objects.get([id], seesAll))[0] as StoredObject;
  const leftOf = async (id: ObjectId) => (await fixture.r.deletion.find({ kind: "id", id }, seesAll))?.kind;

  return {
    get fixture() {
      return fixture;
    },
    /** The session that deletes and restores, unless a test names another one. */
    get context() {
      return context;
    },
    set context(next) {
      context = next;
    },
    create,
    deleteIn,
    deleted,
    errorWith,
    leftOf,
    live,
    read,
    recycle,
    restored,
  };
}
