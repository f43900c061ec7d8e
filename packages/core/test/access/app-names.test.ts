import type { Repositories } from "@sallyport/storage";
import { applicationKind, Applications, findApplications, withSecondFactors } from "../../src/index.ts";
import { concurrently, hostileTexts, openStoreFixture, tally, unstorableTexts } from "../stores/store-fixture.ts";

/** Names in the order of their code points, which differs from UTF-16 and from any dictionary. */
const orderedNames = ["10", "9", "Z", "a", "a b", "a-b", "aa", "b", "\u00e4", "\ufb01", "\u{1f469}"];
const shuffledNames = [7, 2, 10, 0, 5, 9, 3, 8, 1, 6, 4].map((index) => orderedNames[index] as string);

/** App names as records, with their seats. */
describe("app names", () => {
  let records: Repositories["records"];
  let applications: Applications;

  beforeEach(async () => {
    records = (await openStoreFixture()).r.records;
    applications = new Applications(records);
  });

  test("exist after their creation", async () => {
    expect(await applications.create({ name: "field", seats: null })).toBe("created");
    expect(await applications.create({ name: "office", seats: 5 })).toBe("created");
    expect(await applications.create({ name: "empty", seats: 0 })).toBe("created");
    const known = await applications.existing(["office", "field", "unknown", "empty"]);
    expect(known.toSorted()).toEqual(["empty", "field", "office"]);
  });

  test("are returned once, however often requested", async () => {
    await applications.create({ name: "field", seats: null });
    expect(await applications.existing(["field", "unknown", "field", "field"])).toEqual(["field"]);
  });

  test("do not exist without a name", async () => {
    await applications.create({ name: "field", seats: null });
    expect(await applications.existing([])).toEqual([]);
  });

  test("compare exactly", async () => {
    await applications.create({ name: "field", seats: null });
    const others = ["Field", "FIELD", "field ", " field", "fi%", "f_eld", "", "\ufb01eld"];
    expect(await applications.existing(others)).toEqual([]);
    expect(await applications.create({ name: "Field", seats: null })).toBe("created");
  });

  test("are refused when taken, and stay unchanged", async () => {
    await applications.create({ name: "field", seats: 1, secondFactor: "forced" });
    expect(await applications.create({ name: "field", seats: 2 })).toBe("nameTaken");
    expect(await applications.existing(["field"])).toEqual(["field"]);
    expect(await applications.list(null, 10)).toEqual([
      { name: "field", seats: 1, seatKind: "concurrent", secondFactor: "forced" },
    ]);
  });

  test("are created once by concurrent requests", async () => {
    const outcomes = await concurrently(8, (index) => applications.create({ name: "field", seats: index }));
    expect(tally(outcomes)).toEqual({ created: 1, nameTaken: 7 });
    const [created] = await applications.list(null, 10);
    expect(created?.seats).toBe(outcomes.indexOf("created"));
  });

  test("are listed with their seats by code points, page by page", async () => {
    expect(await applications.list(null, 10)).toEqual([]);
    for (const [seats, name] of shuffledNames.entries())
      await applications.create({ name, seats: seats === 0 ? null : seats });
    const seatsOf = (name: string) => shuffledNames.indexOf(name) || null;
    const expected = orderedNames.map((name) => ({
      name,
      seats: seatsOf(name),
      seatKind: "concurrent",
      secondFactor: "off",
    }));
    expect(await applications.list(null, 100)).toEqual(expected);
    expect(await applications.list(null, 4)).toEqual(expected.slice(0, 4));
    expect(await applications.list("a", 3)).toEqual(expected.slice(4, 7));
    // No such name exists to start after.
    expect(await applications.list("a-", 100)).toEqual(expected.slice(5));
    expect(await applications.list(orderedNames.at(-1) as string, 100)).toEqual([]);
  });

  test("require second factors as created or last set", async () => {
    await applications.create({ name: "plain", seats: null });
    await applications.create({ name: "optional", seats: 1, secondFactor: "optional" });
    await applications.create({ name: "forced", seats: null, secondFactor: "forced" });
    const asking = async (names: readonly string[]) =>
      withSecondFactors(await findApplications(records, names))
        .map(({ name, secondFactor }) => `${name}: ${secondFactor}`)
        .toSorted();
    const names = ["forced", "plain", "unknown", "optional", "forced"];
    expect(await asking(names)).toEqual(["forced: forced", "optional: optional"]);
    expect(await asking(["plain"])).toEqual([]);
    expect(await asking([])).toEqual([]);

    expect(await applications.setSecondFactor("forced", "off")).not.toBeNull();
    expect(await applications.setSecondFactor("plain", "optional")).not.toBeNull();
    expect(await applications.setSecondFactor("plain", "optional")).not.toBeNull();
    expect(await applications.setSecondFactor("Plain", "forced")).toBeNull();
    expect(await asking(names)).toEqual(["optional: optional", "plain: optional"]);
    expect(await applications.list(null, 10)).toEqual([
      { name: "forced", seats: null, seatKind: "concurrent", secondFactor: "off" },
      { name: "optional", seats: 1, seatKind: "concurrent", secondFactor: "optional" },
      { name: "plain", seats: null, seatKind: "concurrent", secondFactor: "optional" },
    ]);
  });

  test("have the seats that were set last, of the kind concurrent by default and in older records", async () => {
    await applications.create({ name: "field", seats: 3, seatKind: "device" });
    await applications.create({ name: "shop", seats: null });
    await records.put(applicationKind, "old", { name: "old", seats: 2, secondFactor: "off" });
    const seats = async () => (await applications.list(null, 10)).map(({ seats, seatKind }) => [seats, seatKind]);
    expect(await seats()).toEqual([
      [3, "device"],
      [2, "concurrent"],
      [null, "concurrent"],
    ]);
    expect(await applications.setSeats("field", { seats: null })).not.toBeNull();
    expect(await applications.setSeats("old", { seats: 5, seatKind: "user" })).not.toBeNull();
    expect(await applications.setSeats("Shop", { seats: 5 })).toBeNull();
    expect(await seats()).toEqual([
      [null, "device"],
      [5, "user"],
      [null, "concurrent"],
    ]);
  });

  test("keep a rule that was set concurrently with others, and their seats", async () => {
    await applications.create({ name: "field", seats: 3 });
    const rules = ["off", "optional", "forced"] as const;
    const outcomes = await concurrently(9, (index) => applications.setSecondFactor("field", rules[index % 3] ?? "off"));
    expect(outcomes.filter((outcome) => outcome === null)).toEqual([]);
    const [kept] = await applications.list(null, 10);
    expect(kept?.seats).toBe(3);
    expect(rules).toContain(kept?.secondFactor);
  });

  test("accept hostile texts as names, and refuse invalid ones", async () => {
    const texts = [...hostileTexts, ...unstorableTexts];
    expect(await applications.existing(texts)).toEqual([]);
    for (const name of hostileTexts) expect(await applications.create({ name, seats: null })).toBe("created");
    for (const name of unstorableTexts) {
      await expect(applications.create({ name, seats: null })).rejects.toMatchObject({ code: 307 });
      expect(await applications.setSecondFactor(name, "forced")).toBeNull();
    }
    expect((await applications.existing(texts)).toSorted()).toEqual(hostileTexts.toSorted());
    const listed = (await applications.list(null, 100)).map(({ name }) => name);
    expect(listed.toSorted()).toEqual(hostileTexts.toSorted());
    expect(withSecondFactors(await findApplications(records, texts))).toEqual([]);
  });
});
