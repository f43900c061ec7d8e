import type { ProviderEntry } from "@sallyport/core";
import { equal, failsWith } from "../../assert/index.ts";
import { type Check, checksOf } from "../../check.ts";
import { hostileTexts, unstorableTexts } from "../../fixtures/hostile-texts.ts";
import { createLink } from "../../fixtures/new-link.ts";

const google: ProviderEntry = {
  type: "google",
  name: "Google",
  sealedData: "sealed",
  defaultUserId: null,
  appNames: [],
};

export const providerChecks: readonly Check[] = checksOf("identity providers", {
  "are found as they were put, each for itself": async ({ r }) => {
    equal(
      [await r.identityProviders.find("google"), await r.identityProviders.list()],
      [null, []],
      "what is found in an empty database",
    );
    const apple: ProviderEntry = {
      type: "apple",
      name: "",
      sealedData: "x".repeat(20_000),
      defaultUserId: "A1",
      appNames: ["office", "field"],
    };
    await r.identityProviders.put(google);
    await r.identityProviders.put(apple);
    equal(await r.identityProviders.find("google"), google, "one entry");
    equal(await r.identityProviders.find("apple"), apple, "the other entry");
    equal(await r.identityProviders.find("facebook"), null, "an entry that is not there");
  },

  "take the place of the entry of the same kind": async ({ r }) => {
    const changes: readonly ProviderEntry[] = [
      { ...google, name: "Other", sealedData: "other", defaultUserId: "A1", appNames: ["field"] },
      { ...google, appNames: ["b", "a"] },
      google,
      google,
    ];
    for (const entry of changes) {
      await r.identityProviders.put(entry);
      equal(await r.identityProviders.list(), [entry], "all entries");
    }
  },

  "are listed by their kind": async ({ r }) => {
    for (const type of ["microsoft", "apple", "google", "facebook"] as const)
      await r.identityProviders.put({ ...google, type });
    equal(
      (await r.identityProviders.list()).map(({ type }) => type),
      ["apple", "facebook", "google", "microsoft"],
      "the kinds",
    );
  },

  "are removed, and what is linked stays": async ({ r }) => {
    await r.identityProviders.put(google);
    await r.identityProviders.put({ ...google, type: "apple" });
    const link = await createLink(r);
    equal(await r.identityProviders.remove("google"), true, "whether there was one");
    equal(await r.identityProviders.remove("google"), false, "whether there was one again");
    equal(
      (await r.identityProviders.list()).map(({ type }) => type),
      ["apple"],
      "the kinds that are left",
    );
    equal(await r.identityLinks.find(link), link, "the link");
  },

  "keep hostile texts as they are, app names among them": async ({ r }) => {
    for (const text of hostileTexts) {
      const entry = { ...google, name: text, sealedData: text, appNames: [text, "a"] };
      await r.identityProviders.put(entry);
      equal(await r.identityProviders.find("google"), entry, "the entry");
    }
    const before = await r.identityProviders.find("google");
    for (const text of unstorableTexts) {
      await failsWith(307, () => r.identityProviders.put({ ...google, name: text }), "a name that cannot be stored");
      await failsWith(
        307,
        () => r.identityProviders.put({ ...google, sealedData: text }),
        "data that cannot be stored",
      );
      await failsWith(
        307,
        () => r.identityProviders.put({ ...google, appNames: ["a", text] }),
        "an app name that cannot be stored",
      );
    }
    equal(await r.identityProviders.find("google"), before, "the entry afterwards");
  },
});
