import { type NewSecondFactor, SecondFactors } from "../../src/index.ts";
import { pendingFactor, factorOf, found, freshDigest } from "../stores/factors.ts";
import { concurrently, hostileTexts, openStoreFixture, tally, unstorableTexts } from "../stores/store-fixture.ts";

describe("stored second factors", () => {
  let factors: SecondFactors;

  beforeEach(async () => {
    factors = new SecondFactors((await openStoreFixture()).r.records);
  });

  const keys = async () => (await factors.list(null, 10)).map(({ subject, appName }) => [subject, appName]);

  test("are kept as they were begun, each for its subject and app name", async () => {
    expect(await factors.find("user:3", ["field"])).toEqual([]);
    const factor = factorOf("user:3", { recoveryCodes: [freshDigest(), freshDigest()], sealedSecret: "s".repeat(400) });
    const second = factorOf("user:3", { appName: "Field" });
    const foreign = factorOf("user:33");
    for (const each of [factor, second, foreign]) expect(await factors.enrol(each)).toBe("enrolled");
    expect(await factors.find("user:3", ["nobody", "field", "field"])).toEqual([pendingFactor(factor)]);
    expect(await factors.find("user:3", ["field", "Field"])).toEqual([pendingFactor(second), pendingFactor(factor)]);
    expect(await factors.find("user:3", [])).toEqual([]);
    for (const subject of ["user:333", "USER:3", "user:3 ", "user:", ""])
      expect(await factors.find(subject, ["field"])).toEqual([]);
  });

  test("begin again until they are confirmed, and not afterwards", async () => {
    const [first, second, third] = ["one", "two", "three"].map((sealedSecret) =>
      factorOf("user:3", { sealedSecret, recoveryCodes: [freshDigest()] }),
    ) as [NewSecondFactor, NewSecondFactor, NewSecondFactor];
    expect(await factors.enrol(first)).toBe("enrolled");
    const before = await found(factors, first);
    expect(await factors.enrol(second)).toBe("enrolled");
    expect(await factors.find("user:3", ["field"])).toEqual([pendingFactor(second)]);
    expect(await factors.accept(before, 1)).toBe(false);
    expect(await factors.accept(await found(factors, second), 2)).toBe(true);
    expect(await factors.enrol(third)).toBe("confirmed");
    expect(await found(factors, second)).toEqual({ ...pendingFactor(second), confirmed: true, lastStep: 2 });
    expect(await factors.enrol({ ...third, appName: "office" })).toBe("enrolled");
  });

  test("are begun by several calls at once, or confirmed already", async () => {
    const secrets = Array.from({ length: 8 }, (_, index) => factorOf("user:3", { sealedSecret: `secret ${index}` }));
    const outcomes = await concurrently(8, (index) => factors.enrol(secrets[index] as NewSecondFactor));
    expect(tally(outcomes)).toEqual({ enrolled: 8 });
    const kept = await found(factors, factorOf("user:3"));
    expect(secrets.map(({ sealedSecret }) => sealedSecret)).toContain(kept.sealedSecret);
    expect(tally(await concurrently(8, () => factors.accept(kept, 1)))).toEqual({ true: 1, false: 7 });
    const late = await concurrently(8, (index) => factors.enrol(factorOf("user:3", { sealedSecret: `late ${index}` })));
    expect(tally(late)).toEqual({ confirmed: 8 });
    expect((await found(factors, kept)).sealedSecret).toBe(kept.sealedSecret);
  });

  test("are confirmed or begun again by concurrent calls, and never lose a confirmed secret", async () => {
    for (let round = 0; round < 4; round += 1) {
      const factor = factorOf(`user:${round}`, { sealedSecret: "old" });
      await factors.enrol(factor);
      const old = await found(factors, factor);
      const accept = () => factors.accept(old, 1);
      const enrol = () => factors.enrol({ ...factor, sealedSecret: "new" });
      const [accepted, outcome] =
        round % 2 === 0
          ? await Promise.all([accept(), enrol()])
          : (await Promise.all([enrol(), accept()])).toReversed();
      expect([accepted, outcome]).toEqual(accepted === true ? [true, "confirmed"] : [false, "enrolled"]);
      const { sealedSecret, confirmed } = await found(factors, factor);
      expect([sealedSecret, confirmed]).toEqual(accepted === true ? ["old", true] : ["new", false]);
    }
  });

  test("accept a token for a secret that was sealed again since, once, and not for another one", async () => {
    const { r } = await openStoreFixture();
    factors = new SecondFactors(r.records);
    const codes = [freshDigest(), freshDigest()];
    await factors.enrol(factorOf("user:3", { recoveryCodes: codes }));
    const resealed = async (change: object) => {
      const before = await found(factors, factorOf("user:3"));
      const [stored] = await r.records.list<object>("secondFactor", { after: null, limit: 1 });
      await r.records.put("secondFactor", stored?.id ?? "", { ...stored?.value, ...change }, { owner: "user:3" });
      return before;
    };
    for (const step of [5, 6]) {
      const before = await resealed({ sealedSecret: `again ${step}` });
      expect([await factors.accept(before, step), await factors.accept(before, step)]).toEqual([true, false]);
    }
    expect((await found(factors, factorOf("user:3"))).sealedSecret).toBe("again 6");
    const before = await resealed({ sealedSecret: "another", recoveryCodes: [codes[0], freshDigest()] });
    expect(await factors.accept(before, 9)).toBe(false);
  });

  test("are removed one by one, or all of a subject", async () => {
    for (const subject of ["user:3", "user:4"])
      for (const appName of ["field", "Field", "office"]) await factors.enrol(factorOf(subject, { appName }));
    expect(await factors.remove("user:3", "nobody")).toBe(false);
    expect(await factors.remove("user:3", "field")).toBe(true);
    expect(await factors.remove("user:3", "field")).toBe(false);
    const ofOther = [
      ["user:4", "Field"],
      ["user:4", "field"],
      ["user:4", "office"],
    ];
    expect(await keys()).toEqual([["user:3", "Field"], ["user:3", "office"], ...ofOther]);
    expect(await factors.remove("user:3", null)).toBe(true);
    expect(await factors.remove("user:3", null)).toBe(false);
    expect(await keys()).toEqual(ofOther);
    expect(await factors.enrol(factorOf("user:3"))).toBe("enrolled");
  });

  test("are removed with their subject after a new begin, a confirmation and a recovery", async () => {
    const code = freshDigest();
    const factor = factorOf("user:3", { recoveryCodes: [code] });
    await factors.enrol(factorOf("user:3"));
    await factors.enrol(factor);
    await factors.accept(await found(factors, factor), 1);
    await factors.recover(await found(factors, factor), code);
    expect(await factors.remove("user:3", null)).toBe(true);
    expect(await keys()).toEqual([]);
  });

  test("are listed by subject and app name in the order of code points, page by page", async () => {
    expect(await factors.list(null, 10)).toEqual([]);
    const input = [
      ["custom:a", "z"],
      ["user:1", "B"],
      ["user:1", "a"],
      ["user:1", "a "],
      ["user:1", "é"],
      ["user:1", "\uffff"],
      ["user:1", "\u{10000}"],
      ["user:10", "a"],
      ["user:2", "a"],
    ].map(([subject = "", appName = ""]) => factorOf(subject, { appName }));
    for (const index of [5, 0, 8, 3, 6, 2, 7, 4, 1]) await factors.enrol(input[index] as NewSecondFactor);
    const expected = input.map(pendingFactor);
    expect(await factors.list(null, 100)).toEqual(expected);
    expect(await factors.list(null, 2)).toEqual(expected.slice(0, 2));
    expect(await factors.list({ subject: "user:1", appName: "a" }, 4)).toEqual(expected.slice(3, 7));
    // No such factor exists to start after.
    expect(await factors.list({ subject: "user:1", appName: "b" }, 1)).toEqual(expected.slice(4, 5));
    expect(await factors.list({ subject: "user:2", appName: "a" }, 10)).toEqual([]);
  });

  test("of one subject have one order, however requested", async () => {
    const names = ["B", "a", "a ", "é", "\uffff"];
    for (const appName of names.toReversed()) await factors.enrol(factorOf("user:1", { appName }));
    for (const asked of [names, names.toReversed(), ["é", "B", "\uffff", "a ", "a"]])
      expect((await factors.find("user:1", asked)).map(({ appName }) => appName)).toEqual(names);
  });

  test("report a confirmation for any of many app names", async () => {
    expect(await factors.hasConfirmed("user:1")).toBe(false);
    for (let index = 100; index < 205; index += 1) {
      await factors.enrol(factorOf("user:1", { appName: `app ${index}` }));
      await factors.enrol(factorOf("user:11", { appName: `app ${index}` }));
    }
    expect(await factors.hasConfirmed("user:1")).toBe(false);
    await factors.accept(await found(factors, { subject: "user:11", appName: "app 100" }), 1);
    expect(await factors.hasConfirmed("user:11")).toBe(true);
    expect(await factors.hasConfirmed("user:1")).toBe(false);
    await factors.accept(await found(factors, { subject: "user:1", appName: "app 204" }), 1);
    expect(await factors.hasConfirmed("user:1")).toBe(true);
    expect(await factors.hasConfirmed("USER:1")).toBe(false);
  });

  test("keep hostile texts unchanged", async () => {
    for (const text of hostileTexts) {
      const factor = factorOf("user:3", { appName: text, sealedSecret: text });
      expect(await factors.enrol(factor)).toBe("enrolled");
      expect(await factors.find("user:3", [text])).toEqual([pendingFactor(factor)]);
      expect(await factors.accept(await found(factors, factor), 1)).toBe(true);
      expect(await factors.recover(await found(factors, factor), text)).toBe(false);
      expect(await factors.remove("user:3", text)).toBe(true);
    }
    expect(await keys()).toEqual([]);
  });

  test("are refused with an invalid text, which finds nothing", async () => {
    await factors.enrol(factorOf("user:4"));
    await factors.accept(await found(factors, factorOf("user:4")), 1);
    const other = await found(factors, factorOf("user:4"));
    for (const text of unstorableTexts) {
      for (const input of [{ subject: text }, { appName: text }, { sealedSecret: text }])
        await expect(factors.enrol({ ...factorOf("user:3"), ...input })).rejects.toMatchObject({ code: 307 });
      expect(await factors.find(text, [text])).toEqual([]);
      expect(await factors.find("user:3", [text])).toEqual([]);
      expect(await factors.remove(text, null)).toBe(false);
      expect(await factors.remove("user:3", text)).toBe(false);
      expect(await factors.hasConfirmed(text)).toBe(false);
      expect(await factors.recover(other, text)).toBe(false);
    }
    expect(await factors.list(null, 10)).toEqual([other]);
  });
});
