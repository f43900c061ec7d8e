import {
  CreateObject,
  GetObject,
  JoinedUnit,
  ListObjects,
  type ObjectId,
  ReadStructure,
  seesAll,
  type SessionContext,
  UpdateObject,
} from "../src/index.ts";
import { digests, type Fixture, openFixture, plainCursors } from "./fixture.ts";
import { sessionContext } from "./session-context.ts";

const rollbackSignal = new Error("rolled back");
const list = {
  className: "File",
  query: undefined,
  page: 0,
  perPage: 1,
  cursor: undefined,
  capped: false,
  serialization: undefined,
};
const quietly = { took: () => {} };

let fixture: Fixture;
let context: SessionContext;

beforeEach(async () => {
  fixture = await openFixture();
  context = await sessionContext(fixture, { administrator: true });
});

/** Runs work with the context of an open transaction, which is then rolled back or committed. */
function joined<T>(
  work: (inside: SessionContext) => Promise<T>,
  end: "committed" | "rolled back" = "committed",
): Promise<T | undefined> {
  const running = fixture.database.storage.transaction(async (r, attempt) => {
    const result = await work({ ...context, r, unit: new JoinedUnit(r, attempt) });
    if (end === "rolled back") throw rollbackSignal;
    return result;
  });
  return running.catch((error: unknown) => {
    if (error !== rollbackSignal) throw error;
    return undefined;
  });
}

async function user(name: string): Promise<ObjectId> {
  const [id] = (await fixture.insert({ className: "User", attributes: { Name: name } })) as [ObjectId];
  await fixture.r.accounts.create({ userId: id, loginName: name, secret: "", administrator: false }, name);
  return id;
}

const nameOf = async ({ r }: SessionContext, id: ObjectId) =>
  (await r.objects.get([id], seesAll))[0]?.attributes["Name"];

test("a failed use case leaves no changes, and the next one continues", async () => {
  const [anna] = [await user("anna"), await user("berta")];
  const rename = (inside: SessionContext, name: string) =>
    new UpdateObject().updateObject(
      inside,
      { kind: "id", id: anna },
      { given: { Name: name }, expectedVersions: null, serialization: undefined },
    );
  await joined(async (inside) => {
    await expect(rename(inside, "berta")).rejects.toMatchObject({ code: 307 });
    expect(await nameOf(inside, anna)).toBe("anna");
    await rename(inside, "carla");
  });
  expect(await nameOf(context, anna)).toBe("carla");
  expect(await fixture.r.accounts.find({ realm: "database", loginName: "carla" }, [])).toMatchObject({
    account: { userId: anna },
  });
});

test("objects that a rollback removes are not cached", async () => {
  let id = "";
  await joined(async (inside) => {
    const { object } = await new CreateObject().createObject(inside, "UserGroup", { Name: "new" });
    id = String(object["~ObjectID"]);
    await new GetObject().getObject(inside, { kind: "id", id });
  }, "rolled back");
  expect(id).not.toBe("");
  expect(fixture.database.classes.of(id)).toBeUndefined();
});

test("a count of objects that a rollback removes is not cached", async () => {
  const lists = new ListObjects(digests as never, plainCursors, quietly);
  await joined(async (inside) => {
    await inside.r.objects.insert(Array.from({ length: 5_001 }, () => ({ className: "File", attributes: {} })));
    expect((await lists.listObjects(inside, list)).list["~Count"]).toBe(5_001);
  }, "rolled back");
  expect((await lists.listObjects(context, list)).list["~Count"]).toBe(0);
});

test("a transaction loads the model by itself, and not for other requests", async () => {
  const { database } = fixture;
  const [id] = (await fixture.insert({ className: "File", attributes: {} })) as [ObjectId];
  // Another request waits for a connection to load it.
  void database.models.current(context.modelGeneration, { load: () => new Promise(() => {}) });
  await joined((inside) => new GetObject().getObject(inside, { kind: "id", id }));
  expect(database.models.loaded(context.modelGeneration)).toBeUndefined();
});

test("classes are not shown within a transaction", async () => {
  await joined((inside) => expect(new ReadStructure().readStructure(inside)).rejects.toMatchObject({ code: 307 }));
});
