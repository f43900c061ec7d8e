import {
  type HookCaller,
  type ObjectId,
  type ProviderUser,
  seesAll,
  UpdateObject,
  type SessionContext,
} from "../../src/index.ts";
import { codeOf, openProviderFixture, type ProviderFixture, linksIn } from "./provider-fixture.ts";

const className = "xRestApiUserProvider";

describe("a new user of a provider", () => {
  let f: ProviderFixture;
  let asked: ProviderUser[];
  beforeEach(async () => {
    f = await openProviderFixture();
    asked = [];
  });
  const links = () => linksIn(f.r);
  const objects = async () =>
    (await f.r.objects.find({ classes: [className] }, seesAll, { limit: 100, offset: 0 })).objects.map(
      ({ attributes }) => attributes,
    );
  const come = async () => (await f.finish(await f.away())).outcome;
  const hook = (run: (user: ProviderUser, caller: HookCaller) => Promise<number> | number) =>
    f.hooks.use({
      createUserProvider: [
        { name: "hook", classes: [], run: async (caller, user) => (asked.push(user), run(user, caller)) },
      ],
    });
  const assign =
    (userId: ObjectId) =>
    async ({ userObject }: ProviderUser, caller: HookCaller) => {
      const id = userObject["~ObjectID"] as string;
      await new UpdateObject(f.hooks).run(
        caller as SessionContext,
        { kind: "id", id },
        { given: { User: { "~ObjectID": userId } }, expectedVersions: null, serialization: undefined },
      );
      return 1;
    };

  test("gets the default user, and is told apart from others who have it", async () => {
    const userId = await f.user("guest");
    await f.register(f.google, { defaultUserId: userId });
    expect(await come()).toMatchObject({ sessionId: expect.any(String), user: { "~ObjectID": userId } });
    f.google.profile = { ...f.google.profile, subject: "s-2", name: "Eve", surname: "" };
    expect(await come()).toHaveProperty("sessionId");
    expect(await come()).toHaveProperty("sessionId");
    expect(await links()).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ subject: "s-1", userId, shared: true }),
        expect.objectContaining({ subject: "s-2", userId, shared: true }),
      ]),
    );
    expect(await objects()).toEqual([
      { Provider: "google", Uuid: "s-1", Name: "Ada", Surname: "Lovelace", Email: "ada@example.com", User: userId },
      { Provider: "google", Uuid: "s-2", Name: "Eve", Surname: "", Email: "ada@example.com", User: userId },
    ]);
  });

  test("is created once, however many callbacks there are at once", async () => {
    await f.register(f.google, { defaultUserId: await f.user("guest") });
    const inputs = await Promise.all(Array.from({ length: 10 }, () => f.away()));
    expect(await Promise.all(inputs.map((input) => codeOf(f.finish(input))))).toEqual(
      Array.from({ length: 10 }, () => 0),
    );
    expect(await links()).toHaveLength(1);
    expect(await objects()).toHaveLength(1);
  });

  test("is none when the default user is gone or disabled", async () => {
    const userId = await f.user("guest");
    await f.register(f.google, { defaultUserId: userId });
    await f.r.accounts.change(userId, { disabled: true });
    expect(await codeOf(come())).toBe(324);
    await f.register(f.google, { defaultUserId: "ZZZ" });
    expect(await codeOf(come())).toBe(324);
    expect([await links(), await objects()]).toEqual([[], []]);
  });

  test("is what the hook says", async () => {
    const [guest, chosen] = [await f.user("guest"), await f.user("chosen")];
    hook(() => 0);
    expect(await come()).toHaveProperty("dfUuid");
    expect(await objects()).toEqual([]);
    await f.register(f.google, { defaultUserId: guest });
    hook(() => -1);
    expect(await codeOf(come())).toBe(324);
    hook(assign("ZZZ"));
    expect(await codeOf(come())).not.toBe(0);
    expect([await links(), await objects()]).toEqual([[], []]);
    hook(assign(chosen));
    expect(await come()).toMatchObject({ user: { "~ObjectID": chosen } });
    expect(await objects()).toEqual([expect.objectContaining({ User: chosen })]);
    asked = [];
    expect(await come()).toMatchObject({ user: { "~ObjectID": chosen } });
    expect(asked).toEqual([]);
  });

  test("is shown to the hook without anything secret", async () => {
    hook(() => 0);
    await come();
    expect(asked).toEqual([
      {
        userObject: expect.objectContaining({ "~ClassName": className, Uuid: "s-1" }),
        providerConfig: { type: "google", name: "google", clientId: "c", appNames: ["app"] },
        userUuid: "s-1",
        name: "Ada",
        surname: "Lovelace",
        email: "ada@example.com",
      },
    ]);
  });

  test("has to have a user after a hook that says so", async () => {
    hook(() => 1);
    expect(await codeOf(come())).toBe(324);
    expect([await links(), await objects()]).toEqual([[], []]);
  });
});
