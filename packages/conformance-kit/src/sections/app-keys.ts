import type { AppKey, Digest, Repositories } from "@sallyport/storage";
import { equal, isTrue } from "../assert/index.ts";
import { type Check, checksOf } from "../check.ts";
import { concurrently } from "../fixtures/concurrently.ts";
import { createAppKey } from "../fixtures/apps.ts";
import { freshDigest } from "../fixtures/digests.ts";
import { hostileTexts, unstorableTexts } from "../fixtures/hostile-texts.ts";
import { orderedNames, shuffledNames } from "../fixtures/ordered-names.ts";
import { equalCounts, pluck } from "../fixtures/lists.ts";
import { unlimitedSessions, minute } from "../fixtures/policy.ts";

const { idleTimeout } = unlimitedSessions;

const create = (r: Repositories, name: string, digest: Digest = freshDigest()) =>
  r.appKeys.create({ name, appNames: null, origins: [] }, digest);

async function admitted(r: Repositories, appKey: Digest) {
  return (await r.admission.admit({ appKey, session: null, idleTimeout })).appKey;
}

export const appKeyChecks: readonly Check[] = checksOf("app keys", {
  "creates an app key enabled and stores it unchanged": async ({ r }) => {
    const origins = ["https://app.example", "http://localhost:8080"];
    const properties = { name: "Field service", appNames: ["field", "Büro"], origins };
    const digest = freshDigest();
    equal(await r.appKeys.create(properties, digest), "created", "the outcome of creating an app key");
    const appKey = await admitted(r, digest);
    isTrue(appKey !== null && appKey.id.length > 0, "The app key must have an ID");
    equal(appKey, { ...properties, returnAddresses: [], id: appKey.id, enabled: true }, "the app key");
  },

  "keeps the order of the return addresses of an app key in every read": async ({ r }) => {
    const returnAddresses = ["https://app.example/back?at=1", "com.example.app:/back", "http://localhost/back"];
    const { appKey, digest } = await createAppKey(r, { origins: ["https://app.example"], returnAddresses });
    equal(appKey.origins, ["https://app.example"], "the origins read by admission");
    equal(appKey.returnAddresses, returnAddresses, "the addresses read by admission");
    const listed = pluck(await r.appKeys.list(null, 10), "returnAddresses");
    equal(listed, [returnAddresses], "the listed addresses");
    const state = freshDigest();
    await r.records.put("providerState", state, { appKey: digest }, { lifetime: minute });
    equal((await r.admission.admitCallback(state)).appKey, appKey, "the app key of a provider callback");
    for (const address of returnAddresses)
      equal(await r.appKeys.listsOrigin(address), false, `whether ${address} is an origin`);
  },

  "distinguishes an app key for all app names from one for none": async ({ r }) => {
    equal((await createAppKey(r, { appNames: null })).appKey.appNames, null, "the app names of a key for all");
    equal((await createAppKey(r, { appNames: [] })).appKey.appNames, [], "the app names of a key for none");
  },

  "gives each app key a unique ID": async ({ r }) => {
    const keys = await concurrently(8, () => createAppKey(r));
    equal(new Set(keys.map(({ appKey }) => appKey.id)).size, 8, "number of different IDs");
  },

  "refuses a duplicate app key name without changes": async ({ r }) => {
    const { appKey, digest } = await createAppKey(r, { origins: ["https://app.example"] });
    const other = freshDigest();
    equal(await create(r, appKey.name, other), "nameTaken", "the outcome for the same name");
    equal(await admitted(r, digest), appKey, "the first app key");
    equal(await admitted(r, other), null, "the refused app key");
  },

  "refuses a duplicate digest without changes": async ({ r }) => {
    const { appKey, digest } = await createAppKey(r);
    equal(await create(r, "another name", digest), "nameTaken", "the outcome for the same digest");
    equal(await admitted(r, digest), appKey, "the first app key");
    equal(await create(r, "another name"), "created", "the outcome for the name of the refused key");
  },

  "creates one app key when concurrent calls use the same name": async ({ r }) => {
    const digests = Array.from({ length: 8 }, freshDigest);
    const outcomes = await Promise.all(digests.map((digest) => create(r, "wanted", digest)));
    equalCounts(outcomes, { created: 1, nameTaken: 7 }, "numbers of created and refused app keys");
    const lookUps = await Promise.all(digests.map((digest) => admitted(r, digest)));
    equal(lookUps.filter((appKey) => appKey !== null).length, 1, "number of known digests");
  },

  "compares app key names exactly": async ({ r }) => {
    for (const name of ["name", "Name", "name ", "náme", "na\u0301me"])
      equal(await create(r, name), "created", `the outcome of creating ${JSON.stringify(name)}`);
    equal(await r.appKeys.setEnabled("NAME", false), false, "the outcome of switching a key by its name in capitals");
  },

  "disables and enables an app key": async ({ r }) => {
    const { appKey, digest } = await createAppKey(r);
    const bystander = await createAppKey(r);
    for (const enabled of [false, false, true, true]) {
      equal(await r.appKeys.setEnabled(appKey.name, enabled), true, "whether the app key exists");
      equal(await admitted(r, digest), { ...appKey, enabled }, "the app key");
    }
    equal(await admitted(r, bystander.digest), bystander.appKey, "another app key");
  },

  "removes an app key, whose name and digest are free again": async ({ r }) => {
    const { appKey, digest } = await createAppKey(r);
    const bystander = await createAppKey(r);
    const removals = await concurrently(4, () => r.appKeys.remove(appKey.name));
    equalCounts(removals.map(String), { true: 1, false: 3 }, "outcomes of concurrent removals");
    equal(await admitted(r, digest), null, "the removed app key");
    equal(await r.appKeys.setEnabled(appKey.name, true), false, "the outcome of switching the removed key");
    equal(await admitted(r, bystander.digest), bystander.appKey, "another app key");
    equal(pluck(await r.appKeys.list(null, 10), "name"), [bystander.appKey.name], "the list");
    equal(await create(r, appKey.name, digest), "created", "the outcome of creating it again");
    isTrue((await admitted(r, digest))?.id !== appKey.id, "An ID must not be used again");
  },

  "reports that no app key has an unknown name": async ({ r }) => {
    const { appKey, digest } = await createAppKey(r, { name: "name" });
    for (const name of ["", "nobody", "NAME", "name ", ...hostileTexts, ...unstorableTexts]) {
      equal(await r.appKeys.setEnabled(name, false), false, `the outcome of switching ${JSON.stringify(name)}`);
      equal(await r.appKeys.remove(name), false, `the outcome of removing ${JSON.stringify(name)}`);
    }
    equal(await admitted(r, digest), appKey, "the app key");
  },

  "reports the listed origins of app keys by exact comparison": async ({ r }) => {
    const [one, two, three] = ["https://one.example", "https://two.example:8443", "http://three.example"] as const;
    await createAppKey(r, { origins: [one, two] });
    await createAppKey(r, { origins: [three] });
    for (const origin of [one, two, three])
      equal(await r.appKeys.listsOrigin(origin), true, `whether ${origin} is listed`);
    const ofOne = ["http://one.example", "https://ONE.example", "one.example", `${one}/`, `${one}:443`];
    const patterns = [`${one},${two}`, "https://two.example", "https://one_example", "https://%", "%", "*", "null", ""];
    for (const origin of [...ofOne, ...patterns, ...hostileTexts, ...unstorableTexts])
      equal(await r.appKeys.listsOrigin(origin), false, `whether ${JSON.stringify(origin)} is listed`);
  },

  "ignores the origins of a disabled app key": async ({ r }) => {
    const { appKey } = await createAppKey(r, { origins: ["https://app.example"] });
    await r.appKeys.setEnabled(appKey.name, false);
    equal(await r.appKeys.listsOrigin("https://app.example"), false, "whether the origin of a disabled key is listed");
    await createAppKey(r, { origins: ["https://app.example"] });
    equal(await r.appKeys.listsOrigin("https://app.example"), true, "whether the origin of another key is listed");
  },

  "lists app keys page by page in code point order": async ({ r }) => {
    equal(await r.appKeys.list(null, 10), [], "the list of an empty database");
    const created = new Map<string, AppKey>();
    for (const name of shuffledNames) {
      const appNames = name === "b" ? null : [name, "field"];
      const origins = name === "Z" ? ["https://app.example"] : [];
      created.set(name, (await createAppKey(r, { name, appNames, origins })).appKey);
    }
    await r.appKeys.setEnabled("aa", false);
    const expected = orderedNames.map((name) => ({ ...created.get(name), enabled: name !== "aa" }));
    equal(await r.appKeys.list(null, 100), expected, "the whole list");
    equal(await r.appKeys.list(null, 4), expected.slice(0, 4), "the first page");
    equal(await r.appKeys.list("a", 3), expected.slice(4, 7), "a page in the middle");
    equal(await r.appKeys.list("a-", 100), expected.slice(8), "the page after a name that does not exist");
  },

  "stores the hostile texts of an app key unchanged": async ({ r }) => {
    for (const text of hostileTexts) {
      const input = { name: text, appNames: [text], origins: [text], returnAddresses: [text] };
      const { appKey } = await createAppKey(r, input);
      equal(appKey, { ...appKey, ...input }, "the app key");
      equal(await r.appKeys.listsOrigin(text), true, `whether the origin ${JSON.stringify(text)} is listed`);
      equal(await r.appKeys.setEnabled(text, false), true, `whether a key named ${JSON.stringify(text)} exists`);
    }
  },
});
