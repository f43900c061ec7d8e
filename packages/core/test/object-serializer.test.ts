import { type ClassDefinition, defaultDepth, fullPlan, Model, ObjectSerializer, type Repositories, seesAll, StoreTime, type Visibility } from "../src/index.ts";
import { type Fixture, openFixture } from "./fixture.ts";

const book: ClassDefinition = {
  name: "Book",
  base: null,
  attributes: [
    { name: "Title", type: "string" },
    { name: "Author", type: "reference", target: "Person" },
    { name: "Readers", type: "collection", target: "Person" },
    { name: "Notes", type: "json" },
    { name: "constructor", type: "string" },
  ],
  rights: [],
};
const person: ClassDefinition = {
  name: "Person",
  base: null,
  attributes: [
    { name: "Name", type: "string" },
    { name: "Favourite", type: "reference", target: "Book" },
  ],
  rights: [],
};

describe("ObjectSerializer", () => {
  let fixture: Fixture;
  let ids: { book: string; author: string; secret: string };
  let batches: string[][];

  beforeEach(async () => {
    fixture = await openFixture();
    await fixture.define(book, person);
    const [author, secret] = await fixture.insert(
      { className: "Person", attributes: { Name: "Author" } },
      { className: "Person", attributes: { Name: "Secret" }, readers: ["ZZZ"] },
    );
    const [first] = await fixture.insert({
      className: "Book",
      attributes: { Title: "One", Author: author as string, Readers: [author as string, secret as string, "NOTHING"], Notes: { deep: [1, null] }, Undeclared: "x" },
    });
    ids = { book: first as string, author: author as string, secret: secret as string };
    batches = [];
  });

  const serialize = async (id: string, visibility: Visibility, depth = defaultDepth) => {
    const model = new Model(await fixture.r.model.load());
    const { objects } = fixture.r;
    const counted: Repositories["objects"] = {
      get: (asked, seen) => (batches.push([...asked]), objects.get(asked, seen)),
      getByUuid: (uuid, seen) => objects.getByUuid(uuid, seen),
      find: (query, seen, page) => objects.find(query, seen, page),
      count: (query, seen, atMost) => objects.count(query, seen, atMost),
      getByUuids: (uuids, seen) => objects.getByUuids(uuids, seen),
      visible: (asked, seen) => objects.visible(asked, seen),
      hold: (held) => objects.hold(held),
      insert: (added) => objects.insert(added),
      update: (changes, by) => objects.update(changes, by),
    };
    const roots = await objects.get([id], visibility);
    const source = { objects: counted, visibility, storeTime: new StoreTime("UTC") };
    const [serialized] = await new ObjectSerializer(source, fullPlan(model, depth)).run(roots);
    return serialized as NonNullable<typeof serialized>;
  };
  const nobody: Visibility = { classes: null, principals: new Set() };

  test("writes meta-fields, then the attributes of the class in its order, and nothing else", async () => {
    const object = await serialize(ids.book, seesAll);
    expect(Object.keys(object)).toEqual(["~ClassName", "~ObjectID", "~StoreTime", "Title", "Author", "Readers", "Notes"]);
    expect(object).toMatchObject({ "~ClassName": "Book", Title: "One", Notes: { deep: [1, null] } });
  });

  test("counts and lists what a collection holds and the caller may see", async () => {
    expect((await serialize(ids.book, seesAll))["Readers"]).toMatchObject({ "~Count": 2, "~UnfilteredCount": 2 });
    const seen = (await serialize(ids.book, nobody))["Readers"];
    expect(seen).toMatchObject({ "~Count": 1, "~UnfilteredCount": 1, "~Elements": [{ "~ObjectID": ids.author }] });
    expect(JSON.stringify(seen)).not.toContain("Secret");
  });

  test("writes a reference that leads nowhere, or to what is hidden, as null", async () => {
    const [lost, hidden] = await fixture.insert(
      { className: "Book", attributes: { Author: "GONE" } },
      { className: "Book", attributes: { Author: ids.secret } },
    );
    expect((await serialize(lost as string, nobody))["Author"]).toBeNull();
    expect((await serialize(hidden as string, nobody))["Author"]).toBeNull();
  });

  test.each([
    [0, ["~ClassName", "~ObjectID", "~StoreTime"], 1],
    [1, ["~ClassName", "~ObjectID", "~StoreTime", "Name"], 1],
  ])("at depth %i a reference shows %j", async (depth, members, loads) => {
    const { Author } = await serialize(ids.book, seesAll, depth);
    expect(Object.keys(Author as object)).toEqual(members);
    expect(batches).toHaveLength(loads);
  });

  test("loads each step in one batch, each object once, and stops in circles", async () => {
    const [reader, other] = await fixture.insert(
      { className: "Person", attributes: { Name: "Reader", Favourite: ids.book } },
      { className: "Person", attributes: { Name: "Other", Favourite: ids.book } },
    );
    const [round] = await fixture.insert({ className: "Book", attributes: { Readers: [reader as string, other as string] } });
    const text = JSON.stringify(await serialize(round as string, seesAll));
    expect(text.match(/"Title":"One"/g)).toHaveLength(2);
    expect(batches.map((batch) => batch.length)).toEqual([2, 1, 3]);
  });

  test("refuses an answer that would hold more than 100,000 objects", async () => {
    const people = await fixture.insert(...Array.from({ length: 400 }, (_, n) => ({ className: "Person", attributes: { Name: `${n}` } })));
    const shelf = await fixture.insert(...Array.from({ length: 300 }, () => ({ className: "Book", attributes: { Readers: people } })));
    const model = new Model(await fixture.r.model.load());
    const roots = await fixture.r.objects.get(shelf, seesAll);
    const source = { objects: fixture.r.objects, visibility: seesAll, storeTime: new StoreTime("UTC") };
    await expect(new ObjectSerializer(source, fullPlan(model, defaultDepth)).run(roots)).rejects.toMatchObject({ code: 307 });
  });
});
