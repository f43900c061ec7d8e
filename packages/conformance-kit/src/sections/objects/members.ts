import {
  type Attributes,
  type Links,
  type ObjectChange,
  type ObjectId,
  type Repositories,
  seesAll,
  type StoredObject,
  type Visibility,
} from "@sallyport/storage";
import { equal, equalInAnyOrder, equalToOneOf, failsWith } from "../../assert/index.ts";
import { type Check, checksOf } from "../../check.ts";
import { pluck } from "../../fixtures/lists.ts";
import {
  restoreObjects,
  createObject,
  createObjects,
  idsOf,
  linking,
  deleteObjects,
  update,
} from "../../fixtures/objects.ts";
import { changeOf } from "../../fixtures/changes-up-to.ts";
import { whileOpen } from "../../fixtures/concurrently.ts";

/** Sees files that are readable by all or by `A1`. */
const visibility: Visibility = { classes: new Set(["File"]), principals: new Set(["A1"]) };
const blind = { session: null, visibility };
const seeing = { session: null };
const all = { attributes: null, limit: 100 };

/** An object with these members in its collection `Team`. */
function withTeam(r: Repositories, members: readonly StoredObject[]): Promise<StoredObject> {
  return createObject(r, linking({ Team: idsOf(members) }, { Name: "plan" }));
}

/** A change of an object's collections and of other attributes. */
function relinked(id: ObjectId, collections: Links, others?: Attributes): ObjectChange {
  const { attributes, links } = linking(collections, others);
  return changeOf(id, attributes, { links });
}

function teamOf(id: ObjectId, members: readonly StoredObject[], others?: Attributes): ObjectChange {
  return relinked(id, { Team: idsOf(members) }, others);
}

async function referrersOf(r: Repositories, target: StoredObject): Promise<string[]> {
  return idsOf(await r.deletion.referrers([target.id], all));
}

/** Two visible objects and three with restricted visibility. */
async function scene(r: Repositories) {
  return {
    one: await createObject(r),
    two: await createObject(r, { readers: ["Z9", "A1"] }),
    ofOthers: await createObject(r, { readers: ["Z9"] }),
    unreadable: await createObject(r, { readers: [] }),
    image: await createObject(r, { className: "Image" }),
  };
}

export const objectMemberChecks: readonly Check[] = checksOf("objects", {
  "keeps the collection members that the writer cannot see, after the given ones": async ({ r }) => {
    const { one, two, ofOthers, unreadable, image } = await scene(r);
    const { id } = await withTeam(r, [image, one, ofOthers, two, unreadable]);
    for (const members of [[two], [], [one, two], [two, one]]) {
      const [changed] = await r.objects.update([teamOf(id, members, { Name: "new" })], blind);
      equal(
        changed?.attributes,
        { Name: "new", Team: idsOf([...members, image, ofOthers, unreadable]) },
        "the attributes",
      );
      equal(await r.objects.get([id], seesAll), [changed], "the object, read again");
    }
    for (const target of [one, two, ofOthers, unreadable, image])
      equal(await referrersOf(r, target), [id], "the referrers of a member");
    const [emptied] = await r.objects.update([teamOf(id, [image])], seeing);
    equal(emptied?.attributes["Team"], [image.id], "the members after a change by a writer that sees all of them");
    for (const target of [one, two, ofOthers, unreadable])
      equal(await referrersOf(r, target), [], "the referrers of a removed member");
  },

  "keeps an invisible member once if the writer names it": async ({ r }) => {
    const { one, ofOthers, unreadable } = await scene(r);
    const { id } = await withTeam(r, [ofOthers, one, unreadable]);
    const [changed] = await r.objects.update([teamOf(id, [unreadable, one])], blind);
    equal(changed?.attributes["Team"], idsOf([unreadable, one, ofOthers]), "the members");
    equal(await referrersOf(r, unreadable), [id], "the referrers of the member");
  },

  "keeps the invisible members of exactly the written collections of each object": async ({ r }) => {
    const { one, two, ofOthers, unreadable, image } = await scene(r);
    const [first, second, third] = [
      await withTeam(r, [ofOthers, one]),
      await withTeam(r, [two, image]),
      await withTeam(r, [one]),
    ];
    const fourth = await createObject(r, linking({ Guests: idsOf([unreadable]), Team: idsOf([one, image]) }));
    const changes = [first, second, third].map(({ id }) => teamOf(id, [two]));
    const both = relinked(fourth.id, { Team: [], Guests: idsOf([two]) });
    const changed = await r.objects.update([...changes, both], blind);
    const teams = [[two, ofOthers], [two, image], [two], [image]].map(idsOf);
    equal(pluck(pluck(changed, "attributes"), "Team"), teams, "the teams");
    equal(changed[3]?.attributes["Guests"], idsOf([two, unreadable]), "the guests");
    const named = await update(r, fourth.id, { Name: "new" }, {}, blind);
    equal(named?.attributes, { ...changed[3]?.attributes, Name: "new" }, "the attributes after another one is changed");
  },

  "writes the links of all attributes of a change that keeps invisible members": async ({ r }) => {
    const { one, two, ofOthers, unreadable } = await scene(r);
    const { id } = await createObject(
      r,
      linking({ Boss: two.id, Guests: [unreadable.id], Others: [one.id], Team: [ofOthers.id] }),
    );
    const { attributes, links } = linking({ Boss: one.id, Others: [two.id], Team: [one.id] });
    await r.objects.update([changeOf(id, attributes, { links })], blind);
    const found = await r.deletion.referrers(idsOf([one, two, ofOthers, unreadable]), all);
    equalInAnyOrder(
      found.map(({ attribute, target }) => [attribute, target]),
      [
        ["Boss", one.id],
        ["Guests", unreadable.id],
        ["Others", two.id],
        ["Team", one.id],
        ["Team", ofOthers.id],
      ],
      "the links",
    );
  },

  "keeps recycled members for every writer": async ({ storage, r }) => {
    const { one, two } = await scene(r);
    const [recycled, deleted] = await createObjects(r, {}, {});
    const { id } = await withTeam(r, [recycled, one, deleted]);
    await deleteObjects(storage, [recycled.id], true);
    await deleteObjects(storage, [deleted.id]);
    for (const by of [blind, seeing]) {
      const [changed] = await r.objects.update([teamOf(id, [two])], by);
      equal(changed?.attributes["Team"], idsOf([two, recycled]), "the members");
    }
    await restoreObjects(storage, recycled.id);
    equal(await referrersOf(r, recycled), [id], "the referrers of the restored member");
    const [changed] = await r.objects.update([teamOf(id, [])], seeing);
    equal(changed?.attributes["Team"], [], "the members after the restore");
  },

  "keeps no invisible targets of references and of collections that become null": async ({ r }) => {
    const { one, ofOthers, unreadable } = await scene(r);
    const links = { Boss: ofOthers.id, Team: [unreadable.id] };
    const { id } = await createObject(r, linking(links, { Data: ["kept", unreadable.id] }));
    const change = changeOf(id, { Boss: one.id, Team: null, Data: [] }, { links: { Boss: [one.id], Team: [] } });
    const [changed] = await r.objects.update([change], blind);
    equal(changed?.attributes, { Boss: one.id, Team: null, Data: [] }, "the attributes");
    const referrers = await r.deletion.referrers(idsOf([one, ofOthers, unreadable]), all);
    equal(referrers, [{ id, className: "File", attribute: "Boss", target: one.id }], "the links");
  },

  "keeps members that a concurrent update adds": async ({ storage, r, canOvertake }) => {
    const { one, two, ofOthers, image } = await scene(r);
    const { id } = await withTeam(r, [one, image]);
    const writeWhile = (members: readonly StoredObject[]) =>
      whileOpen(
        storage,
        (inside) => inside.objects.update([teamOf(id, members)], seeing),
        () => r.objects.update([teamOf(id, [two])], blind),
      );
    const [changed] = await writeWhile([ofOthers, one, image]);
    const [behind, before] = [idsOf([two, ofOthers, image]), idsOf([two, image])];
    equalToOneOf(changed?.attributes["Team"], [behind, ...(canOvertake ? [before] : [])], "the members");
    const [next] = await writeWhile([one, image]);
    equalToOneOf(
      next?.attributes["Team"],
      [before, ...(canOvertake ? [behind] : [])],
      "the members after a concurrent update removes some",
    );
  },

  "refuses an update with 304 if an object is not of the expected class": async ({ r }) => {
    const [file, image] = await createObjects(r, {}, { className: "Image" });
    const write = (className: string) =>
      r.objects.update([changeOf(file.id, { Name: "new" }), changeOf(image.id, {})], { session: null, className });
    for (const className of ["File", "Image", "Nothing", ""])
      await failsWith(304, () => write(className), `changing objects as those of "${className}"`);
    equal(pluck(await r.objects.get([file.id, image.id], seesAll), "version"), [1, 1], "the versions");
    const changed = await update(r, file.id, { Name: "new" }, {}, { ...blind, className: "File" });
    equal(changed?.version, 2, "the version of an object of the class");
  },
});
