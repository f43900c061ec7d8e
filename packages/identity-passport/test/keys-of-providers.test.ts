import { imitatedProviders, type ImitatedProviders, logIn } from "./imitated-providers.ts";

const keyPaths = {
  google: "/google/keys",
  microsoft: "/microsoft/common/discovery/v2.0/keys",
  apple: "/apple/auth/keys",
} as const;

let world: ImitatedProviders;

beforeAll(async () => {
  world = await imitatedProviders();
});

afterEach(() => world.imitation.behave());

afterAll(() => world.close());

describe.each(Object.entries(keyPaths) as [keyof typeof keyPaths, string][])("the keys of %s", (type, path) => {
  const fetched = () => world.imitation.requests.get(path) ?? 0;

  test("are fetched once for many log-ins, and again after they were rotated", async () => {
    const provider = world.providers().get(type)!;
    const before = fetched();
    await Promise.all(Array.from({ length: 10 }, () => logIn(provider, world.dataOf(type), "anna")));
    expect(fetched()).toBe(before + 1);

    await world.imitation.rotateKeys(type);
    await expect(logIn(provider, world.dataOf(type), "anna")).rejects.toMatchObject({
      code: 324,
      detail: "the id token is signed by a key that the provider does not have",
    });
    expect(fetched()).toBe(before + 1);
    world.advance(30_000);
    expect(
      await Promise.all([logIn(provider, world.dataOf(type), "anna"), logIn(provider, world.dataOf(type), "ben")]),
    ).toMatchObject([{ name: "Anna" }, { name: "Ben" }]);
    expect(fetched()).toBe(before + 2);
  });

  test.each(["serverError", "hangs", "notJson"] as const)(
    "are good for a while when the provider does not tell them any more: %s",
    async (fault) => {
      const provider = world.providers({ timeout: 2_000 }).get(type)!;
      await logIn(provider, world.dataOf(type), "anna");
      world.imitation.misbehave(type, { answers: { keys: fault } });
      world.advance(2 * 3_600_000);
      expect(await logIn(provider, world.dataOf(type), "anna")).toMatchObject({ email: "anna@example.com" });
      world.advance(23 * 3_600_000);
      await expect(logIn(provider, world.dataOf(type), "anna")).rejects.toMatchObject({
        code: fault === "notJson" ? 324 : 706,
      });
      world.imitation.behave();
      world.advance(5_000);
      expect(await logIn(provider, world.dataOf(type), "anna")).toMatchObject({ email: "anna@example.com" });
    },
  );
});

describe.each(["google", "facebook", "microsoft", "apple"] as const)("a check of %s", (type) => {
  const checking = (data: Record<string, string>, timeout = 5_000) => {
    const provider = world.providers({ timeout }).get(type)!;
    return provider.check(provider.accept(data));
  };

  test("finds nothing when the data are those that the provider knows", async () => {
    await expect(checking(world.dataOf(type))).resolves.toBeUndefined();
  });

  test("finds clients and secrets that the provider does not know", async () => {
    const wrong = type === "apple" ? { teamId: "OTHERTEAM1" } : { clientSecret: "other-secret" };
    await expect(checking({ ...world.dataOf(type), ...wrong })).rejects.toMatchObject({ code: 608 });
    await expect(checking({ ...world.dataOf(type), clientId: "99999" })).rejects.toMatchObject({ code: 608 });
  });

  test("finds a provider that is not there", async () => {
    const endpoint = type === "facebook" ? "debug" : "keys";
    world.imitation.misbehave(type, { answers: { [endpoint]: "hangs" } });
    await expect(checking(world.dataOf(type), 300)).rejects.toMatchObject({ code: 706 });
  });
});
