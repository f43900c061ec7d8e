import { type JsonValue, type Repositories, seesAll } from "@sallyport/storage";
import { Applications } from "@sallyport/core";
import { equal, failsWith } from "../assert/index.ts";
import { type Check, checksOf } from "../check.ts";
import { createUserObject } from "../fixtures/accounts.ts";
import { freshDigest } from "../fixtures/digests.ts";
import { unstorableTexts } from "../fixtures/hostile-texts.ts";
import { unlimitedSessions } from "../fixtures/policy.ts";
import { Visitor } from "../fixtures/visitor.ts";

/** Asserts that each call rejects each text with 307. */
async function refuses(calls: { readonly [what: string]: (text: string) => Promise<unknown> }): Promise<void> {
  for (const text of unstorableTexts) {
    for (const [what, call] of Object.entries(calls))
      await failsWith(307, () => call(text), `${what} with ${JSON.stringify(text)}`);
  }
}

function insert({ objects }: Repositories, value: JsonValue, name = "Name"): Promise<unknown> {
  return objects.insert([
    { className: "File", attributes: { Other: 1 } },
    { className: "File", attributes: { [name]: value } },
  ]);
}

export const unstorableTextChecks: readonly Check[] = checksOf("unstorable texts", {
  "refuses unstorable texts in objects at any depth": async ({ r }) => {
    await refuses({
      "a value": (text) => insert(r, text),
      "a text in a list": (text) => insert(r, ["fine", text]),
      "a deeply nested text": (text) => insert(r, { list: [[{ deep: text }]] }),
      "a name": (text) => insert(r, 1, text),
      "a deeply nested name": (text) => insert(r, [{ inner: { [text]: null } }]),
      "a class": (text) => r.objects.insert([{ className: text, attributes: {} }]),
    });
    equal(await r.objects.count({ classes: ["File", ...unstorableTexts] }, seesAll), 0, "number of objects");
  },

  "refuses unstorable texts in accounts": async ({ r }) => {
    const userId = await createUserObject(r);
    const account = { userId, loginName: "name", secret: "secret", administrator: false };
    await refuses({
      "a log-in name": (loginName) => r.accounts.create({ ...account, loginName }, "key"),
      "a secret": (secret) => r.accounts.create({ ...account, secret }, "key"),
      "a confusable key": (key) => r.accounts.create(account, key),
    });
    equal(await r.accounts.create(account, "key"), "created", "the outcome of creating the account");
    await refuses({
      "a new log-in name": (loginName) => r.accounts.change(userId, { name: { loginName, confusableKey: "key" } }),
      "a new confusable key": (key) => r.accounts.change(userId, { name: { loginName: "name", confusableKey: key } }),
    });
  },

  "refuses unstorable texts in custom accounts": async ({ r }) => {
    const account = {
      id: "00000000-0000-4000-8000-000000000000",
      loginName: "name",
      userId: "1",
      email: null,
      secret: "secret",
    };
    await refuses({
      "a log-in name": (loginName) => r.accounts.create({ ...account, loginName }, "key"),
      "a confusable key": (key) => r.accounts.create(account, key),
      "an e-mail address": (email) => r.accounts.create({ ...account, email }, "key"),
    });
    equal(await r.accounts.create(account, "key"), "created", "the outcome of creating the account");
    await refuses({ "a new e-mail address": (email) => r.accounts.change(account.id, { email }) });
  },

  "refuses unstorable texts in app keys and app names": async ({ r }) => {
    const [appKey, digest] = [{ name: "name", appNames: null, origins: [] }, freshDigest()];
    await refuses({
      "a name": (name) => r.appKeys.create({ ...appKey, name }, digest),
      "an app name of a key": (name) => r.appKeys.create({ ...appKey, appNames: ["fine", name] }, digest),
      "an origin": (origin) => r.appKeys.create({ ...appKey, origins: [origin] }, digest),
      "a return address": (address) => r.appKeys.create({ ...appKey, returnAddresses: [address] }, digest),
      "an app name": (name) => new Applications(r.records).create({ name, seats: null }),
    });
    equal(await r.appKeys.create(appKey, digest), "created", "the outcome of creating the app key");
  },

  "refuses unstorable texts in sessions": async ({ r }) => {
    const visitor = await Visitor.create(r);
    await refuses({
      "a device": (deviceId) => r.sessions.open(visitor.newSession({ deviceId }), unlimitedSessions),
      "an app name of a session": (name) =>
        r.sessions.open(visitor.newSession({ appNames: ["fine", name] }), unlimitedSessions),
      "the ID of a record of its basis": (id) =>
        r.sessions.open(visitor.newSession(), { ...unlimitedSessions, basis: [{ kind: "sample", id, version: 0 }] }),
      "an address": (address) => r.sessions.open(visitor.newSession({ address }), unlimitedSessions),
    });
    equal(await r.sessions.count(), 0, "number of live sessions");
    const digest = await visitor.open(r);
    await refuses({
      "a reserved app name": (name) => r.sessions.changeAppNames(digest, { reserve: ["fine", name], limits: [] }),
    });
    equal((await visitor.admit(r, digest)).session?.reservedNames, [], "the reserved names");
  },

  "refuses unstorable texts in the model": async ({ r }) => {
    const { generation, classes } = await r.model.load();
    const definition = { name: "Invoice", base: null, attributes: [], rights: [] };
    await refuses({
      "a class": (name) => r.model.change({ put: [{ ...definition, name }] }, generation),
      "a class to remove": (name) => r.model.change({ put: [], removed: [name] }, generation),
      "an attribute": (name) =>
        r.model.change({ put: [{ ...definition, attributes: [{ name, type: "string" }] }] }, generation),
    });
    equal(await r.model.load(), { generation, classes }, "the model");
  },

  "distinguishes unstorable texts from their escape sequences": async ({ r }) => {
    const texts = ["\\u0000", "\\0", "\\ud800", "%00", "\ufffd", "\u{1f469}\u{10ffff}", "\ud83d\udc69"];
    const [created] = await r.objects.insert([
      { className: "File", attributes: { texts, ...Object.fromEntries(texts.map((text) => [text, 1])) } },
    ]);
    const [read] = await r.objects.get([created?.id ?? ""], seesAll);
    equal(read?.attributes, created?.attributes, "the attributes");
    equal(read?.attributes["texts"], texts, "the texts");
  },
});
