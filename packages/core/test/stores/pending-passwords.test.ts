import { type Account, mapCustomAccount, PendingPasswords, type Storage } from "../../src/index.ts";
import { digests } from "../fixture.ts";
import { atOnce, minute, openStage, type StoreStage, tally } from "./store-stage.ts";

const [right, wrong] = [digests.sha256("right"), digests.sha256("wrong")];

describe("a new password that waits to be confirmed", () => {
  let stage: StoreStage;
  let account: Account;
  const accountNow = async () => (await stage.r.accounts.find({ id: account.id }, [])).account as Account;
  const inside = <T>(work: (passwords: PendingPasswords) => Promise<T>, storage: Storage = stage.storage) =>
    storage.transaction((r) => work(new PendingPasswords(r)));
  const keep = (given: Partial<Parameters<PendingPasswords["keep"]>[1]> = {}, of: Account = account) =>
    inside((passwords) =>
      passwords.keep(of, { secret: "second secret", code: right, lifetime: 10 * minute, tries: 5, ...given }),
    );
  const tryCode = (code: string) => new PendingPasswords(stage.r).tryCode(account.id, code);
  const confirm = (code: string) => inside((passwords) => passwords.confirm(account.id, code));

  beforeEach(async () => {
    stage = await openStage();
    const id = "00000000-0000-4000-8000-000000000001";
    await stage.r.accounts.create({ id, userId: "1", loginName: "ada", secret: "first secret" }, "ada");
    account = (await stage.r.accounts.find({ id }, [])).account as Account;
  });

  test("is the current one when its code was confirmed, and only then", async () => {
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

  test("is not there where nobody asked for one", async () => {
    expect([await tryCode(right), await confirm(right)]).toEqual([false, null]);
    await keep();
    expect(await new PendingPasswords(stage.r).tryCode("00000000-0000-4000-8000-000000000002", right)).toBe(false);
  });

  test("waits over the current secret alone", async () => {
    const later = { ...account, secretVersion: account.secretVersion + 1 };
    expect([await keep({}, later), await tryCode(right)]).toEqual([false, false]);
    await keep();
    await stage.r.accounts.setSecret(account.id, "set by somebody else", account.secretVersion);
    expect([await keep(), await confirm(right)]).toEqual([false, null]);
    expect((await accountNow()).secret).toBe("set by somebody else");
  });

  test("goes on waiting when the account is mapped to another user", async () => {
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

  test("has as many tries as were given, the last one included", async () => {
    await keep({ tries: 3 });
    expect([await tryCode(wrong), await tryCode(wrong), await tryCode(right)]).toEqual([false, false, true]);
    await keep({ tries: 3 });
    for (let n = 0; n < 3; n += 1) expect(await tryCode(wrong)).toBe(false);
    expect(await tryCode(right)).toBe(false);
  });

  test.each([4, 5, 20])("counts every one of %i wrong codes that are tried at once", async (tries) => {
    await keep({ tries: 5 });
    expect(tally(await atOnce(tries, () => tryCode(wrong)))).toEqual({ false: tries });
    expect(await tryCode(right)).toBe(tries < 5);
  });

  test("is confirmed by one of those who have the code at once", async () => {
    await keep();
    const versions = await atOnce(8, () => confirm(right));
    expect(versions.filter((version) => version !== null)).toEqual([account.secretVersion + 1]);
  });

  test("is gone when its time is over, whatever was tried meanwhile", async () => {
    await keep();
    stage.advance(9 * minute);
    expect(await tryCode(wrong)).toBe(false);
    stage.advance(2 * minute);
    expect([await tryCode(right), await confirm(right)]).toEqual([false, null]);
    await keep();
    stage.advance(9 * minute);
    expect(await tryCode(right)).toBe(true);
  });

  test("takes the place of one that waited, with tries of its own", async () => {
    await keep({ tries: 1, code: wrong });
    await keep({ secret: "third secret", tries: 2 });
    expect([await tryCode(wrong), await tryCode(right)]).toEqual([false, true]);
    await confirm(right);
    expect((await accountNow()).secret).toBe("third secret");
  });

  test("waits again when the transaction that confirmed it is undone", async () => {
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
