import { type JsonValue, seesAll } from "@sallyport/storage";
import { equal } from "../assert/index.ts";
import { type Check, checksOf } from "../check.ts";
import { createAppKey } from "../fixtures/apps.ts";
import { changeOf } from "../fixtures/changes-up-to.ts";
import { auditEvent } from "../fixtures/every-call.ts";
import { createObject, deleteObjects, noSession } from "../fixtures/objects.ts";
import { minute } from "../fixtures/policy.ts";
import { Visitor } from "../fixtures/visitor.ts";

/** A caller adds this to its lists after a call. */
const later = "later";

export const inputChecks: readonly Check[] = checksOf("inputs", {
  "keeps an app key when the caller changes its input": async ({ r }) => {
    const [appNames, origins, returnAddresses] = [["Sales"], ["https://app.example"], ["app:/back"]];
    await createAppKey(r, { name: "key", appNames, origins, returnAddresses });
    for (const list of [appNames, origins, returnAddresses]) list.push(later);
    const [key] = await r.appKeys.list(null, 1);
    const expected = [["Sales"], ["https://app.example"], ["app:/back"]];
    equal([key?.appNames, key?.origins, key?.returnAddresses], expected, "the lists");
  },

  "keeps a session when the caller changes its input": async ({ r }) => {
    const visitor = await Visitor.create(r);
    const appNames = ["Sales"];
    const digest = await visitor.open(r, { appNames });
    const reserve = ["Stock"];
    await r.sessions.changeAppNames(digest, { reserve, limits: [] });
    for (const list of [appNames, reserve]) list.push(later);
    const { session } = await visitor.admit(r, digest);
    equal([session?.appNames, session?.reservedNames], [["Sales"], ["Stock"]], "the app names");
  },

  "keeps an event and a tally when the caller changes their input": async ({ r }) => {
    const appNames = ["Sales"];
    const changes = [{ name: "seats", before: [1] as JsonValue[], after: null }];
    await r.audit.append({ ...auditEvent, appNames, changes });
    await r.audit.append({ ...auditEvent, appNames, changes }, "key");
    appNames.push(later);
    changes[0]?.before.push(later);
    await r.audit.settle(0, 10);
    const events = await r.audit.read(0, 10);
    const expected = { appNames: ["Sales"], changes: [{ name: "seats", before: [1], after: null }] };
    equal(
      events.map((event) => ({ appNames: event.appNames, changes: event.changes })),
      [expected, expected],
      "the events",
    );
  },

  "keeps a record when the caller changes its input": async ({ r }) => {
    const [first, second, third] = [[1], [2], [3]] as [JsonValue[], JsonValue[], JsonValue[]];
    const values = async () => (await r.records.list("sample", { after: null, limit: 10 })).map(({ value }) => value);
    await r.records.put("sample", "one", first);
    await r.records.putWithin("sample", "two", second, { owner: "user:1", quota: { perOwner: 0, total: 0 } });
    for (const list of [first, second]) list.push(later);
    equal(await values(), [[1], [2]], "the values");
    const [claimed] = await r.records.claim("sample", 1, minute);
    await r.records.settle("sample", claimed ?? { id: "", version: 0 }, { value: third });
    third.push(later);
    equal(await values(), [[3], [2]], "the values after a settlement");
  },

  "keeps the model when the caller changes its input": async ({ r }) => {
    const rights = [{ group: "*", permissions: ["read" as const] }];
    const definition = { name: "Invoice", base: null, attributes: [], rights };
    await r.model.change({ put: [definition] }, 1);
    rights.pop();
    const { classes } = await r.model.load();
    const expected = { ...definition, rights: [{ group: "*", permissions: ["read"] }] };
    equal(
      classes.find(({ name }) => name === "Invoice"),
      expected,
      "the new class",
    );
  },

  "keeps changed and restored attributes when the caller changes their input": async ({ storage, r }) => {
    const { id } = await createObject(r);
    const [changed, restored] = [[1], [2]] as [JsonValue[], JsonValue[]];
    const read = async () => (await r.objects.get([id], seesAll))[0]?.attributes;
    await r.objects.update([changeOf(id, { changed })], noSession);
    changed.push(later);
    equal(await read(), { Name: "plan", changed: [1] }, "the attributes after a change");
    await deleteObjects(storage, [id], true);
    await storage.transaction(async ({ deletion }) => {
      // A restoration needs it in its transaction.
      await deletion.recycledWith(id);
      await deletion.restore([{ id, attributes: { restored }, links: {} }]);
    });
    restored.push(later);
    equal(await read(), { Name: "plan", changed: [1], restored: [2] }, "the attributes after a restoration");
  },

  "keeps readers and links when the caller changes their input": async ({ r }) => {
    const target = await createObject(r);
    const [readers, members] = [["A1"], [target.id]];
    const { id } = await createObject(r);
    await r.objects.update([changeOf(id, { Team: members }, { readers, links: { Team: members } })], noSession);
    readers.push("B2");
    members.pop();
    const [object] = await r.objects.get([id], seesAll);
    equal([object?.readers, object?.attributes["Team"]], [["A1"], [target.id]], "the readers and the collection");
    const referrers = await r.deletion.referrers([target.id], { attributes: null, limit: 10 });
    equal(referrers.length, 1, "number of referrers");
  },
});
