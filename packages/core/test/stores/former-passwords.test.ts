import { FormerPasswords } from "../../src/index.ts";
import { atOnce, hostileTexts, openStage, type StoreStage, unstorableTexts } from "./store-stage.ts";

describe("former passwords", () => {
  let stage: StoreStage;
  let former: FormerPasswords;

  beforeEach(async () => {
    stage = await openStage();
    former = new FormerPasswords(stage.r.records);
  });

  const add = (subject: string, secret: string, keep: number) =>
    stage.storage.transaction((r) => new FormerPasswords(r.records).add(subject, secret, keep));

  test("are none at first", async () => {
    expect(await former.latest("user:1", 10)).toEqual([]);
  });

  test("are shown the latest first, as many as asked for", async () => {
    for (const secret of ["one", "two", "three"]) await add("user:1", secret, 5);
    expect(await former.latest("user:1", 10)).toEqual(["three", "two", "one"]);
    expect(await former.latest("user:1", 2)).toEqual(["three", "two"]);
    expect(await former.latest("user:1", 0)).toEqual([]);
  });

  test("are kept as many as the last one says", async () => {
    for (let index = 1; index <= 6; index += 1) await add("user:1", `secret ${index}`, 3);
    expect(await former.latest("user:1", 10)).toEqual(["secret 6", "secret 5", "secret 4"]);
    await add("user:1", "secret 7", 10);
    expect(await former.latest("user:1", 10)).toEqual(["secret 7", "secret 6", "secret 5", "secret 4"]);
    await add("user:1", "secret 8", 1);
    expect(await former.latest("user:1", 10)).toEqual(["secret 8"]);
    await add("user:1", "secret 9", 0);
    expect(await former.latest("user:1", 10)).toEqual([]);
  });

  test("are of one subject each", async () => {
    const subjects = ["user:1", "user:11", "USER:1", "custom:1", "user:1 "];
    for (const subject of subjects) await add(subject, `of ${subject}`, 1);
    for (const subject of subjects) expect(await former.latest(subject, 10)).toEqual([`of ${subject}`]);
  });

  test("are kept as often as they were current", async () => {
    for (const secret of ["one", "two", "one"]) await add("user:1", secret, 5);
    expect(await former.latest("user:1", 10)).toEqual(["one", "two", "one"]);
  });

  test("lose none of those that are added at once", async () => {
    await atOnce(8, (index) => add("user:1", `secret ${index}`, 20));
    const secrets = Array.from({ length: 8 }, (_, index) => `secret ${index}`);
    expect((await former.latest("user:1", 20)).toSorted()).toEqual(secrets);
  });

  test("keep hostile texts as they are, and none that cannot be stored", async () => {
    for (const text of hostileTexts) {
      await add(text, text, 5);
      expect(await former.latest(text, 5)).toEqual([text]);
    }
    await add("user:1", "x".repeat(10_000), 5);
    expect(await former.latest("user:1", 5)).toEqual(["x".repeat(10_000)]);
    for (const text of unstorableTexts) {
      await expect(add("user:2", text, 5)).rejects.toMatchObject({ code: 307 });
      await expect(add(text, "secret", 5)).rejects.toMatchObject({ code: 307 });
      expect(await former.latest("user:2", 5)).toEqual([]);
      expect(await former.latest(text, 5)).toEqual([]);
    }
  });

  test("are undone with the transaction that added them", async () => {
    await add("user:1", "one", 1);
    const undone = new RangeError("undone");
    const failing = stage.storage.transaction(async (r) => {
      const inside = new FormerPasswords(r.records);
      await inside.add("user:1", "two", 1);
      expect(await inside.latest("user:1", 5)).toEqual(["two"]);
      throw undone;
    });
    await expect(failing).rejects.toBe(undone);
    expect(await former.latest("user:1", 5)).toEqual(["one"]);
  });
});
