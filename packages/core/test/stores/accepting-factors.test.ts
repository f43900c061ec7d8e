import { SecondFactors } from "../../src/index.ts";
import { begun, factorOf, found, freshDigest } from "./factors.ts";
import { atOnce, openStage, type StoreStage, tally } from "./store-stage.ts";

describe("second factors as they are shown", () => {
  let stage: StoreStage;
  let factors: SecondFactors;

  beforeEach(async () => {
    stage = await openStage();
    factors = new SecondFactors(stage.r.records);
  });

  const factor = factorOf("user:3");

  test("accept a step that is later than the last one, and are confirmed by it", async () => {
    await factors.enrol(factor);
    const first = await found(factors, factor);
    expect(await factors.accept(first, 0)).toBe(true);
    const steps = [
      [0, false],
      [59_000_000, true],
      [59_000_000, false],
      [58_999_999, false],
      [59_000_001, true],
      [9_007_199_254_740_991, true],
    ] as const;
    for (const [step, isAccepted] of steps) {
      // An old finding gets the same answer as a new one.
      if (!isAccepted) expect(await factors.accept(first, step)).toBe(false);
      expect(await factors.accept(await found(factors, factor), step)).toBe(isAccepted);
    }
    const known = { ...begun(factor), confirmed: true, lastStep: 9_007_199_254_740_991 };
    expect(await factors.list(null, 10)).toEqual([known]);
  });

  test("accept a later step also with a factor that was found before an earlier one", async () => {
    await factors.enrol(factor);
    const before = await found(factors, factor);
    expect(await factors.accept(await found(factors, factor), 5)).toBe(true);
    expect(await factors.accept(before, 4)).toBe(false);
    expect(await factors.accept(before, 6)).toBe(true);
    expect((await found(factors, factor)).lastStep).toBe(6);
  });

  test("accept nothing when they are gone", async () => {
    const code = freshDigest();
    await factors.enrol({ ...factor, recoveryCodes: [code] });
    await factors.accept(await found(factors, factor), 1);
    const before = await found(factors, factor);
    await factors.remove("user:3", null);
    expect(await factors.accept(before, 2)).toBe(false);
    expect(await factors.recover(before, code)).toBe(false);
    expect(await factors.list(null, 10)).toEqual([]);
  });

  test("accept nothing for another secret", async () => {
    for (const sealedSecret of ["another", factor.sealedSecret.toUpperCase()]) {
      await factors.enrol({ ...factor, sealedSecret });
      const before = await found(factors, factor);
      await factors.enrol(factor);
      expect(await factors.accept(before, 7)).toBe(false);
    }
    expect(await factors.list(null, 10)).toEqual([begun(factor)]);
  });

  test("accept nothing for another app name or another subject", async () => {
    const others = [
      ...["Field", "office", "field "].map((appName) => ({ ...factor, appName })),
      ...["user:4", "USER:3", "user:33"].map((subject) => ({ ...factor, subject })),
    ];
    for (const each of [factor, ...others]) await factors.enrol(each);
    expect(await factors.accept(await found(factors, factor), 7)).toBe(true);
    for (const other of others) expect(await found(factors, other)).toEqual(begun(other));
  });

  test("accept nothing for an app name or a subject without a factor", async () => {
    await factors.enrol(factor);
    const known = await found(factors, factor);
    for (const appName of ["Field", "office", "field "])
      expect(await factors.accept({ ...known, appName }, 7)).toBe(false);
    for (const subject of ["user:4", "USER:3", "user:33", "user:"])
      expect(await factors.accept({ ...known, subject }, 7)).toBe(false);
    expect(await factors.list(null, 10)).toEqual([known]);
  });

  test("accept a step once when it is shown several times at once", async () => {
    await factors.enrol(factor);
    const first = await found(factors, factor);
    for (const step of [5, 6]) {
      const outcomes = await atOnce(20, () => factors.accept(first, step));
      expect(tally(outcomes)).toEqual({ true: 1, false: 19 });
    }
    const outcomes = await atOnce(20, async () => factors.accept(await found(factors, factor), 7));
    expect(tally(outcomes)).toEqual({ true: 1, false: 19 });
  });

  test("accept a step for one of the transactions that show it at once, and for none that fails", async () => {
    await factors.enrol(factor);
    const first = await found(factors, factor);
    const changedMind = new Error("changed its mind");
    const failing = stage.storage.transaction(async (r) => {
      expect(await new SecondFactors(r.records).accept(first, 5)).toBe(true);
      throw changedMind;
    });
    await expect(failing).rejects.toBe(changedMind);
    expect(await found(factors, factor)).toEqual(first);
    const outcomes = await atOnce(8, () =>
      stage.storage.transaction((r) => new SecondFactors(r.records).accept(first, 5)),
    );
    expect(tally(outcomes)).toEqual({ true: 1, false: 7 });
  });

  test("spend a recovery code once, and leave the others", async () => {
    const [one, other, foreign] = [freshDigest(), freshDigest(), freshDigest()];
    await factors.enrol({ ...factor, recoveryCodes: [one, other] });
    await factors.enrol(factorOf("user:4", { recoveryCodes: [foreign] }));
    expect(await factors.recover(await found(factors, factor), one)).toBe(false);
    for (const [step, each] of [factor, factorOf("user:4")].entries())
      await factors.accept(await found(factors, each), step);

    const known = await found(factors, factor);
    for (const code of [foreign, freshDigest(), one.toUpperCase(), "", "%"])
      expect(await factors.recover(known, code)).toBe(false);
    expect(await factors.recover({ ...known, appName: "office" }, one)).toBe(false);
    expect(await factors.recover(known, one)).toBe(true);
    expect(await factors.recover(known, one)).toBe(false);
    expect(await factors.recover(await found(factors, factor), one)).toBe(false);
    expect(await found(factors, factor)).toMatchObject({ recoveryCodes: [other], lastStep: 0, confirmed: true });
    expect(await factors.recover(known, other)).toBe(true);
    expect((await found(factors, factor)).recoveryCodes).toEqual([]);
    expect((await found(factors, factorOf("user:4"))).recoveryCodes).toEqual([foreign]);
  });

  test("spend a recovery code once when it is shown several times at once", async () => {
    const codes = Array.from({ length: 4 }, freshDigest);
    await factors.enrol({ ...factor, recoveryCodes: codes });
    await factors.accept(await found(factors, factor), 1);
    const known = await found(factors, factor);
    const outcomes = await atOnce(20, (index) => factors.recover(known, codes[index % 2] ?? ""));
    expect(tally(outcomes)).toEqual({ true: 2, false: 18 });
    expect((await found(factors, factor)).recoveryCodes).toEqual(codes.slice(2));
  });

  test("lose neither a step nor a recovery code that are shown at once", async () => {
    const codes = [freshDigest(), freshDigest()];
    await factors.enrol({ ...factor, recoveryCodes: codes });
    await factors.accept(await found(factors, factor), 1);
    const known = await found(factors, factor);
    const [code = ""] = codes;
    expect(await Promise.all([factors.accept(known, 2), factors.recover(known, code)])).toEqual([true, true]);
    expect(await found(factors, factor)).toMatchObject({ lastStep: 2, recoveryCodes: codes.slice(1) });
  });
});
