import { randomUUID } from "node:crypto";
import { maximumObjectBytes, seesAll } from "@sallyport/core";
import { openTestDatabase, type TestDatabase } from "./test-database.ts";

describe("counts of objects", () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await openTestDatabase();
    await database.storage().migrate();
  }, 60_000);
  afterAll(() => database.drop());

  const counted = () => database.storage().repositories.objects.count({ classes: ["File", "Image"] }, seesAll);
  const really = async () => {
    const { rows } = await database.admin.query("select count(*) from test.objects where class in ('File', 'Image')");
    return Number(rows[0].count);
  };
  const expectExact = async (count: number) => expect([await counted(), await really()]).toEqual([count, count]);
  const fill = (className: string, count: number, readers: string) =>
    database.admin.query(
      `insert into test.objects (uuid, class, attributes, stored_at, readers)
      select gen_random_uuid(), $1, '{}', now(), ${readers} from generate_series(1, $2::int)`,
      [className, count],
    );

  test("stay exact whatever writes them", async () => {
    await expectExact(0);
    await fill("File", 100, "null");
    await fill("Image", 10, "array[7]");
    await expectExact(110);
    await database.admin.query("update test.objects set readers = array[7] where class = 'File' and oid % 2 = 0");
    await expectExact(110);
    await database.admin.query("update test.objects set readers = null where class = 'Image'");
    await expectExact(110);
    await database.admin.query("delete from test.objects where class = 'File' and oid % 3 = 0");
    await expectExact(await really());
    await database.admin.query("delete from test.objects");
    await expectExact(0);
  });

  test("do not keep what was rolled back", async () => {
    const { repositories } = database.storage();
    await expect(
      database.storage().transaction(async (r) => {
        await r.objects.insert([{ className: "File", attributes: {} }]);
        expect(await r.objects.count({ classes: ["File"] }, seesAll)).toBe(1);
        throw new Error("changed my mind");
      }),
    ).rejects.toThrow("changed my mind");
    expect(await repositories.objects.count({ classes: ["File"] }, seesAll)).toBe(0);
  });

  test("stay exact when one, several and rows of others are inserted in one transaction", async () => {
    const file = { className: "File", attributes: {} };
    await database.storage().transaction(async (r, attempt) => {
      await r.objects.insert([file]);
      await r.objects.insert([file, file]);
      // Fails in the middle of the statement.
      await expect(
        attempt(() => r.objects.insert([{ ...file, attributes: { Name: "x".repeat(maximumObjectBytes) } }])),
      ).rejects.toMatchObject({ code: 801 });
      await r.objects.insert([file, file]);
      await r.objects.insert([{ ...file, readers: ["1"] }]);
    });
    await database.admin.query("select * from test.insert_object($1, null, '{}', null, 0)", [
      JSON.stringify({ uuid: randomUUID(), class: "File", attributes: {}, readers: null }),
    ]);
    await fill("File", 3, "null");
    await expectExact(10);
    await database.admin.query("delete from test.objects");
  });

  test("stay exact under writers side by side", async () => {
    const { objects } = database.storage().repositories;
    const several = Array.from({ length: 5 }, () => ({ className: "Image", attributes: {} }));
    await Promise.all(
      Array.from({ length: 40 }, (_, n) => (n % 4 === 3 ? fill("Image", 5, "null") : objects.insert(several))),
    );
    await expectExact(200);
  });
});
