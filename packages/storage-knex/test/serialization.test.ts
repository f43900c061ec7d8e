import { jest } from "@jest/globals";
import {
  defaultAnswerBytes,
  type ClassDefinition,
  Model,
  ObjectSerializer,
  planSerialization,
  seesAll,
  type Serialization,
  type Storage,
  StoreTime,
  type Visibility,
} from "@sallyport/core";
import pg from "pg";
import { openTestDatabase, startTimeout, type TestDatabase } from "./test-database.ts";

const classes: readonly ClassDefinition[] = [
  {
    name: "Shelf",
    base: null,
    attributes: [
      { name: "Books", type: "collection", target: "Book" },
      { name: "Room", type: "reference", target: "Room" },
    ],
    rights: [],
  },
  {
    name: "Book",
    base: null,
    attributes: [
      { name: "Title", type: "string" },
      { name: "Authors", type: "collection", target: "Author" },
    ],
    rights: [],
  },
  {
    name: "Author",
    base: null,
    attributes: [
      { name: "Name", type: "string" },
      { name: "Room", type: "reference", target: "Room" },
    ],
    rights: [],
  },
  { name: "Room", base: null, attributes: [{ name: "Name", type: "string" }], rights: [] },
];

const shelves = 100;
const booksOnShelf = 30;

/** The statements of a page are its reading and, for each step away from its objects, what is written there. */
describe("statements of a serialized page", () => {
  let database: TestDatabase;
  let storage: Storage;
  let model: Model;
  let query: jest.SpiedFunction<pg.Client["query"]>;

  beforeAll(async () => {
    database = await openTestDatabase();
    storage = database.storage();
    await storage.migrate();
    const { objects, model: models } = storage.repositories;
    await models.change({ put: classes }, (await models.load()).generation);
    model = new Model(await models.load());
    const insert = async (
      className: string,
      count: number,
      attributes: (index: number) => object,
      hidden = (_index: number) => false,
    ) => {
      const wanted = Array.from({ length: count }, (_, index) => ({
        className,
        attributes: attributes(index) as never,
        readers: hidden(index) ? ["ZZZ"] : null,
      }));
      return (await objects.insert(wanted)).map(({ id }) => id);
    };
    const rooms = await insert("Room", 40, (index) => ({ Name: `Room ${index}` }));
    const authors = await insert("Author", 50, (index) => ({
      Name: `Author ${index}`,
      Room: rooms[20 + (index % 20)],
    }));
    const books = await insert(
      "Book",
      shelves * booksOnShelf,
      (index) => ({ Title: `Book ${index}`, Authors: [authors[index % 50], authors[(index + 7) % 50]] }),
      (index) => index % 10 === 3,
    );
    await insert("Shelf", shelves, (index) => ({
      Books: books.slice(index * booksOnShelf, (index + 1) * booksOnShelf),
      Room: rooms[index % 20],
    }));
    query = jest.spyOn(pg.Client.prototype, "query");
  }, startTimeout);
  afterAll(async () => {
    query.mockRestore();
    await database.drop();
  });

  const nobody: Visibility = { classes: null, principals: new Set() };

  const page = async (serialization: Serialization | undefined, limit: number, visibility: Visibility = seesAll) => {
    const { objects } = storage.repositories;
    query.mockClear();
    const { objects: roots } = await objects.find({ classes: ["Shelf"] }, visibility, { offset: 0, limit });
    const plan = planSerialization(serialization, { model, visibility, className: "Shelf" });
    const written = await new ObjectSerializer(
      { objects, visibility, storeTime: new StoreTime("UTC"), answerBytes: defaultAnswerBytes },
      plan,
    ).run(roots);
    return { statements: query.mock.calls.length, written: JSON.parse(JSON.stringify(written)) };
  };
  const paged = [
    {
      name: "Books",
      page: 1,
      perPage: 5,
      fields: ["Title", { name: "Authors", perPage: 1, fields: ["Name", "Room.Name"] }],
    },
  ];

  test.each<[string, Serialization | undefined, number]>([
    ["nothing but the page for meta-fields", { type: "empty" }, 1],
    ["nothing but the page for ids", { type: "oid" }, 1],
    ["one for the targets of the default depth, one for theirs, one for theirs", undefined, 4],
    ["one for depth 0", { depth: 0 }, 2],
    ["one for a path of two names", { type: "custom", fields: ["Room.Name"] }, 2],
    [
      "one for each step of the longest path",
      { type: "custom", fields: ["Room.Name", "Books.Title", "Books.Authors.Name", "Books.Authors.Room.Name"] },
      4,
    ],
    ["one more for a step on which a part of a collection is written", { type: "custom", fields: paged }, 6],
  ])("are %s, however many objects there are", async (_what, serialization, statements) => {
    expect((await page(serialization, 1)).statements).toBe(statements);
    expect((await page(serialization, shelves)).statements).toBe(statements);
    expect((await page(serialization, shelves, nobody)).statements).toBe(statements);
  });

  test("bring the page of every collection", async () => {
    const { written } = await page({ type: "custom", fields: paged }, shelves, nobody);
    expect(written).toHaveLength(shelves);
    for (const [index, { Books }] of written.entries()) {
      expect(Books).toMatchObject({ "~Count": 27, "~UnfilteredCount": 27 });
      // Every tenth is hidden, from the fourth on.
      const titles = [5, 6, 7, 8, 9].map((place) => `Book ${index * booksOnShelf + place + 1}`);
      expect(Books["~Elements"].map(({ Title }: { Title: string }) => Title)).toEqual(titles);
      expect(Books["~Elements"][0].Authors).toMatchObject({
        "~Count": 2,
        "~Elements": [{ Name: expect.any(String), Room: { Name: expect.any(String) } }],
      });
    }
  });
});
