import { canonicalJson, objectNumber, seesAll } from "@sallyport/storage";
import { equal, isTrue } from "../../assert/index.ts";
import { type Check, checksOf } from "../../check.ts";
import { archived, ofSection } from "../../fixtures/archived.ts";
import { pluck, rowsOf } from "../../fixtures/lists.ts";
import {
  restoreObjects,
  createObject,
  createInOneCall,
  idsOf,
  tombstoneOf,
  deleteObjects,
  update,
} from "../../fixtures/objects.ts";
import { createAppKey } from "../../fixtures/apps.ts";
import { accountOf, createCustomAccount, createUser } from "../../fixtures/accounts.ts";
import { auditEvent } from "../../fixtures/every-call.ts";
import { freshDigest } from "../../fixtures/digests.ts";
import { hostileTexts } from "../../fixtures/hostile-texts.ts";
import { hour, minute, second } from "../../fixtures/policy.ts";
import { Visitor } from "../../fixtures/visitor.ts";

export const exportedRecordChecks: readonly Check[] = checksOf("archive", {
  "exports the result of the migrations for a new database": async ({ storage, r }) => {
    const [settings, ...classes] = await archived(storage);
    const { generation, classes: definitions } = await r.model.load();
    equal(
      settings,
      {
        section: "settings",
        maintenance: false,
        modelGeneration: generation,
        macroGeneration: 0,
        objects: 0,
        lastObject: 0,
        lastAudit: 0,
        sweptStamp: 0,
      },
      "the settings",
    );
    equal(
      classes,
      definitions.map((definition) => ({ section: "classes", definition })),
      "the records after the settings",
    );
  },

  "exports objects with their exact attributes and links, ordered by number": async ({ storage, r }) => {
    const values = Object.fromEntries(hostileTexts.map((text, index) => [`Text${index}`, text]));
    const [first, other, third] = await createInOneCall(
      r,
      { attributes: { ...values, Number: 1e21, aa: 1, b: { 10: [null, true], 9: {} } } },
      { readers: ["3", "1"] },
      { className: "No \t class", attributes: {} },
    );
    await deleteObjects(storage, [first.id], true);
    const ids = [third.id, first.id, third.id];
    await restoreObjects(storage, first.id);
    const source = await createObject(r, {
      attributes: { Files: ids, Other: other.id },
      links: { Other: [other.id], Files: ids, None: [] },
    });
    const records = await archived(storage);
    const objects = (await r.objects.get(idsOf([first, other, third, source]), seesAll))
      .toSorted((a, b) => objectNumber(a.id) - objectNumber(b.id))
      .map((object) => ({ section: "objects", ...object, attributes: canonicalJson(object.attributes) }));
    const exported = ofSection(records, "objects").map(({ stamp: _stamp, ...object }) => object);
    equal(exported, objects, "the objects");
    const links = { Files: [first.id, third.id], Other: [other.id] };
    equal(ofSection(records, "links"), [{ section: "links", id: source.id, links }], "the links");
    equal(ofSection(records, "settings")[0]?.objects, 4, "number of objects");
  },

  "exports tombstones and the highest assigned number": async ({ storage, r }) => {
    const [kept, other, gone] = await createInOneCall(r, {}, {}, {});
    await deleteObjects(storage, [gone.id]);
    await deleteObjects(storage, [kept.id, other.id], true);
    const records = await archived(storage);
    const deletion = ofSection(records, "tombstones");
    const expected = [
      [kept.id, kept.id, canonicalJson(kept.attributes)],
      [other.id, kept.id, canonicalJson(other.attributes)],
      [gone.id, gone.id, null],
    ];
    equal(rowsOf(deletion, "id", "root", "attributes"), expected, "the tombstones");
    const found = await tombstoneOf(r, kept.id);
    equal(
      [deletion[0]?.storedAt, deletion[0]?.version, deletion[0]?.uuid],
      [found?.deletedAt, found?.version, kept.uuid],
      "time, version and UUID of a tombstone",
    );
    equal(ofSection(records, "settings")[0]?.lastObject, objectNumber(gone.id), "the highest number");
    equal(ofSection(records, "objects"), [], "the objects");
  },

  "exports the change stamps of objects and tombstones": async ({ storage, r }) => {
    const [first, other, third] = await createInOneCall(r, {}, {}, {});
    await deleteObjects(storage, [other.id]);
    await update(r, first.id, { Name: "new" });
    const records = await archived(storage);
    const stamps = [...ofSection(records, "objects"), ...ofSection(records, "tombstones")].toSorted(
      (a, b) => a.stamp - b.stamp,
    );
    equal(idsOf(stamps), idsOf([third, other, first]), "the objects, ordered by stamp");
    equal(
      stamps.every(({ stamp }) => Number.isSafeInteger(stamp) && stamp > 0),
      true,
      "whether all stamps are positive whole numbers",
    );
  },

  "exports app keys ordered by name, and secrets in stored form": async ({ storage, r }) => {
    const known = [
      await createAppKey(r, { name: "b", appNames: ["a"] }),
      await createAppKey(r, { name: "B", origins: ["https://app.example"], returnAddresses: ["com.example.app:/"] }),
    ];
    const user = await createUser(r, { secret: "$argon2id$1", administrator: true });
    await r.accounts.setSecret(user.userId, "$argon2id$2", 1);
    const records = await archived(storage);
    const appKeys = known.toReversed().map(({ appKey, digest }) => ({ section: "appKeys", ...appKey, digest }));
    equal(ofSection(records, "appKeys"), appKeys, "the app keys");
    const { id: _id, ...kept } = { ...user, secret: "$argon2id$2", secretVersion: 2 };
    const account = { section: "accounts", ...kept, confusableKey: `like ${user.loginName}` };
    equal(ofSection(records, "accounts"), [account], "the accounts");
  },

  "exports custom accounts ordered by name": async ({ storage, r }) => {
    for (const loginName of ["\uffff", "b", "\u{10000}", "B", "a"])
      await createCustomAccount(r, { loginName, email: loginName === "b" ? "b@example.com" : null });
    const before = ofSection(await archived(storage), "customAccounts");
    equal(pluck(before, "loginName"), ["B", "a", "b", "\uffff", "\u{10000}"], "the names");
    for (const { section: _section, confusableKey, ...account } of before) {
      equal({ ...account, administrator: false }, await accountOf(r, account.id), "an account");
      equal(confusableKey, `like ${account.loginName}`, "its confusable key");
    }
  },

  "exports permanent records ordered by kind and ID in code point order": async ({ storage, r, advance }) => {
    const ids = ["\uffff", "b", "\u{10000}", "B", "a"];
    for (const kind of ["second", "first"])
      for (const id of ids) await r.records.put(kind, id, { id }, { owner: id === "b" ? "user:7" : null });
    await r.records.put("first", "ends", 1, { lifetime: hour });
    advance(hour / 2);
    await r.records.put("first", "a", ["changed"]);
    const known = [];
    for (const kind of ["first", "second"]) {
      const listed = await r.records.list(kind, { after: null, limit: 10 });
      const kept = listed.filter(({ id }) => id !== "ends");
      equal(idsOf(kept), ["B", "a", "b", "\uffff", "\u{10000}"], "the order of the records");
      for (const { age: _age, version: _version, createdVersion: _born, ...record } of kept)
        known.push({ section: "records", kind, ...record });
    }
    equal(ofSection(await archived(storage), "records"), known, "the records");
  },

  "exports audit events and unsettled tallies": async ({ storage, r, advance }) => {
    const changes = [{ name: "groups", before: ["7", null], after: { z: 1, a: [] } }];
    await r.audit.append({ ...auditEvent, actorId: "7", subjectId: "A1", appNames: ["field"], changes });
    await r.audit.append(auditEvent);
    await r.audit.append(auditEvent, "b");
    await r.audit.append({ ...auditEvent, requestId: "first" }, "B");
    advance(hour);
    await r.audit.append({ ...auditEvent, requestId: "second" }, "B");
    const records = await archived(storage);
    const events = await r.audit.read(0, 10);
    const audit = events.map((event) => ({ section: "audit", ...event }));
    equal(ofSection(records, "audit"), audit, "the audit events");
    equal(ofSection(records, "settings")[0]?.lastAudit, events[1]?.sequence, "the highest sequence");
    const [several, single] = ofSection(records, "tallies");
    equal(
      [several?.key, several?.attempts, several?.requestId, single?.key, single?.attempts],
      ["B", 2, "first", "b", 1],
      "the tallies",
    );
    isTrue((several?.at ?? 0) - (several?.since ?? 0) >= hour, "The last attempt must be an hour after the first");
  },

  "exports no data with a limited lifetime": async ({ storage, r }) => {
    const visitor = await Visitor.create(r);
    const before = await archived(storage);
    const digest = await visitor.open(r);
    await r.locks.take(visitor.account.userId, digest);
    await r.throttle.fail([
      { key: "key", policy: { maxFailures: 0, initialDelay: second, maxDelay: minute, resetAfter: hour } },
    ]);
    await r.channels.registerBlocks(
      { blocks: [freshDigest()], clientKey: digest, keyId: "key" },
      { uses: 3, within: hour },
    );
    equal(await archived(storage), before, "the export");
  },
});
