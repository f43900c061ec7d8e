import { isObjectId, isUuid, objectNumber, seesAll, type StoredObject, UuidTakenError } from "@sallyport/storage";
import { equal, equalInAnyOrder, failsWith, isTrue } from "../../assert/index.ts";
import { type Check, checksOf } from "../../check.ts";
import { equalCounts, pluck } from "../../fixtures/lists.ts";
import { concurrently } from "../../fixtures/concurrently.ts";
import { files, findObjects, idsOf, objectByUuid, refusesUuid } from "../../fixtures/objects.ts";
import { hour } from "../../fixtures/policy.ts";

const uuid = "0f8fad5b-d9cb-469f-a165-70867728950e";

function plain(name: string) {
  return { className: "File", attributes: { Name: name } };
}

function isAscending(objects: readonly StoredObject[]): boolean {
  return objects.every(({ id }, index) => index === 0 || objectNumber(id) > objectNumber(objects[index - 1]?.id ?? ""));
}

export const objectInsertionChecks: readonly Check[] = checksOf("objects", {
  "creates objects with a generated ID, UUID, version and time, and the given rest": async ({
    storage,
    r,
    advance,
  }) => {
    advance(hour);
    const before = await storage.now();
    const [object] = await r.objects.insert([{ className: "File", attributes: { Name: "plan" } }]);
    const after = await storage.now();
    isTrue(object !== undefined && isObjectId(object.id), "The ID must be canonical");
    isTrue(
      isUuid(object.uuid) && object.uuid === object.uuid.toLowerCase(),
      "The UUID must be valid and in lower case",
    );
    const { id, uuid: objectUuid, storedAt } = object;
    isTrue(before <= storedAt && storedAt <= after, `The time ${storedAt} must be between ${before} and ${after}`);
    const rest = { className: "File", version: 1, attributes: { Name: "plan" }, readers: null };
    equal(object, { id, uuid: objectUuid, storedAt, ...rest }, "the object");
  },

  "reads objects as created": async ({ r }) => {
    const inputs = [
      { className: "File", attributes: { Name: "plan" }, readers: ["A1", "B2"] },
      { className: "User", attributes: {}, readers: [] },
      { className: "Image", attributes: {}, readers: null },
    ];
    const created = await r.objects.insert(inputs);
    const stored = created.map(({ className, attributes, readers }) => ({ className, attributes, readers }));
    equal(stored, inputs, "the given values");
    equalInAnyOrder(await r.objects.get(idsOf(created), seesAll), created, "the objects by ID");
    for (const object of created) equal(await objectByUuid(r, object.uuid), object, "the object by UUID");
    equal(await findObjects(r, ["File", "User", "Image"]), created, "the objects by class");
  },

  "returns created objects in the given order with ascending IDs": async ({ r }) => {
    const names = Array.from({ length: 50 }, (_, index) => `object ${index}`);
    const created = await r.objects.insert(names.map(plain));
    equal(pluck(pluck(created, "attributes"), "Name"), names, "the names in order");
    isTrue(isAscending(created), "The IDs must be ascending");
    const later = await r.objects.insert([plain("later"), plain("still later")]);
    isTrue(isAscending([...created, ...later]), "Later IDs must be higher");
  },

  "creates no objects for an empty list": async ({ r }) => {
    equal(await r.objects.insert([]), [], "the objects");
    equal(await r.objects.count({ classes: ["File"] }, seesAll), 0, "number of objects");
  },

  "assigns unique IDs and UUIDs in concurrent calls": async ({ r }) => {
    const batches = await concurrently(12, () => r.objects.insert(files(3)));
    for (const batch of batches) isTrue(isAscending(batch), "The IDs of each call must be ascending");
    const objects = batches.flat();
    equal(new Set(idsOf(objects)).size, 36, "number of different IDs");
    equal(new Set(pluck(objects, "uuid")).size, 36, "number of different UUIDs");
    for (const { id } of objects) isTrue(isObjectId(id), `The ID ${id} must be canonical`);
    equal(await r.objects.count({ classes: ["File"] }, seesAll), 36, "number of objects");
  },

  "accepts a UUID in any case and stores it in lower case": async ({ r }) => {
    const [object] = await r.objects.insert([{ ...plain("plan"), uuid: uuid.toUpperCase() }]);
    equal(object?.uuid, uuid, "the UUID");
    for (const spelling of [uuid, uuid.toUpperCase(), `0F8FAD5b${uuid.slice(8)}`]) {
      equal((await objectByUuid(r, spelling))?.id, object?.id, `the object with the UUID ${spelling}`);
    }
  },

  "refuses a malformed UUID with 307, all or nothing": async ({ r }) => {
    const malformed = [
      "",
      "x",
      uuid.slice(1),
      `${uuid}0`,
      ` ${uuid}`,
      `{${uuid}}`,
      uuid.replaceAll("-", ""),
      `g${uuid.slice(1)}`,
    ];
    for (const spelling of malformed) {
      const batch = [plain("before"), { ...plain("malformed"), uuid: spelling }, plain("after")];
      await failsWith(307, () => r.objects.insert(batch), `inserting the UUID "${spelling}"`);
    }
    equal(await r.objects.count({ classes: ["File"] }, seesAll), 0, "number of objects");
  },

  "refuses a duplicate UUID with 307, all or nothing": async ({ r }) => {
    const [first] = await r.objects.insert([{ ...plain("first"), uuid }]);
    for (const spelling of [uuid, uuid.toUpperCase()]) {
      const batch = [plain("before"), { ...plain("taken"), uuid: spelling }, plain("after")];
      await refusesUuid(() => r.objects.insert(batch), `inserting the UUID ${spelling} again`);
    }
    const ofOtherClass = { ...plain("other class"), className: "Image", uuid };
    await refusesUuid(() => r.objects.insert([ofOtherClass]), "inserting it in another class");
    equal(await findObjects(r, ["File", "Image"]), [first], "the objects");
  },

  "refuses the same UUID twice in one call with 307": async ({ r }) => {
    const batch = [{ ...plain("one"), uuid }, plain("between"), { ...plain("other"), uuid: uuid.toUpperCase() }];
    await refusesUuid(() => r.objects.insert(batch), "inserting one UUID twice");
    equal(await r.objects.count({ classes: ["File"] }, seesAll), 0, "number of objects");
  },

  "creates one object when concurrent calls use the same UUID": async ({ r }) => {
    for (let round = 1; round <= 6; round += 1) {
      const shared = `${round}${uuid.slice(1)}`;
      const outcomes = await concurrently(8, async (index) => {
        const insert = () => r.objects.insert([plain(`with ${index}`), { ...plain(`${index}`), uuid: shared }]);
        const outcome = await insert().then(
          () => "created",
          (error: unknown) => (error instanceof UuidTakenError ? "taken" : Promise.reject(error)),
        );
        isTrue((await objectByUuid(r, shared)) !== null, "A refused call must find the object of the other call");
        return outcome;
      });
      equalCounts(outcomes, { created: 1, taken: 7 }, "numbers of successful and refused calls");
      equal(await r.objects.count({ classes: ["File"] }, seesAll), 2 * round, "number of objects");
    }
  },
});
