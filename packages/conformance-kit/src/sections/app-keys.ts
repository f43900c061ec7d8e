import type { AppKey } from "@sallyport/core";
import { equal, equalInAnyOrder, holds } from "../assert/index.ts";
import { type Check, checksOf } from "../check.ts";
import { atOnce, occurrences } from "../fixtures/at-once.ts";
import { createAppKey } from "../fixtures/create-app-key.ts";
import { freshDigest } from "../fixtures/digests.ts";
import { hostileTexts, unstorableTexts } from "../fixtures/hostile-texts.ts";
import { orderedNames, shuffledNames } from "../fixtures/ordered-names.ts";
import { generous, minute } from "../fixtures/policy.ts";
import type { Subject } from "../subject.ts";

const { idleTimeout } = generous;
const plain = { appNames: null, origins: [] };

async function admitted({ r }: Subject, appKey: string) {
  return (await r.admission.admit({ appKey, session: null, idleTimeout })).appKey;
}

export const appKeyChecks: readonly Check[] = checksOf("app keys", {
  "keeps an app key as it was created, enabled": async (subject) => {
    const properties = {
      name: "Field service",
      appNames: ["field", "Büro"],
      origins: ["https://app.example", "http://localhost:8080"],
    };
    const digest = freshDigest();
    equal(await subject.r.appKeys.create(properties, digest), "created", "creating an app key");
    const appKey = await admitted(subject, digest);
    holds(appKey !== null && appKey.id.length > 0, "An app key has an id");
    equal(appKey, { ...properties, returnAddresses: [], id: appKey.id, enabled: true }, "the app key");
  },

  "keeps the return addresses of an app key in their order, wherever it is read": async ({ r }) => {
    const returnAddresses = ["https://app.example/back?at=1", "com.example.app:/back", "http://localhost/back"];
    const { appKey, digest } = await createAppKey(r, { origins: ["https://app.example"], returnAddresses });
    equal(
      [appKey.origins, appKey.returnAddresses],
      [["https://app.example"], returnAddresses],
      "the addresses that admission reads",
    );
    equal(
      (await r.appKeys.list(null, 10)).map((listed) => listed.returnAddresses),
      [returnAddresses],
      "the addresses that are listed",
    );
    const state = freshDigest();
    await r.records.put("providerState", state, { appKey: digest }, { lifetime: minute });
    equal((await r.admission.admitReturn(state)).appKey, appKey, "the app key of a log-in that comes back");
    for (const address of returnAddresses)
      equal(await r.appKeys.listsOrigin(address), false, `whether ${address} is an origin`);
  },

  "tells an app key for all app names from one for none": async ({ r }) => {
    equal((await createAppKey(r, { appNames: null })).appKey.appNames, null, "the app names of a key for all");
    equal((await createAppKey(r, { appNames: [] })).appKey.appNames, [], "the app names of a key for none");
  },

  "gives every app key an id of its own": async ({ r }) => {
    const keys = await atOnce(8, () => createAppKey(r));
    equal(new Set(keys.map(({ appKey }) => appKey.id)).size, 8, "how many ids differ");
  },

  "refuses a name that is taken, and changes nothing": async (subject) => {
    const { appKey, digest } = await createAppKey(subject.r, { origins: ["https://app.example"] });
    const other = freshDigest();
    equal(
      await subject.r.appKeys.create({ name: appKey.name, appNames: [], origins: [] }, other),
      "nameTaken",
      "the same name again",
    );
    equal(await admitted(subject, digest), appKey, "the first app key");
    equal(await admitted(subject, other), null, "the app key that was refused");
  },

  "refuses a digest that is taken, and changes nothing": async (subject) => {
    const { appKey, digest } = await createAppKey(subject.r);
    equal(
      await subject.r.appKeys.create({ name: "another name", ...plain }, digest),
      "nameTaken",
      "the same digest again",
    );
    equal(await admitted(subject, digest), appKey, "the first app key");
    equal(
      await subject.r.appKeys.create({ name: "another name", ...plain }, freshDigest()),
      "created",
      "the name of the refused key",
    );
  },

  "creates one app key of those that want one name at once": async (subject) => {
    const digests = Array.from({ length: 8 }, freshDigest);
    const outcomes = await Promise.all(
      digests.map((digest) => subject.r.appKeys.create({ name: "wanted", ...plain }, digest)),
    );
    equal(occurrences("created", outcomes), 1, "how many were created");
    equal(occurrences("nameTaken", outcomes), 7, "how many were refused");
    const known = await Promise.all(digests.map((digest) => admitted(subject, digest)));
    equal(known.filter((appKey) => appKey !== null).length, 1, "how many digests are known");
  },

  "compares names exactly": async ({ r }) => {
    for (const name of ["name", "Name", "name ", "náme", "na\u0301me"]) {
      equal(await r.appKeys.create({ name, ...plain }, freshDigest()), "created", `creating ${JSON.stringify(name)}`);
    }
    equal(await r.appKeys.setEnabled("NAME", false), false, "switching a key by its name in capitals");
  },

  "switches an app key off and on": async (subject) => {
    const { appKey, digest } = await createAppKey(subject.r);
    const bystander = await createAppKey(subject.r);
    for (const enabled of [false, false, true, true]) {
      equal(await subject.r.appKeys.setEnabled(appKey.name, enabled), true, "whether there is a key to switch");
      equal(await admitted(subject, digest), { ...appKey, enabled }, "the app key");
    }
    equal(await admitted(subject, bystander.digest), bystander.appKey, "another app key");
  },

  "has nothing to switch under a name that no key has": async ({ r }) => {
    await createAppKey(r);
    for (const name of ["", "nobody", ...hostileTexts, ...unstorableTexts]) {
      equal(await r.appKeys.setEnabled(name, false), false, `switching ${JSON.stringify(name)}`);
    }
  },

  "knows the origins that its app keys list, compared exactly": async ({ r }) => {
    await createAppKey(r, { origins: ["https://one.example", "https://two.example:8443"] });
    await createAppKey(r, { origins: ["http://three.example"] });
    for (const origin of ["https://one.example", "https://two.example:8443", "http://three.example"]) {
      equal(await r.appKeys.listsOrigin(origin), true, `whether ${origin} is listed`);
    }
    const others = [
      "http://one.example",
      "https://ONE.example",
      "https://one.example/",
      "https://one.example:443",
      "https://two.example",
    ];
    const patterns = [
      "https://one_example",
      "https://%",
      "%",
      "*",
      "null",
      "",
      "one.example",
      "https://one.example,https://two.example:8443",
    ];
    for (const origin of [...others, ...patterns, ...hostileTexts, ...unstorableTexts]) {
      equal(await r.appKeys.listsOrigin(origin), false, `whether ${JSON.stringify(origin)} is listed`);
    }
  },

  "does not count the origins of an app key that is switched off": async ({ r }) => {
    const { appKey } = await createAppKey(r, { origins: ["https://app.example"] });
    await r.appKeys.setEnabled(appKey.name, false);
    equal(await r.appKeys.listsOrigin("https://app.example"), false, "whether the origin of a disabled key is listed");
    await createAppKey(r, { origins: ["https://app.example"] });
    equal(await r.appKeys.listsOrigin("https://app.example"), true, "whether the origin is listed by another key");
  },

  "lists app keys as they are by code points, part by part": async ({ r }) => {
    equal(await r.appKeys.list(null, 10), [], "the list of an empty database");
    const created = new Map<string, AppKey>();
    for (const name of shuffledNames) {
      const properties = {
        name,
        appNames: name === "b" ? null : [name, "field"],
        origins: name === "Z" ? ["https://app.example"] : [],
      };
      created.set(name, (await createAppKey(r, properties)).appKey);
    }
    await r.appKeys.setEnabled("aa", false);
    const expected = orderedNames.map((name) => ({ ...created.get(name), enabled: name !== "aa" }));
    equal(await r.appKeys.list(null, 100), expected, "the whole list");
    equal(await r.appKeys.list(null, 4), expected.slice(0, 4), "the first part");
    equal(await r.appKeys.list("a", 3), expected.slice(4, 7), "a part in the middle");
    equal(await r.appKeys.list("a-", 100), expected.slice(5), "what comes after a name that does not exist");
  },

  "keeps the hostile texts of an app key as they are": async ({ r }) => {
    for (const text of hostileTexts) {
      const { appKey } = await createAppKey(r, {
        name: text,
        appNames: [text],
        origins: [text],
        returnAddresses: [text],
      });
      equalInAnyOrder(
        [appKey.name, ...(appKey.appNames ?? []), ...appKey.origins, ...appKey.returnAddresses],
        [text, text, text, text],
        "the texts of the key",
      );
      equal(await r.appKeys.listsOrigin(text), true, `whether the origin ${JSON.stringify(text)} is listed`);
      equal(await r.appKeys.setEnabled(text, false), true, `whether there is a key named ${JSON.stringify(text)}`);
    }
  },
});
