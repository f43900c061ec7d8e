import {
  type JsonValue,
  type ObjectChange,
  type ObjectId,
  OutdatedModelError,
  type Repositories,
  seesAll,
  type StoredObject,
  type Visibility,
} from "@sallyport/storage";
import { equal, equalToOneOf, failsWith, isTrue } from "../../assert/index.ts";
import { type Check, checksOf } from "../../check.ts";
import { equalCounts, pluck } from "../../fixtures/lists.ts";
import { concurrently, whileOpen } from "../../fixtures/concurrently.ts";
import { changeOf } from "../../fixtures/changes-up-to.ts";
import { codeOf } from "../../fixtures/error-of.ts";
import {
  noSession,
  createObject,
  createObjects,
  files,
  findObjects,
  idsOf,
  unknownIds,
  objectByUuid,
  objectOf,
  update,
} from "../../fixtures/objects.ts";
import { hostileTexts, unstorableTexts } from "../../fixtures/hostile-texts.ts";
import { hour } from "../../fixtures/policy.ts";

const renaming = (...ids: readonly ObjectId[]) => ids.map((id) => changeOf(id, { Name: "new" }));

export const objectUpdatingChecks: readonly Check[] = checksOf("objects", {
  "changes exactly the given attributes": async ({ storage, r, advance }) => {
    const object = await createObject(r, { attributes: { Name: "plan", Size: 7, Tags: ["a", "b"] }, readers: ["A1"] });
    const other = await createObject(r);
    advance(hour);
    const before = await storage.now();
    const changed = await update(r, object.id, { Size: null, Tags: { c: [1] }, New: true });
    const after = await storage.now();
    isTrue(before <= changed.storedAt && changed.storedAt <= after, "The time must be that of the update");
    const attributes = { Name: "plan", Size: null, Tags: { c: [1] }, New: true };
    equal(changed, { ...object, version: 2, storedAt: changed.storedAt, attributes }, "the result of the update");
    equal(await objectOf(r, object.id), changed, "the object");
    equal(await objectOf(r, other.id), other, "the other object");
    equal(await objectByUuid(r, object.uuid), changed, "the object by UUID");
    equal(await r.objects.count({ classes: ["File"] }, seesAll), 2, "number of objects");
  },

  "increases the version with every update, also an empty one": async ({ r }) => {
    const object = await createObject(r);
    for (const [version, attributes] of [
      [2, { Name: "new" }],
      [3, { Name: "new" }],
      [4, {}],
    ] as const) {
      const changed = await update(r, object.id, attributes);
      equal([changed?.version, changed?.attributes], [version, { Name: "new" }], "the version and the attributes");
    }
  },

  "updates several objects and returns them in the given order": async ({ r }) => {
    const objects = await createObjects(r, {}, {}, {});
    const order = [2, 0, 1].map((index) => objects[index] as StoredObject);
    const changed = await r.objects.update(
      order.map(({ id }, index) => changeOf(id, { Name: `name ${index}` })),
      noSession,
    );
    equal(
      changed.map(({ id, attributes }) => [id, attributes["Name"]]),
      order.map(({ id }, index) => [id, `name ${index}`]),
      "the result of the update",
    );
    equal(await r.objects.update([], noSession), [], "the result of no updates");
  },

  "stores hostile texts in updates, as values and as names": async ({ r }) => {
    const object = await createObject(r);
    const attributes: Record<string, JsonValue> = { all: hostileTexts };
    // Makes an own member even of the name `__proto__`.
    for (const text of hostileTexts) Object.defineProperty(attributes, text, { value: text, enumerable: true });
    const changed = await update(r, object.id, attributes);
    for (const text of hostileTexts)
      equal(Object.getOwnPropertyDescriptor(changed?.attributes, text)?.value, text, `the value of ${text}`);
    equal(changed?.attributes["all"], hostileTexts, "the texts");
    equal(await objectOf(r, object.id), changed, "the object");
  },

  "refuses unstorable texts in updates with 307": async ({ r }) => {
    const object = await createObject(r);
    for (const text of unstorableTexts) {
      for (const attributes of [{ Name: text }, { Name: [{ deep: text }] }, { [text]: 1 }]) {
        await failsWith(307, () => update(r, object.id, attributes), `setting ${JSON.stringify(attributes)}`);
      }
    }
    equal(await objectOf(r, object.id), object, "the object");
  },

  "refuses to update an unknown object with 304, all or nothing": async ({ r }) => {
    const [one, other] = await createObjects(r, {}, {});
    for (const id of [...unknownIds, one.id.toLowerCase() === one.id ? `0${one.id}` : one.id.toLowerCase()])
      await failsWith(304, () => r.objects.update(renaming(one.id, id, other.id), noSession), `changing "${id}"`);
    equal([await objectOf(r, one.id), await objectOf(r, other.id)], [one, other], "the objects");
  },

  "refuses to update objects that the writer cannot see with 304, all or nothing": async ({ r }) => {
    const reader = await createObject(r);
    const [open, kept] = await createObjects(r, {}, { readers: [reader.id] });
    const changes = renaming(open.id, kept.id);
    const outdated = [changeOf(kept.id, { Name: "new" }, { expectedVersions: [7] })];
    const write = (written: readonly ObjectChange[], visibility: Visibility) =>
      r.objects.update(written, { ...noSession, visibility });
    const blind: Visibility[] = [
      { classes: new Set(["Image"]), principals: null },
      { classes: new Set(), principals: null },
      { classes: new Set(["File"]), principals: new Set(["ZZZ"]) },
      { classes: null, principals: new Set() },
    ];
    for (const visibility of blind) {
      await failsWith(304, () => write(changes, visibility), "updating an invisible object");
      await failsWith(304, () => write(outdated, visibility), "updating another version of an invisible object");
    }
    equal(pluck(await r.objects.get(idsOf([open, kept]), seesAll), "version"), [1, 1], "the versions");
    const visibility = { classes: new Set(["File", "Image"]), principals: new Set([reader.id]) };
    await failsWith(713, () => write(outdated, visibility), "updating another version of a visible object");
    equal(pluck(await write(changes, visibility), "version"), [2, 2], "the versions of the written objects");
  },

  "refuses to update another version than expected with 713, all or nothing": async ({ r }) => {
    const [one, other] = await createObjects(r, {}, {});
    for (const expectedVersions of [[], [0], [2], [2, 3, 11], [-1], [1.5]]) {
      const changes = [
        changeOf(one.id, { Name: "new" }, { expectedVersions: [1] }),
        changeOf(other.id, { Name: "new" }, { expectedVersions }),
      ];
      const what = `updating version ${expectedVersions.join(" or ")}`;
      await failsWith(713, () => r.objects.update(changes, noSession), what);
    }
    equal([await objectOf(r, one.id), await objectOf(r, other.id)], [one, other], "the objects");
    const changed = await update(r, one.id, {}, { expectedVersions: [7, 1] });
    equal(changed?.version, 2, "the version");
    await failsWith(713, () => update(r, one.id, {}, { expectedVersions: [1] }), "updating the previous version");
  },

  "accepts one of several concurrent updates of the same version": async ({ r }) => {
    const object = await createObject(r);
    for (let version = 1; version <= 4; version += 1) {
      const codes = await concurrently(8, (index) =>
        codeOf(update(r, object.id, { [`by${index}`]: version }, { expectedVersions: [version] })),
      );
      equalCounts(codes, { 0: 1, 713: 7 }, "numbers of successful and refused updates");
    }
    equal((await objectOf(r, object.id))?.version, 5, "the version");
  },

  "keeps all concurrent updates of different attributes": async ({ r }) => {
    const objects = await createObjects(r, {}, {}, {});
    // Different orders, so that waiting updates could deadlock.
    await concurrently(12, (index) => {
      const order = index % 2 === 0 ? objects : objects.toReversed();
      return r.objects.update(
        order.map(({ id }) => changeOf(id, { [`by${index}`]: index })),
        noSession,
      );
    });
    const all = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`by${index}`, index]));
    for (const object of objects) {
      const changed = await objectOf(r, object.id);
      equal([changed?.version, changed?.attributes], [13, { Name: "plan", ...all }], "the version and the attributes");
    }
  },

  "locks rows for a transaction against concurrent updates": async ({ storage, r, canOvertake }) => {
    const object = await createObject(r);
    const last = async (inside: Repositories) => {
      const version = (await objectOf(inside, object.id))?.version ?? 0;
      equalToOneOf(version, [1, ...(canOvertake ? [2] : [])], "the version seen by the transaction");
      await update(inside, object.id, { Name: "by the one that holds it" }, { expectedVersions: [version] });
    };
    await whileOpen(
      storage,
      (inside) => inside.objects.lock([object.id, "ZZZZZZZZZZ", "", object.id]),
      () => update(r, object.id, { Name: "by another" }),
      { reads: 100, last },
    );
    const changed = await objectOf(r, object.id);
    equal(changed?.version, 3, "the version");
    const names = ["by another", ...(canOvertake ? ["by the one that holds it"] : [])];
    equalToOneOf(changed?.attributes["Name"], names, "the name");
  },

  "judges an update that has waited for another one by what it finds then": async ({ storage, r, canOvertake }) => {
    const visibility: Visibility = { classes: null, principals: new Set(["B2"]) };
    for (const [first, condition, by, refusal] of [
      [{}, { expectedVersions: [1] }, noSession, 713],
      [{ readers: ["A1"] }, {}, { ...noSession, visibility }, 304],
    ] as const) {
      const { id } = await createObject(r, { readers: ["B2"] });
      const code = await whileOpen(
        storage,
        (inside) => update(inside, id, { Name: "by the first" }, first),
        () => codeOf(update(r, id, { Name: "by the second" }, condition, by)),
        { reads: 20 },
      );
      equalToOneOf(code, [refusal, ...(canOvertake ? [0] : [])], "the code of the second update");
      equal((await objectOf(r, id))?.version, code === 0 ? 3 : 2, "the version");
    }
  },

  "locks the same rows in several transactions without a deadlock": async ({ storage, r }) => {
    const ids = idsOf(await createObjects(r, {}, {}, {}));
    await concurrently(8, (index) =>
      storage.transaction(async (inside) => {
        await inside.objects.lock(index % 2 === 0 ? ids : ids.toReversed());
        const versions = (await inside.objects.get(ids, seesAll)).map(({ id, version }) =>
          changeOf(id, { [`by${index}`]: true }, { expectedVersions: [version] }),
        );
        await inside.objects.update(versions, noSession);
      }),
    );
    equal(pluck(await r.objects.get(ids, seesAll), "version"), [9, 9, 9], "the versions");
  },

  "refuses writes under an outdated or future model generation": async ({ r }) => {
    const object = await createObject(r);
    const { generation: outdated } = await r.model.load();
    await r.model.change({ put: [] }, outdated);
    const { generation } = await r.model.load();
    const insert = (modelGeneration: number) => r.objects.insert(files(1), { session: null, modelGeneration });
    const change = (modelGeneration: number) =>
      update(r, object.id, { Name: "new" }, {}, { session: null, modelGeneration });
    for (const modelGeneration of [outdated, generation + 1]) {
      for (const write of [() => insert(modelGeneration), () => change(modelGeneration)]) {
        const error = await failsWith(706, write, `writing under generation ${modelGeneration}`);
        isTrue(error instanceof OutdatedModelError, "The error must be an OutdatedModelError");
      }
    }
    equal(await findObjects(r, ["File"]), [object], "the objects");
    equal((await insert(generation)).length, 1, "number of created objects");
    equal((await change(generation)).version, 2, "the version of the updated object");
  },
});
