import type { Links, Referrer, Repositories, StoredObject } from "@sallyport/storage";
import { equal, equalInAnyOrder, isTrue } from "../../assert/index.ts";
import { type Check, checksOf } from "../../check.ts";
import {
  createObject,
  createObjects,
  idsOf,
  linking,
  unknownIds,
  objectOf,
  referrersOf,
  deleteObjects,
  update,
} from "../../fixtures/objects.ts";
import { hour } from "../../fixtures/policy.ts";

/** Creates an object with collections of these names. */
function pointing(r: Repositories, links: Links, className = "File"): Promise<StoredObject> {
  return createObject(r, { className, ...linking(links, { Name: "plan" }) });
}

function link(source: StoredObject, attribute: string, target: StoredObject): Referrer {
  return { id: source.id, className: source.className, attribute, target: target.id };
}

/** The referrers of the class `File` that reference an object by these attributes. */
function ofFiles({ deletion }: Repositories, { id }: StoredObject, names: readonly string[]): Promise<Referrer[]> {
  return deletion.referrers([id], {
    attributes: names.map((attribute) => ({ className: "File", attribute })),
    limit: 100,
  });
}

export const referrerChecks: readonly Check[] = checksOf("deletion", {
  "returns the referrers of objects with the attribute, each link once": async ({ r }) => {
    const [one, two, other] = await createObjects(r, {}, {}, {});
    const team = await pointing(r, { Team: [one.id, two.id, other.id], Boss: [one.id] });
    const image = await pointing(r, { Boss: [two.id] }, "Image");
    const links = [link(team, "Team", one), link(team, "Team", two), link(team, "Boss", one), link(image, "Boss", two)];
    equalInAnyOrder(await referrersOf(r, idsOf([two, one, two])), links, "the referrers of two objects");
    equal(await referrersOf(r, []), [], "the referrers of no objects");
    equal(await referrersOf(r, [...unknownIds, team.id]), [], "the referrers of objects without any");
  },

  "returns a link once that a collection contains twice": async ({ r }) => {
    const [one, two] = await createObjects(r, {}, {});
    const team = await pointing(r, { Team: [one.id, two.id, one.id] });
    equalInAnyOrder(
      await referrersOf(r, idsOf([one, two])),
      [link(team, "Team", one), link(team, "Team", two)],
      "the referrers",
    );
  },

  "returns referrers by attributes and classes up to the limit": async ({ r }) => {
    const one = await createObject(r);
    const [first, second] = [
      await pointing(r, { Team: [one.id], Boss: [one.id] }),
      await pointing(r, { Boss: [one.id], toString: [one.id] }),
    ];
    const image = await pointing(r, { Boss: [one.id] }, "Image");
    const by = (...attributes: string[]) => ofFiles(r, one, attributes);
    const boss = [link(first, "Boss", one), link(second, "Boss", one)];
    equalInAnyOrder(await by("Boss", "Unknown"), boss, "the referrers by one attribute");
    const two = [link(first, "Team", one), link(second, "toString", one)];
    equalInAnyOrder(await by("Team", "toString"), two, "the referrers by two attributes");
    for (const names of [[], ["boss"], ["constructor"]])
      equal(await by(...names), [], "the referrers by unused attributes");
    const attributes = [
      { className: "Image", attribute: "Boss" },
      { className: "File", attribute: "Team" },
      { className: "Image", attribute: "Team" },
    ];
    const ofBoth = await r.deletion.referrers([one.id], { attributes, limit: 100 });
    equalInAnyOrder(ofBoth, [link(image, "Boss", one), link(first, "Team", one)], "the referrers of two classes");
    for (const limit of [0, 1, 3]) {
      const { length } = await r.deletion.referrers([one.id], { attributes: null, limit });
      equal(length, limit, "number of referrers");
    }
  },

  "omits the requested objects and deleted objects from the referrers": async ({ storage, r }) => {
    const one = await createObject(r);
    await update(r, one.id, {}, linking({ Boss: one.id }));
    const two = await pointing(r, { Boss: [one.id] });
    const deleted = await pointing(r, { Boss: [one.id, two.id] });
    const recycled = await pointing(r, { Boss: [one.id, two.id] });
    await deleteObjects(storage, [deleted.id]);
    await deleteObjects(storage, [recycled.id], true);
    equal(await referrersOf(r, [one.id]), [link(two, "Boss", one)], "the referrers of one object");
    equal(await referrersOf(r, idsOf([one, two])), [], "the referrers of both from outside");
  },

  "returns the referrers as of the last change": async ({ r }) => {
    const [one, two] = await createObjects(r, {}, {});
    const source = await pointing(r, { Team: [one.id], Boss: [one.id] });
    await update(r, source.id, {}, linking({ Team: [two.id] }));
    const byTeam = [await ofFiles(r, one, ["Team"]), await ofFiles(r, two, ["Team"])];
    equal(byTeam, [[], [link(source, "Team", two)]], "the referrers by the changed attribute");
    equal(await referrersOf(r, [one.id]), [link(source, "Boss", one)], "the referrers by the other attribute");
  },

  "removes targets from references and collections and keeps other values": async ({ storage, r, advance }) => {
    const [gone, stays, recycled] = await createObjects(r, {}, {}, {});
    const references = { Boss: gone.id, Deputy: stays.id, Team: [stays.id, gone.id, recycled.id] };
    const input = linking(references, { Tags: { id: gone.id, list: [gone.id] }, Name: gone.id });
    const { attributes } = input;
    const source = await createObject(r, input);
    const single = await createObject(r, linking({ Team: [gone.id], Boss: stays.id }));
    await deleteObjects(storage, [recycled.id], true);
    advance(hour);
    const before = await storage.now();
    await storage.transaction(async (inside) => inside.deletion.clear(await referrersOf(inside, [gone.id])));
    const [cleared, emptied] = [await objectOf(r, source.id), await objectOf(r, single.id)];
    equal(cleared?.attributes, { ...attributes, Boss: null, Team: [stays.id, recycled.id] }, "the attributes");
    equal(emptied?.attributes, { Team: [], Boss: stays.id }, "the attributes of the other object");
    equal([cleared?.version, emptied?.version], [2, 2], "the versions");
    isTrue((cleared?.storedAt ?? 0) >= before, "The time must be that of the change");
    equal(await referrersOf(r, [gone.id]), [], "the referrers of the removed target");
    equalInAnyOrder(
      await referrersOf(r, idsOf([stays, recycled])),
      [
        link(source, "Deputy", stays),
        link(source, "Team", stays),
        link(single, "Boss", stays),
        link(source, "Team", recycled),
      ],
      "the referrers of the other targets",
    );
  },

  "clears only the attributes of each referrer": async ({ storage, r }) => {
    const gone = await createObject(r);
    const [boss, team] = [
      await createObject(r, linking({ Boss: gone.id }, { Name: "boss" })),
      await createObject(r, linking({ Team: [gone.id] }, { Boss: gone.id })),
    ];
    await storage.transaction(({ deletion }) => deletion.clear([link(boss, "Boss", gone), link(team, "Team", gone)]));
    const cleared = [(await objectOf(r, boss.id))?.attributes, (await objectOf(r, team.id))?.attributes];
    equal(
      cleared,
      [
        { Name: "boss", Boss: null },
        { Boss: gone.id, Team: [] },
      ],
      "the attributes",
    );
  },

  "changes nothing if no referrers are given": async ({ r }) => {
    const object = await createObject(r);
    await r.deletion.clear([]);
    equal(await objectOf(r, object.id), object, "the object");
  },
});
