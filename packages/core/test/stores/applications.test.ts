import { Applications } from "../../src/index.ts";
import { atOnce, hostileTexts, openStage, tally, unstorableTexts } from "./store-stage.ts";

/** Names in the order of their code points, which is not that of UTF-16, nor that of any dictionary. */
const orderedNames = ["10", "9", "Z", "a", "a b", "a-b", "aa", "b", "\u00e4", "\ufb01", "\u{1f469}"];
const shuffledNames = [7, 2, 10, 0, 5, 9, 3, 8, 1, 6, 4].map((index) => orderedNames[index] as string);

describe("app names", () => {
  let applications: Applications;

  beforeEach(async () => {
    applications = new Applications((await openStage()).r.records);
  });

  test("are known when they were created", async () => {
    expect(await applications.create({ name: "field", seats: null })).toBe("created");
    expect(await applications.create({ name: "office", seats: 5 })).toBe("created");
    expect(await applications.create({ name: "empty", seats: 0 })).toBe("created");
    const known = await applications.known(["office", "field", "nobody", "empty"]);
    expect(known.toSorted()).toEqual(["empty", "field", "office"]);
  });

  test("are named once, however often they are asked for", async () => {
    await applications.create({ name: "field", seats: null });
    expect(await applications.known(["field", "nobody", "field", "field"])).toEqual(["field"]);
  });

  test("are not known without a name", async () => {
    await applications.create({ name: "field", seats: null });
    expect(await applications.known([])).toEqual([]);
  });

  test("compare exactly", async () => {
    await applications.create({ name: "field", seats: null });
    const others = ["Field", "FIELD", "field ", " field", "fi%", "f_eld", "", "\ufb01eld"];
    expect(await applications.known(others)).toEqual([]);
    expect(await applications.create({ name: "Field", seats: null })).toBe("created");
  });

  test("are refused when they are taken, and stay as they are", async () => {
    await applications.create({ name: "field", seats: 1, secondFactor: "forced" });
    expect(await applications.create({ name: "field", seats: 2 })).toBe("nameTaken");
    expect(await applications.known(["field"])).toEqual(["field"]);
    expect(await applications.list(null, 10)).toEqual([{ name: "field", seats: 1, secondFactor: "forced" }]);
  });

  test("are created once when several want them at once", async () => {
    const outcomes = await atOnce(8, (index) => applications.create({ name: "field", seats: index }));
    expect(tally(outcomes)).toEqual({ created: 1, nameTaken: 7 });
    const [created] = await applications.list(null, 10);
    expect(created?.seats).toBe(outcomes.indexOf("created"));
  });

  test("are listed with their seats by code points, part by part", async () => {
    expect(await applications.list(null, 10)).toEqual([]);
    for (const [seats, name] of shuffledNames.entries())
      await applications.create({ name, seats: seats === 0 ? null : seats });
    const seatsOf = (name: string) => shuffledNames.indexOf(name) || null;
    const expected = orderedNames.map((name) => ({ name, seats: seatsOf(name), secondFactor: "off" }));
    expect(await applications.list(null, 100)).toEqual(expected);
    expect(await applications.list(null, 4)).toEqual(expected.slice(0, 4));
    expect(await applications.list("a", 3)).toEqual(expected.slice(4, 7));
    // There is no such name to begin after.
    expect(await applications.list("a-", 100)).toEqual(expected.slice(5));
    expect(await applications.list(orderedNames.at(-1) as string, 100)).toEqual([]);
  });

  test("ask for second factors as they were created or set last", async () => {
    await applications.create({ name: "plain", seats: null });
    await applications.create({ name: "optional", seats: 1, secondFactor: "optional" });
    await applications.create({ name: "forced", seats: null, secondFactor: "forced" });
    const asking = async (names: readonly string[]) =>
      (await applications.askingForFactors(names))
        .map(({ name, secondFactor }) => `${name}: ${secondFactor}`)
        .toSorted();
    const names = ["forced", "plain", "nobody", "optional", "forced"];
    expect(await asking(names)).toEqual(["forced: forced", "optional: optional"]);
    expect(await asking(["plain"])).toEqual([]);
    expect(await asking([])).toEqual([]);

    expect(await applications.setSecondFactor("forced", "off")).toBe(true);
    expect(await applications.setSecondFactor("plain", "optional")).toBe(true);
    expect(await applications.setSecondFactor("plain", "optional")).toBe(true);
    expect(await applications.setSecondFactor("Plain", "forced")).toBe(false);
    expect(await asking(names)).toEqual(["optional: optional", "plain: optional"]);
    expect(await applications.list(null, 10)).toEqual([
      { name: "forced", seats: null, secondFactor: "off" },
      { name: "optional", seats: 1, secondFactor: "optional" },
      { name: "plain", seats: null, secondFactor: "optional" },
    ]);
  });

  test("keep a rule that was set at once with others, and their seats", async () => {
    await applications.create({ name: "field", seats: 3 });
    const rules = ["off", "optional", "forced"] as const;
    const outcomes = await atOnce(9, (index) => applications.setSecondFactor("field", rules[index % 3] ?? "off"));
    expect(tally(outcomes)).toEqual({ true: 9 });
    const [kept] = await applications.list(null, 10);
    expect(kept?.seats).toBe(3);
    expect(rules).toContain(kept?.secondFactor);
  });

  test("take hostile texts for the names that they are, and none that cannot be stored", async () => {
    const texts = [...hostileTexts, ...unstorableTexts];
    expect(await applications.known(texts)).toEqual([]);
    for (const name of hostileTexts) expect(await applications.create({ name, seats: null })).toBe("created");
    for (const name of unstorableTexts) {
      await expect(applications.create({ name, seats: null })).rejects.toMatchObject({ code: 307 });
      expect(await applications.setSecondFactor(name, "forced")).toBe(false);
    }
    expect((await applications.known(texts)).toSorted()).toEqual(hostileTexts.toSorted());
    const listed = (await applications.list(null, 100)).map(({ name }) => name);
    expect(listed.toSorted()).toEqual(hostileTexts.toSorted());
    expect(await applications.askingForFactors(texts)).toEqual([]);
  });
});
