import { type Account, type PasswordHasher, VerifyPassword } from "../src/index.ts";
import { digests, type Fixture, openFixture } from "./fixture.ts";

const asked: unknown[][] = [];
const hasher: PasswordHasher = {
  hash: async (password) => `new:${password}`,
  verify: async (encoded, password, decoy) => {
    asked.push([encoded, decoy]);
    return encoded === `new:${password}` || encoded === `old:${password}`;
  },
  isOutdated: (encoded) => !encoded.startsWith("new:"),
};
const verifyPassword = new VerifyPassword(hasher, digests);

describe("the proof of a password", () => {
  let fixture: Fixture;
  const given = (user: string, pass: string) => ({ user, pass, clientHash: "none", links: [] }) as const;
  const prove = async (user: string, pass: string) =>
    (await verifyPassword.prepare(fixture.r.accounts, given(user, pass)))();
  const accountOf = async (loginName: string) =>
    (await fixture.r.accounts.find({ realm: "database", loginName }, [])).account;
  const create = async (loginName: string, secret: string): Promise<Account> => {
    const [userId] = await fixture.insert({ className: "User", attributes: { Name: loginName } });
    await fixture.r.accounts.create({ userId: userId as string, loginName, secret, administrator: false }, loginName);
    return (await accountOf(loginName)) as Account;
  };

  beforeEach(async () => {
    fixture = await openFixture();
    asked.length = 0;
  });

  test("gives the account of who knows the password", async () => {
    const account = await create("ada", "new:right");
    const person = await prove("ada", "right");
    expect(person?.account).toEqual(account);
    expect(person?.user).toMatchObject({ id: account.userId, attributes: { Name: "ada" } });
    expect(await prove("ada", "wrong")).toBeNull();
    expect(await prove("Ada", "right")).toBeNull();
  });

  test("asks the hasher about the name's neighbour when the name is unknown", async () => {
    await create("ada", "new:right");
    await create("eve", "old:right");
    expect(await prove("bob", "right")).toBeNull();
    expect(asked).toEqual([[null, "old:right"]]);
  });

  test("checks the password of a disabled account, and refuses it in any case", async () => {
    const { userId } = await create("ada", "new:right");
    await fixture.r.accounts.change(userId, { disabled: true });
    expect(await prove("ada", "right")).toBeNull();
    expect(asked).toEqual([["new:right", "new:right"]]);
  });

  test("renews a hash that was made with other parameters, without a change of its version", async () => {
    const account = await create("ada", "old:right");
    await verifyPassword.renew(fixture.r.accounts, account, given("ada", "right"));
    expect(await accountOf("ada")).toEqual({ ...account, secret: "new:right" });
  });

  test("leaves a hash of today's parameters as it is", async () => {
    const account = await create("ada", "new:right");
    await verifyPassword.renew(fixture.r.accounts, account, given("ada", "anything"));
    expect(await accountOf("ada")).toEqual(account);
  });

  test("does not overwrite a password that was changed meanwhile, nor fails when it cannot renew", async () => {
    const account = await create("ada", "old:right");
    await fixture.r.accounts.setSecret(account.userId, "new:changed", account.secretVersion);
    await verifyPassword.renew(fixture.r.accounts, account, given("ada", "right"));
    expect((await accountOf("ada"))?.secret).toBe("new:changed");
    const broken = new VerifyPassword({ ...hasher, hash: () => Promise.reject(new Error("full")) }, digests);
    await expect(broken.renew(fixture.r.accounts, account, given("ada", "right"))).resolves.toBeUndefined();
  });
});
