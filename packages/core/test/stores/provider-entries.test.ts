import { type IdentityLink, identityLinkKind, ProviderEntries, type ProviderEntry } from "../../src/index.ts";
import { hostileTexts, openStage, type StoreStage, unstorableTexts } from "./store-stage.ts";

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
  let stage: StoreStage;
  let entries: ProviderEntries;

  beforeEach(async () => {
    stage = await openStage();
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

  test("take the place of the entry of the same kind", async () => {
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

  test("are removed, and what is linked stays", async () => {
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

  test("keep hostile texts as they are, app names among them", async () => {
    for (const text of hostileTexts) {
      const entry = { ...google, name: text, sealedData: text, appNames: [text, "a"] };
      await entries.put(entry);
      expect(await entries.find("google")).toEqual(entry);
    }
  });

  test("are refused with a text that cannot be stored, and stay as they were", async () => {
    await entries.put(google);
    for (const text of unstorableTexts)
      for (const given of [{ name: text }, { sealedData: text }, { appNames: ["a", text] }])
        await expect(entries.put({ ...google, ...given })).rejects.toMatchObject({ code: 307 });
    expect(await entries.list()).toEqual([google]);
  });
});
