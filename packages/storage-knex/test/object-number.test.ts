import { isObjectId, objectIdOf, objectNumber } from "@sallyport/core";
import { openTestDatabase, startTimeout, type TestDatabase } from "./test-database.ts";

describe("the number of an object id in the database", () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await openTestDatabase();
    await database.storage().migrate();
  }, startTimeout);
  afterAll(() => database.drop());

  const numbersOf = async (texts: readonly string[]): Promise<unknown[]> => {
    const { rows } = await database.admin.query(
      "select test.object_number(id)::float8 as number from unnest($1::text[]) with ordinality as t (id, place) order by place",
      [texts],
    );
    return rows.map(({ number }) => number);
  };

  test("is that of the domain", async () => {
    const numbers = Array.from({ length: 36 ** 2 }, (_, index) => index + 1).concat(
      Array.from({ length: 10 }, (_, power) => [36 ** power, 36 ** power * 35, 36 ** (power + 1) - 1]).flat(),
    );
    expect(await numbersOf(numbers.map(objectIdOf))).toEqual(numbers);
  });

  test("is null where there is none", async () => {
    const texts = [
      "",
      "0",
      "00A",
      "a1",
      "1a",
      "1-2",
      "1 ",
      " 1",
      "1\n",
      "12345678901",
      "Ä1",
      "1Ä",
      "1\u{1f600}",
      "1.5",
      "-1",
      "+1",
      "1e3",
      "Z".repeat(5_000),
    ];
    expect(texts.filter(isObjectId)).toEqual([]);
    expect(await numbersOf(texts)).toEqual(texts.map(() => null));
    expect(await numbersOf(["ZZZZZZZZZZ"])).toEqual([objectNumber("ZZZZZZZZZZ")]);
  });
});
