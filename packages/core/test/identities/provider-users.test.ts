import {
  confusableKeyOf,
  type IdentityLink,
  identityLinkKind,
  loginNameOf,
  type ObjectId,
  seesAll,
} from "@sallyport/storage";
import {
  type HookCaller,
  mailAddress,
  ProviderEntries,
  type ProviderEntry,
  providerTypeOf,
  type ProviderUser,
  updateObject,
  type ObjectContext,
} from "../../src/index.ts";
import { codeOf, linksIn, openProviderFixture, type ProviderFixture } from "./provider-fixture.ts";
import { hostileTexts, openStoreFixture, type StoreFixture, unstorableTexts } from "../stores/store-fixture.ts";
/** Look-alikes of a text, or other spellings that mean it elsewhere. */
const disguises: readonly (readonly [string, (text: string) => string])[] = [
  ["a trailing blank", (text) => `${text} `],
  ["a leading blank", (text) => ` ${text}`],
  ["a no-break space", (text) => `${text}\u00a0`],
  ["a line break", (text) => `${text}\n`],
  ["a space of no width", (text) => `${text.slice(0, 2)}\u200b${text.slice(2)}`],
  ["a joiner", (text) => `${text.slice(0, 2)}\u200d${text.slice(2)}`],
  ["a soft hyphen", (text) => `${text.slice(0, 2)}\u00ad${text.slice(2)}`],
  ["a filler", (text) => `${text}\u3164`],
  ["a variation selector", (text) => `${text}\ufe0f`],
  ["a direction mark", (text) => `\u202e${text}`],
  ["a byte order mark", (text) => `\ufeff${text}`],
  ["a Braille blank", (text) => `${text}\u2800`],
  ["an annotation anchor", (text) => `${text}\ufff9`],
  ["full width", (text) => text.replaceAll(/[a-z]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0))],
  [
    "mathematical letters",
    (text) => text.replaceAll(/[a-z]/g, (letter) => String.fromCodePoint(letter.charCodeAt(0) - 97 + 0x1d41a)),
  ],
];

/** A similar text in other scripts: a different text for every reader. */
const foreign: readonly (readonly [string, (text: string) => string])[] = [
  ["Cyrillic", (text) => text.replaceAll("a", "\u0430").replaceAll("o", "\u043e").replaceAll("e", "\u0435")],
  ["Greek", (text) => text.replaceAll("o", "\u03bf").replaceAll("a", "\u03b1")],
  ["a mark on a letter", (text) => `${text}\u0301`],
];

describe.each([...disguises, ...foreign])("with %s", (what, disguised) => {
  test("a provider is unknown", () => {
    for (const name of ["google", "facebook", "microsoft", "apple", "windowslive", "appleid"])
      expect([name, providerTypeOf(disguised(name))]).toEqual([name, null]);
  });

  test("an identity is a different one", async () => {
    const f = await openProviderFixture();
    await f.user("ada");
    const known = { ...f.google.profile, subject: "a-person-of-google" };
    f.google.profile = known;
    await f.link(await f.dfUuid());
    for (const member of ["issuer", "subject"] as const) {
      f.google.profile = { ...known, [member]: disguised(known[member]) };
      expect((await f.finish(await f.startLogIn())).outcome).toHaveProperty("dfUuid");
    }
    f.google.profile = known;
    expect((await f.finish(await f.startLogIn())).outcome).toHaveProperty("sessionId");
  });

  test("a log-in as another user fails", async () => {
    const f = await openProviderFixture();
    await f.user("leona");
    expect(await codeOf(f.link(await f.dfUuid(), { user: disguised("leona") }))).toBe(302);
    expect(await codeOf(f.link(await f.dfUuid(), { user: "leona" }))).toBe(0);
  });

  test("a name is taken as another one, or cannot be created beside it", () => {
    const isForeign = foreign.some(([other]) => other === what);
    expect(loginNameOf(disguised("leona"))).not.toBe("leona");
    expect(confusableKeyOf(loginNameOf(disguised("leona"))) === confusableKeyOf("leona")).toBe(!isForeign);
  });

  test("an address is invalid, or another one", () => {
    expect(mailAddress(disguised("leona@mail.example"))).not.toBe("leona@mail.example");
  });
});

test.each(["\u212a", "\u017f", "\u0130", "\u0131"])(
  "a letter with an ASCII letter as its other case is another letter: %s",
  (letter) => {
    for (const name of [
      "goog\u0131e",
      "face\u212ao",
      `faceboo${letter}`,
      `micro${letter}oft`,
      `w${letter}ndowslive`,
      `apple${letter}d`,
    ])
      expect(providerTypeOf(name)).toBeNull();
  },
);

test("composed and decomposed forms are one name and one address, and two subjects", async () => {
  expect([loginNameOf("rene\u0301"), mailAddress("rene\u0301@mail.example")]).toEqual([
    "ren\u00e9",
    "ren\u00e9@mail.example",
  ]);
  const f = await openProviderFixture();
  await f.user("ada");
  f.google.profile = { ...f.google.profile, subject: "ren\u00e9" };
  await f.link(await f.dfUuid());
  f.google.profile = { ...f.google.profile, subject: "rene\u0301" };
  expect((await f.finish(await f.startLogIn())).outcome).toHaveProperty("dfUuid");
});

const className = "xRestApiUserProvider";

describe("new user of a provider", () => {
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
  const logIn = async () => (await f.finish(await f.startLogIn())).outcome;
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
      await updateObject(
        caller as HookCaller & ObjectContext,
        { kind: "id", id },
        { attributes: { User: { "~ObjectID": userId } }, expectedVersions: null, serialization: undefined },
      );
      return 1;
    };

  test("gets the default user, and is distinguished from others with that user", async () => {
    const userId = await f.user("guest");
    await f.register(f.google, { defaultUserId: userId });
    expect(await logIn()).toMatchObject({ sessionId: expect.any(String), user: { "~ObjectID": userId } });
    f.google.profile = { ...f.google.profile, subject: "s-2", name: "Eve", surname: "" };
    expect(await logIn()).toHaveProperty("sessionId");
    expect(await logIn()).toHaveProperty("sessionId");
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

  test("is created once for concurrent callbacks", async () => {
    await f.register(f.google, { defaultUserId: await f.user("guest") });
    const inputs = await Promise.all(Array.from({ length: 10 }, () => f.startLogIn()));
    expect(await Promise.all(inputs.map((input) => codeOf(f.finish(input))))).toEqual(
      Array.from({ length: 10 }, () => 0),
    );
    expect(await links()).toHaveLength(1);
    expect(await objects()).toHaveLength(1);
  });

  test("is refused when the default user is gone or disabled", async () => {
    const userId = await f.user("guest");
    await f.register(f.google, { defaultUserId: userId });
    await f.r.accounts.change(userId, { disabled: true });
    expect(await codeOf(logIn())).toBe(324);
    await f.register(f.google, { defaultUserId: "ZZZ" });
    expect(await codeOf(logIn())).toBe(324);
    expect([await links(), await objects()]).toEqual([[], []]);
  });

  test("follows the decision of the hook", async () => {
    const [guest, chosen] = [await f.user("guest"), await f.user("chosen")];
    hook(() => 0);
    expect(await logIn()).toHaveProperty("dfUuid");
    expect(await objects()).toEqual([]);
    await f.register(f.google, { defaultUserId: guest });
    hook(() => -1);
    expect(await codeOf(logIn())).toBe(324);
    hook(assign("ZZZ"));
    expect(await codeOf(logIn())).not.toBe(0);
    expect([await links(), await objects()]).toEqual([[], []]);
    hook(assign(chosen));
    expect(await logIn()).toMatchObject({ user: { "~ObjectID": chosen } });
    expect(await objects()).toEqual([expect.objectContaining({ User: chosen })]);
    asked = [];
    expect(await logIn()).toMatchObject({ user: { "~ObjectID": chosen } });
    expect(asked).toEqual([]);
  });

  test("is passed to the hook without secrets", async () => {
    hook(() => 0);
    await logIn();
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

  test("must have a user after a hook that accepts it", async () => {
    hook(() => 1);
    expect(await codeOf(logIn())).toBe(324);
    expect([await links(), await objects()]).toEqual([[], []]);
  });
});

const google: ProviderEntry = {
  type: "google",
  name: "Google",
  sealedData: "sealed",
  defaultUserId: null,
  appNames: [],
};

const link: IdentityLink = {
  id: "00000000-0000-4000-8000-000000000001",
  provider: "google",
  issuer: "https://issuer.example",
  subject: "somebody",
  userId: "1",
  shared: false,
  email: null,
  displayName: null,
};

describe("identity providers", () => {
  let stage: StoreFixture;
  let entries: ProviderEntries;

  beforeEach(async () => {
    stage = await openStoreFixture();
    entries = new ProviderEntries(stage.r.records);
  });

  test("are found as they were put, each for itself", async () => {
    expect(await entries.find("google")).toBeNull();
    expect(await entries.list()).toEqual([]);
    const apple: ProviderEntry = {
      type: "apple",
      name: "",
      sealedData: "x".repeat(20_000),
      defaultUserId: "A1",
      appNames: ["office", "field"],
    };
    await entries.put(google);
    await entries.put(apple);
    expect(await entries.find("google")).toEqual(google);
    expect(await entries.find("apple")).toEqual(apple);
    expect(await entries.find("facebook")).toBeNull();
  });

  test("replace the entry of the same kind", async () => {
    const changes: readonly ProviderEntry[] = [
      { ...google, name: "Other", sealedData: "other", defaultUserId: "A1", appNames: ["field"] },
      { ...google, appNames: ["b", "a"] },
      google,
      google,
    ];
    for (const entry of changes) {
      await entries.put(entry);
      expect(await entries.list()).toEqual([entry]);
    }
  });

  test("are listed by their kind", async () => {
    for (const type of ["microsoft", "apple", "google", "facebook"] as const) await entries.put({ ...google, type });
    const types = (await entries.list()).map(({ type }) => type);
    expect(types).toEqual(["apple", "facebook", "google", "microsoft"]);
  });

  test("are removed, and links to them stay", async () => {
    await entries.put(google);
    await entries.put({ ...google, type: "apple" });
    await stage.r.records.put(identityLinkKind, "link", link);
    const linked = await stage.r.records.get(identityLinkKind, ["link"]);
    expect(linked).toMatchObject([{ value: link }]);
    expect(await entries.remove("google")).toBe(true);
    expect(await entries.remove("google")).toBe(false);
    expect(await entries.list()).toEqual([{ ...google, type: "apple" }]);
    expect(await stage.r.records.get(identityLinkKind, ["link"])).toMatchObject([{ value: link }]);
  });

  test("keep hostile texts unchanged, including app names", async () => {
    for (const text of hostileTexts) {
      const entry = { ...google, name: text, sealedData: text, appNames: [text, "a"] };
      await entries.put(entry);
      expect(await entries.find("google")).toEqual(entry);
    }
  });

  test("are refused with an invalid text, and stay unchanged", async () => {
    await entries.put(google);
    for (const text of unstorableTexts)
      for (const input of [{ name: text }, { sealedData: text }, { appNames: ["a", text] }])
        await expect(entries.put({ ...google, ...input })).rejects.toMatchObject({ code: 307 });
    expect(await entries.list()).toEqual([google]);
  });
});
