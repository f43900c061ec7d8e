import { type Account, type Storage, untilDone } from "@sallyport/storage";
import { mapCustomAccount, PendingPasswords, SecondFactors, alignIndexes } from "../src/index.ts";
import { digests } from "./fixture.ts";
import { pendingFactor, factorOf, found, freshDigest } from "./stores/factors.ts";
import { concurrently, minute, openStoreFixture, type StoreFixture, tally } from "./stores/store-fixture.ts";

describe("records", () => {
  test("a change that another writer always precedes ends with 706", async () => {
    let tries = 0;
    const late = untilDone(async () => {
      tries += 1;
      return undefined;
    });
    await expect(late).rejects.toMatchObject({ code: 706, retryAfter: 1 });
    expect(tries).toBe(1_000);
    expect(await untilDone(async () => (tries++ < 1_003 ? undefined : "done"))).toBe("done");
  });

  test("indexes of a model that changes all the time are aligned with a bound", async () => {
    let generation = 0;
    const storage = {
      capabilities: { indexesPerTable: null },
      repositories: { model: { load: async () => ({ generation: (generation += 1), classes: [] }) } },
      alignIndexes: async () => ({ built: [], removed: 0 }),
    } as unknown as Storage;
    await expect(alignIndexes(storage)).rejects.toMatchObject({ code: 706 });
  });

  describe("second factor tokens", () => {
    let stage: StoreFixture;
    let factors: SecondFactors;

    beforeEach(async () => {
      stage = await openStoreFixture();
      factors = new SecondFactors(stage.r.records);
    });

    const factor = factorOf("user:3");

    test("are accepted for a later step than the last one, and confirm the factor", async () => {
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
        // An older read gets the same answer as a new one.
        if (!isAccepted) expect(await factors.accept(first, step)).toBe(false);
        expect(await factors.accept(await found(factors, factor), step)).toBe(isAccepted);
      }
      const known = { ...pendingFactor(factor), confirmed: true, lastStep: 9_007_199_254_740_991 };
      expect(await factors.list(null, 10)).toEqual([known]);
    });

    test("are accepted for a later step with a factor that was read before an earlier one", async () => {
      await factors.enrol(factor);
      const before = await found(factors, factor);
      expect(await factors.accept(await found(factors, factor), 5)).toBe(true);
      expect(await factors.accept(before, 4)).toBe(false);
      expect(await factors.accept(before, 6)).toBe(true);
      expect((await found(factors, factor)).lastStep).toBe(6);
    });

    test("are refused when the factor is gone", async () => {
      const code = freshDigest();
      await factors.enrol({ ...factor, recoveryCodes: [code] });
      await factors.accept(await found(factors, factor), 1);
      const before = await found(factors, factor);
      await factors.remove("user:3", null);
      expect(await factors.accept(before, 2)).toBe(false);
      expect(await factors.recover(before, code)).toBe(false);
      expect(await factors.list(null, 10)).toEqual([]);
    });

    test("are refused for another secret", async () => {
      for (const sealedSecret of ["another", factor.sealedSecret.toUpperCase()]) {
        await factors.enrol({ ...factor, sealedSecret });
        const before = await found(factors, factor);
        await factors.enrol(factor);
        expect(await factors.accept(before, 7)).toBe(false);
      }
      expect(await factors.list(null, 10)).toEqual([pendingFactor(factor)]);
    });

    test("are refused for another app name or another subject", async () => {
      const others = [
        ...["Field", "office", "field "].map((appName) => ({ ...factor, appName })),
        ...["user:4", "USER:3", "user:33"].map((subject) => ({ ...factor, subject })),
      ];
      for (const each of [factor, ...others]) await factors.enrol(each);
      expect(await factors.accept(await found(factors, factor), 7)).toBe(true);
      for (const other of others) expect(await found(factors, other)).toEqual(pendingFactor(other));
    });

    test("are refused for an app name or a subject without a factor", async () => {
      await factors.enrol(factor);
      const known = await found(factors, factor);
      for (const appName of ["Field", "office", "field "])
        expect(await factors.accept({ ...known, appName }, 7)).toBe(false);
      for (const subject of ["user:4", "USER:3", "user:33", "user:"])
        expect(await factors.accept({ ...known, subject }, 7)).toBe(false);
      expect(await factors.list(null, 10)).toEqual([known]);
    });

    test("are accepted once for a step when sent several times at once", async () => {
      await factors.enrol(factor);
      const first = await found(factors, factor);
      for (const step of [5, 6]) {
        const outcomes = await concurrently(20, () => factors.accept(first, step));
        expect(tally(outcomes)).toEqual({ true: 1, false: 19 });
      }
      const outcomes = await concurrently(20, async () => factors.accept(await found(factors, factor), 7));
      expect(tally(outcomes)).toEqual({ true: 1, false: 19 });
    });

    test("are accepted by one of several concurrent transactions, and by none that fails", async () => {
      await factors.enrol(factor);
      const first = await found(factors, factor);
      const changedMind = new Error("changed its mind");
      const failing = stage.storage.transaction(async (r) => {
        expect(await new SecondFactors(r.records).accept(first, 5)).toBe(true);
        throw changedMind;
      });
      await expect(failing).rejects.toBe(changedMind);
      expect(await found(factors, factor)).toEqual(first);
      const outcomes = await concurrently(8, () =>
        stage.storage.transaction((r) => new SecondFactors(r.records).accept(first, 5)),
      );
      expect(tally(outcomes)).toEqual({ true: 1, false: 7 });
    });

    test("spend a recovery code once, and keep the others", async () => {
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

    test("spend a recovery code once when sent several times at once", async () => {
      const codes = Array.from({ length: 4 }, freshDigest);
      await factors.enrol({ ...factor, recoveryCodes: codes });
      await factors.accept(await found(factors, factor), 1);
      const known = await found(factors, factor);
      const outcomes = await concurrently(20, (index) => factors.recover(known, codes[index % 2] ?? ""));
      expect(tally(outcomes)).toEqual({ true: 2, false: 18 });
      expect((await found(factors, factor)).recoveryCodes).toEqual(codes.slice(2));
    });

    test("lose neither a step nor a recovery code that are sent at once", async () => {
      const codes = [freshDigest(), freshDigest()];
      await factors.enrol({ ...factor, recoveryCodes: codes });
      await factors.accept(await found(factors, factor), 1);
      const known = await found(factors, factor);
      const [code = ""] = codes;
      expect(await Promise.all([factors.accept(known, 2), factors.recover(known, code)])).toEqual([true, true]);
      expect(await found(factors, factor)).toMatchObject({ lastStep: 2, recoveryCodes: codes.slice(1) });
    });
  });

  const [right, wrong] = [digests.sha256("right"), digests.sha256("wrong")];

  describe("new password that awaits confirmation", () => {
    let stage: StoreFixture;
    let account: Account;
    const accountNow = async () => (await stage.r.accounts.find({ id: account.id }, [])).account as Account;
    const inside = <T>(work: (passwords: PendingPasswords) => Promise<T>, storage: Storage = stage.storage) =>
      storage.transaction((r) => work(new PendingPasswords(r)));
    const keep = (input: Partial<Parameters<PendingPasswords["keep"]>[1]> = {}, of: Account = account) =>
      inside((passwords) =>
        passwords.keep(of, { secret: "second secret", code: right, lifetime: 10 * minute, tries: 5, ...input }),
      );
    const tryCode = (code: string) => new PendingPasswords(stage.r).tryCode(account.id, code);
    const confirm = (code: string) => inside((passwords) => passwords.confirm(account.id, code));

    beforeEach(async () => {
      stage = await openStoreFixture();
      const id = "00000000-0000-4000-8000-000000000001";
      await stage.r.accounts.create({ id, userId: "1", loginName: "ada", secret: "first secret" }, "ada");
      account = (await stage.r.accounts.find({ id }, [])).account as Account;
    });

    test("becomes current when its code is confirmed, and only then", async () => {
      expect(await keep()).toBe(true);
      expect(await accountNow()).toEqual(account);
      expect([await tryCode(wrong), await tryCode(right)]).toEqual([false, true]);
      expect(await accountNow()).toEqual(account);
      expect(await confirm(right)).toBe(account.secretVersion + 1);
      expect(await accountNow()).toEqual({
        ...account,
        secret: "second secret",
        secretVersion: account.secretVersion + 1,
      });
      expect([await tryCode(right), await confirm(right)]).toEqual([false, null]);
    });

    test("does not exist without a request", async () => {
      expect([await tryCode(right), await confirm(right)]).toEqual([false, null]);
      await keep();
      expect(await new PendingPasswords(stage.r).tryCode("00000000-0000-4000-8000-000000000002", right)).toBe(false);
    });

    test("applies to the current secret alone", async () => {
      const later = { ...account, secretVersion: account.secretVersion + 1 };
      expect([await keep({}, later), await tryCode(right)]).toEqual([false, false]);
      await keep();
      await stage.r.accounts.setSecret(account.id, "set by somebody else", account.secretVersion);
      expect([await keep(), await confirm(right)]).toEqual([false, null]);
      expect((await accountNow()).secret).toBe("set by somebody else");
    });

    test("stays when the account is mapped to another user", async () => {
      await keep();
      stage.advance(9 * minute);
      expect(await stage.storage.transaction((r) => mapCustomAccount(r, account.id, "2"))).toBe(true);
      expect(await tryCode(right)).toBe(true);
      expect(await confirm(right)).toBe(account.secretVersion + 2);
      expect(await accountNow()).toMatchObject({ userId: "2", secret: "second secret" });
      expect(
        await stage.storage.transaction((r) => mapCustomAccount(r, "00000000-0000-4000-8000-000000000002", "2")),
      ).toBe(false);
    });

    test("allows the given number of tries, including the last one", async () => {
      await keep({ tries: 3 });
      expect([await tryCode(wrong), await tryCode(wrong), await tryCode(right)]).toEqual([false, false, true]);
      await keep({ tries: 3 });
      for (let n = 0; n < 3; n += 1) expect(await tryCode(wrong)).toBe(false);
      expect(await tryCode(right)).toBe(false);
    });

    test.each([4, 5, 20])("counts each of %i concurrent wrong codes", async (tries) => {
      await keep({ tries: 5 });
      expect(tally(await concurrently(tries, () => tryCode(wrong)))).toEqual({ false: tries });
      expect(await tryCode(right)).toBe(tries < 5);
    });

    test("is confirmed by one of several concurrent right codes", async () => {
      await keep();
      const versions = await concurrently(8, () => confirm(right));
      expect(versions.filter((version) => version !== null)).toEqual([account.secretVersion + 1]);
    });

    test("expires after its time, with or without wrong tries", async () => {
      await keep();
      stage.advance(9 * minute);
      expect(await tryCode(wrong)).toBe(false);
      stage.advance(2 * minute);
      expect([await tryCode(right), await confirm(right)]).toEqual([false, null]);
      await keep();
      stage.advance(9 * minute);
      expect(await tryCode(right)).toBe(true);
    });

    test("replaces a pending one, with new tries", async () => {
      await keep({ tries: 1, code: wrong });
      await keep({ secret: "third secret", tries: 2 });
      expect([await tryCode(wrong), await tryCode(right)]).toEqual([false, true]);
      await confirm(right);
      expect((await accountNow()).secret).toBe("third secret");
    });

    test("is pending again when the transaction that confirmed it is rolled back", async () => {
      await keep();
      const undone = inside(async (passwords) => {
        expect(await passwords.confirm(account.id, right)).not.toBeNull();
        throw new Error("undone");
      });
      await expect(undone).rejects.toThrow("undone");
      expect(await accountNow()).toEqual(account);
      expect(await confirm(right)).toBe(account.secretVersion + 1);
    });
  });
});
