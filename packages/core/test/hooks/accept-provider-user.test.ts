import { AcceptProviderUser, type JsonValue, type ProviderUser, type SessionContext } from "../../src/index.ts";
import { type HookFixture, openHookFixture } from "./hook-fixture.ts";

describe("the hook of new users of a provider", () => {
  let f: HookFixture;
  let userId: string;
  let given: ProviderUser[];
  beforeEach(async () => {
    f = await openHookFixture();
    [userId] = (await f.fixture.insert({ className: "Person", attributes: { Name: "Ada" } })) as [string];
    given = [];
  });

  const accept = () =>
    new AcceptProviderUser(f.hooks).run(f.context, {
      userId,
      providerConfig: { name: "oidc" },
      userUuid: "u-1",
      name: "Ada",
      surname: "L",
      email: "ada@example.org",
    });
  const answer = (value: JsonValue | undefined, work: (caller: SessionContext) => Promise<unknown> = async () => {}) =>
    f.hooks.use({
      createUserProvider: [
        {
          name: "hook",
          classes: [],
          run: async (caller, user) => (given.push(user), await work(caller as SessionContext), value),
        },
      ],
    });

  test("says whether the user is accepted", async () => {
    expect(await accept()).toBe("accepted");
    answer(0);
    expect(await accept()).toBe("accepted");
    answer(7);
    expect(await accept()).toBe("assigned");
    expect(given[0]).toEqual({
      userObject: expect.objectContaining({ "~ObjectID": userId, Name: "Ada" }),
      providerConfig: { name: "oidc" },
      userUuid: "u-1",
      name: "Ada",
      surname: "L",
      email: "ada@example.org",
    });
    for (const refusing of [-1, -0.5, 1.5, "0", null, undefined, true, [0], Number.MAX_VALUE]) {
      answer(refusing);
      await expect(accept()).rejects.toMatchObject({ code: 324 });
    }
  });

  test("runs in one transaction, in which nobody else writes the user", async () => {
    const note = (Note: string) => (as: SessionContext) =>
      f.update.run(
        as,
        { kind: "id", id: userId },
        { given: { Note }, expectedVersions: null, serialization: undefined },
      );
    let begin: () => void = () => {};
    const running = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const other = running.then(() => note("other")(f.context));
    answer(1, async (caller) => {
      begin();
      await note("hook")(caller);
    });
    expect(await accept()).toBe("assigned");
    await other;
    expect(await f.stored(userId)).toMatchObject({ version: 3, attributes: { Note: "other" } });
    answer(-1, note("refused"));
    await expect(accept()).rejects.toMatchObject({ code: 324 });
    expect(await f.stored(userId)).toMatchObject({ version: 3, attributes: { Note: "other" } });
  });
});
