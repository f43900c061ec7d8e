import { serializeWritten } from "../../src/objects/serialization/object-serializer.ts";
import {
  AnswerTooLargeError,
  type ClassDefinition,
  defaultAnswerBytes,
  seesAll,
  type StoredObject,
  type Visibility,
} from "@sallyport/storage";
import {
  defaultDepth,
  fullPlan,
  Model,
  type ObjectPlan,
  ObjectSerializer,
  type SerializationSource,
  StoreTime,
  withUuid,
} from "../../src/index.ts";
import { type Fixture, openFixture } from "../fixture.ts";

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
      attributes: {
        Title: "One",
        Author: author as string,
        Readers: [author as string, secret as string, "NOTHING"],
        Notes: { deep: [1, null] },
        Undeclared: "x",
      },
    });
    ids = { book: first as string, author: author as string, secret: secret as string };
    batches = [];
  });

  const serialize = async (id: string, visibility: Visibility, depth = defaultDepth) => {
    const model = new Model(await fixture.r.model.load());
    const { objects } = fixture.r;
    const counted: SerializationSource["objects"] = {
      get: (...parts) => {
        const [which] = parts;
        batches.push(["uuids" in which ? which.uuids : which].flat());
        return objects.get(...parts);
      },
      outlines: (...parts) => (batches.push([...parts[0]]), objects.outlines(...parts)),
    };
    const roots = await objects.get([id], visibility);
    const source = { objects: counted, visibility, storeTime: new StoreTime("UTC"), answerBytes: defaultAnswerBytes };
    const [serialized] = await new ObjectSerializer(source, withUuid(fullPlan(model, depth))).serialize(roots);
    return serialized as NonNullable<typeof serialized>;
  };
  const nobody: Visibility = { classes: null, principals: new Set() };

  test("writes meta-fields, then the attributes in the order of the class, and nothing else", async () => {
    const object = await serialize(ids.book, seesAll);
    expect(Object.keys(object)).toEqual([
      "~ClassName",
      "~ObjectID",
      "~UUID",
      "~StoreTime",
      "Title",
      "Author",
      "Readers",
      "Notes",
    ]);
    expect(object).toMatchObject({ "~ClassName": "Book", Title: "One", Notes: { deep: [1, null] } });
  });

  test("counts and lists the members of a collection that the caller may see", async () => {
    expect((await serialize(ids.book, seesAll))["Readers"]).toMatchObject({ "~Count": 2, "~UnfilteredCount": 2 });
    const seen = (await serialize(ids.book, nobody))["Readers"];
    expect(seen).toMatchObject({ "~Count": 1, "~UnfilteredCount": 1, "~Elements": [{ "~ObjectID": ids.author }] });
    expect(JSON.stringify(seen)).not.toContain("Secret");
  });

  test("writes a reference to a missing or hidden object as null", async () => {
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
  ])("at depth %i, shows a reference as %j", async (depth, members, loads) => {
    const { Author } = await serialize(ids.book, seesAll, depth);
    expect(Object.keys(Author as object)).toEqual(members);
    expect(batches).toHaveLength(loads);
  });

  test("loads each level in one batch, each object once, and stops at cycles", async () => {
    const [reader, other] = await fixture.insert(
      { className: "Person", attributes: { Name: "Reader", Favourite: ids.book } },
      { className: "Person", attributes: { Name: "Other", Favourite: ids.book } },
    );
    const [round] = await fixture.insert({
      className: "Book",
      attributes: { Readers: [reader as string, other as string] },
    });
    const text = JSON.stringify(await serialize(round as string, seesAll));
    expect(text.match(/"Title":"One"/g)).toHaveLength(2);
    expect(batches.map((batch) => batch.length)).toEqual([2, 1, 3]);
  });

  test("refuses an answer with more than 100,000 objects", async () => {
    const people = await fixture.insert(
      ...Array.from({ length: 400 }, (_, n) => ({ className: "Person", attributes: { Name: `${n}` } })),
    );
    const shelf = await fixture.insert(
      ...Array.from({ length: 300 }, () => ({ className: "Book", attributes: { Readers: people } })),
    );
    const model = new Model(await fixture.r.model.load());
    const roots = await fixture.r.objects.get(shelf, seesAll);
    const source = {
      objects: fixture.r.objects,
      visibility: seesAll,
      storeTime: new StoreTime("UTC"),
      answerBytes: defaultAnswerBytes,
    };
    await expect(new ObjectSerializer(source, fullPlan(model, defaultDepth)).serialize(roots)).rejects.toMatchObject({
      code: 307,
    });
  });

  describe("within bounds", () => {
    const within = async (answerBytes: number, roots: readonly StoredObject[], depth = defaultDepth) => {
      const model = new Model(await fixture.r.model.load());
      const source = { objects: fixture.r.objects, visibility: seesAll, storeTime: new StoreTime("UTC"), answerBytes };
      return new ObjectSerializer(source, withUuid(fullPlan(model, depth))).serialize(roots);
    };
    const books = (count: number, author: string) =>
      fixture.r.objects.insert(
        Array.from({ length: count }, () => ({ className: "Book", attributes: { Author: author } })),
      );

    test("counts an object every time that it is written", async () => {
      const [author] = await fixture.insert({ className: "Person", attributes: { Name: "x".repeat(10_000) } });
      const roots = await books(10, author as string);
      const written = await within(110_000, roots);
      expect(written.map(({ Author }) => (Author as { Name: string }).Name.length)).toEqual(
        Array.from({ length: 10 }, () => 10_000),
      );
      await expect(within(95_000, roots)).rejects.toBeInstanceOf(AnswerTooLargeError);
      await expect(within(20_000, roots, 0)).resolves.toHaveLength(10);
    });

    test("counts reads over all levels together", async () => {
      const [first] = await fixture.insert({ className: "Person", attributes: { Name: "Reader" } });
      const [second] = await fixture.insert({
        className: "Book",
        attributes: { Notes: "x".repeat(10_000), Author: first as string },
      });
      const [third] = await fixture.insert({
        className: "Person",
        attributes: { Name: "x".repeat(10_000), Favourite: second as string },
      });
      const roots = await books(1, third as string);
      await expect(within(22_000, roots, 5)).resolves.toHaveLength(1);
      await expect(within(19_000, roots, 5)).rejects.toBeInstanceOf(AnswerTooLargeError);
    });

    test.each([
      ["plain attributes", { Name: '\u0001日"' }],
      ["links", { Name: '\u0001日"', Favourite: null }],
    ])("counts at least the written bytes of %s", async (_what, attributes) => {
      const [root] = (await fixture.r.objects.insert([{ className: "Person", attributes }])) as [StoredObject];
      const bytes = Buffer.byteLength(JSON.stringify(await within(10_000, [root])));
      await expect(within(bytes - 1, [root])).rejects.toBeInstanceOf(AnswerTooLargeError);
      await expect(within(bytes + 60, [root])).resolves.toHaveLength(1);
    });

    test("counts at least the written bytes of references to nothing", async () => {
      const names = Array.from({ length: 40 }, (_, index) => `R${index}`);
      await fixture.define({
        name: "Shelf",
        base: null,
        attributes: names.map((name) => ({ name, type: "reference", target: "Book" })),
        rights: [],
      });
      const [root] = (await fixture.r.objects.insert([
        { className: "Shelf", attributes: Object.fromEntries(names.map((name) => [name, null])) },
      ])) as [StoredObject];
      const bytes = Buffer.byteLength(JSON.stringify(await within(10_000, [root])));
      await expect(within(bytes - 1, [root])).rejects.toBeInstanceOf(AnswerTooLargeError);
      await expect(within(bytes + 150, [root])).resolves.toHaveLength(1);
    });

    test("answers a completed write with meta-fields only if the answer is too large", async () => {
      const roots = await books(1, ids.author);
      const model = new Model(await fixture.r.model.load());
      const source = {
        objects: fixture.r.objects,
        visibility: seesAll,
        storeTime: new StoreTime("UTC"),
        answerBytes: 200,
      };
      const namesBy = async (plan: ObjectPlan) =>
        Object.keys(await serializeWritten(source, plan, roots[0] as StoredObject));
      expect(await namesBy(fullPlan(model, 2))).toEqual(["~ClassName", "~ObjectID", "~StoreTime"]);
      expect(await namesBy(withUuid(fullPlan(model, 2)))).toEqual(["~ClassName", "~ObjectID", "~UUID", "~StoreTime"]);
    });
  });
});
