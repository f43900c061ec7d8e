import { isObjectId, isUuid, objectNumber, seesAll, type StoredObject } from "@sallyport/core";
import { equal, equalInAnyOrder, failsWith, holds } from "../../assert/index.ts";
import { type Check, checksOf } from "../../check.ts";
import { equalCounts, pluck } from "../../fixtures/lists.ts";
import { atOnce } from "../../fixtures/concurrently.ts";
import { codeOf } from "../../fixtures/error-of.ts";
import { files, findObjects, idsOf, objectByUuid } from "../../fixtures/objects.ts";
import { hour } from "../../fixtures/policy.ts";

const uuid = "0f8fad5b-d9cb-469f-a165-70867728950e";

function plain(name: string) {
  return { className: "File", attributes: { Name: name } };
}

function isAscending(objects: readonly StoredObject[]): boolean {
  return objects.every(({ id }, index) => index === 0 || objectNumber(id) > objectNumber(objects[index - 1]?.id ?? ""));
}

export const objectInsertionChecks: readonly Check[] = checksOf("objects", {
  "are created with id, UUID, version and time, the rest as given": async ({ storage, r, advance }) => {
    advance(hour);
    const before = await storage.now();
    const [object] = await r.objects.insert([{ className: "File", attributes: { Name: "plan" } }]);
    const after = await storage.now();
    holds(object !== undefined && isObjectId(object.id), "The id is canonical");
    holds(isUuid(object.uuid) && object.uuid === object.uuid.toLowerCase(), "The UUID is one in lower case");
    const { id, uuid: given, storedAt } = object;
    holds(before <= storedAt && storedAt <= after, `An object stored between ${before} and ${after} has ${storedAt}`);
    const rest = { className: "File", version: 1, attributes: { Name: "plan" }, readers: null };
    equal(object, { id, uuid: given, storedAt, ...rest }, "the object");
  },

  "are read as they were created": async ({ r }) => {
    const given = [
      { className: "File", attributes: { Name: "plan" }, readers: ["A1", "B2"] },
      { className: "User", attributes: {}, readers: [] },
      { className: "Image", attributes: {}, readers: null },
    ];
    const created = await r.objects.insert(given);
    const kept = created.map(({ className, attributes, readers }) => ({ className, attributes, readers }));
    equal(kept, given, "what was given");
    equalInAnyOrder(await r.objects.get(idsOf(created), seesAll), created, "the objects by id");
    for (const object of created) equal(await objectByUuid(r, object.uuid), object, "the object by UUID");
    equal(await findObjects(r, ["File", "User", "Image"]), created, "the objects by class");
  },

  "come back from their creation in the order given, with ascending ids": async ({ r }) => {
    const names = Array.from({ length: 50 }, (_, index) => `object ${index}`);
    const created = await r.objects.insert(names.map(plain));
    equal(pluck(pluck(created, "attributes"), "Name"), names, "the names in order");
    holds(isAscending(created), "The ids ascend");
    const later = await r.objects.insert([plain("later"), plain("still later")]);
    holds(isAscending([...created, ...later]), "Later ids are higher");
  },

  "are none when none are created": async ({ r }) => {
    equal(await r.objects.insert([]), [], "the objects");
    equal(await r.objects.count({ classes: ["File"] }, seesAll), 0, "how many objects there are");
  },

  "have ids and UUIDs of their own when they are created at once": async ({ r }) => {
    const batches = await atOnce(12, () => r.objects.insert(files(3)));
    for (const batch of batches) holds(isAscending(batch), "The ids of each batch ascend");
    const objects = batches.flat();
    equal(new Set(idsOf(objects)).size, 36, "how many ids differ");
    equal(new Set(pluck(objects, "uuid")).size, 36, "how many UUIDs differ");
    for (const { id } of objects) holds(isObjectId(id), `The id ${id} is canonical`);
    equal(await r.objects.count({ classes: ["File"] }, seesAll), 36, "how many objects there are");
  },

  "take a UUID in any case and keep it in lower case": async ({ r }) => {
    const [object] = await r.objects.insert([{ ...plain("plan"), uuid: uuid.toUpperCase() }]);
    equal(object?.uuid, uuid, "the UUID");
    for (const spelling of [uuid, uuid.toUpperCase(), `0F8FAD5b${uuid.slice(8)}`]) {
      equal((await objectByUuid(r, spelling))?.id, object?.id, `the object with the UUID ${spelling}`);
    }
  },

  "are refused with 307 when their UUID is in use, all or nothing": async ({ r }) => {
    const [first] = await r.objects.insert([{ ...plain("first"), uuid }]);
    for (const spelling of [uuid, uuid.toUpperCase()]) {
      const batch = [plain("before"), { ...plain("taken"), uuid: spelling }, plain("after")];
      await failsWith(307, () => r.objects.insert(batch), `inserting the UUID ${spelling} again`);
    }
    const ofOtherClass = { ...plain("other class"), className: "Image", uuid };
    await failsWith(307, () => r.objects.insert([ofOtherClass]), "inserting it in another class");
    equal(await findObjects(r, ["File", "Image"]), [first], "the objects");
  },

  "are refused with 307 when two of them want one UUID": async ({ r }) => {
    const batch = [{ ...plain("one"), uuid }, plain("between"), { ...plain("other"), uuid: uuid.toUpperCase() }];
    await failsWith(307, () => r.objects.insert(batch), "inserting one UUID twice");
    equal(await r.objects.count({ classes: ["File"] }, seesAll), 0, "how many objects there are");
  },

  "are created once when several with one UUID are created at once": async ({ r }) => {
    for (let round = 1; round <= 6; round += 1) {
      const wanted = `${round}${uuid.slice(1)}`;
      const codes = await atOnce(8, (index) =>
        codeOf(r.objects.insert([plain(`with ${index}`), { ...plain(`${index}`), uuid: wanted }])),
      );
      equalCounts(codes, { 0: 1, 307: 7 }, "how many were created and refused");
      equal(await r.objects.count({ classes: ["File"] }, seesAll), 2 * round, "how many objects there are");
    }
  },
});
