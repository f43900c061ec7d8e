import { seesAll } from "@sallyport/core";
import { equal, failsWith } from "../../assert/index.ts";
import { type Check, checksOf } from "../../check.ts";
import { atOnce } from "../../fixtures/at-once.ts";
import { changeOf } from "../../fixtures/changes-up-to.ts";
import { createObject, findObjects } from "../../fixtures/objects.ts";

const anybody = { session: null };
/** What is no id of an object, and what could be the id of one. */
const nowhere = ["ZZZZZZZZZZ", "0", "", "a1", "constructor"];

export const objectLinkChecks: readonly Check[] = checksOf("objects", {
  "are created with links to objects that are there": async ({ r }) => {
    const [one, other] = [await createObject(r), await createObject(r)];
    const attributes = { Boss: one.id, Team: [one.id, other.id], Nobody: null };
    const links = { Boss: [one.id], Team: [one.id, other.id], Nobody: [] };
    const [created] = await r.objects.insert([{ className: "File", attributes, links }]);
    equal(created, { ...created, className: "File", version: 1, attributes, readers: null }, "the object");
    equal(await r.objects.get([created?.id ?? ""], seesAll), [created], "the object as it is read");
  },

  "are refused with 307 links to nothing, all or nothing": async ({ r }) => {
    const object = await createObject(r, { attributes: { Name: "plan" } });
    for (const target of nowhere) {
      for (const links of [{ Boss: [target] }, { Boss: [], Team: [object.id, target] }]) {
        const batch = [
          { className: "File", attributes: {} },
          { className: "File", attributes: { Boss: target }, links },
        ];
        await failsWith(307, () => r.objects.insert(batch), `inserting a link to "${target}"`);
        await failsWith(
          307,
          () => r.objects.update([changeOf(object.id, { Boss: target }, { links })], anybody),
          `setting a link to "${target}"`,
        );
      }
    }
    equal(await findObjects(r, ["File"], seesAll, { offset: 0, limit: 10 }), [object], "the objects");
  },

  "get other links when they are changed": async ({ r }) => {
    const [object, one, other] = [await createObject(r), await createObject(r), await createObject(r)];
    for (const team of [[one.id], [one.id, other.id], [other.id, one.id], [other.id, object.id], [], [one.id]]) {
      const boss = team[0] ?? null;
      const links = { Team: team, Boss: boss === null ? [] : [boss] };
      const [changed] = await r.objects.update([changeOf(object.id, { Team: team, Boss: boss }, { links })], anybody);
      equal(changed?.attributes, { Name: "plan", Team: team, Boss: boss }, "the attributes");
    }
  },

  "that point to one another are changed at once without blocking each other": async ({ r }) => {
    const objects = [await createObject(r), await createObject(r), await createObject(r)];
    await atOnce(18, (index) => {
      const [source, target] = [objects[index % 3]?.id ?? "", objects[(index + 1) % 3]?.id ?? ""];
      return r.objects.update([changeOf(source, { Next: target }, { links: { Next: [target] } })], anybody);
    });
    const changed = await findObjects(r, ["File"], seesAll, { offset: 0, limit: 10 });
    equal(
      changed.map(({ version, attributes }) => [version, attributes["Next"]]),
      [1, 2, 0].map((next) => [7, objects[next]?.id]),
      "versions and links",
    );
  },
});
