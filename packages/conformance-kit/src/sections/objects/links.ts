import { seesAll } from "@sallyport/storage";
import { equal, failsWith } from "../../assert/index.ts";
import { type Check, checksOf } from "../../check.ts";
import { concurrently } from "../../fixtures/concurrently.ts";
import { createObject, createObjects, findObjects, unknownIds, update } from "../../fixtures/objects.ts";

export const objectLinkChecks: readonly Check[] = checksOf("objects", {
  "creates objects with links to existing objects": async ({ r }) => {
    const [one, other] = await createObjects(r, {}, {});
    const attributes = { Boss: one.id, Team: [one.id, other.id], Empty: null };
    const links = { Boss: [one.id], Team: [one.id, other.id], Empty: [] };
    const [created] = await r.objects.insert([{ className: "File", attributes, links }]);
    equal(created, { ...created, className: "File", version: 1, attributes, readers: null }, "the object");
    equal(await r.objects.get([created?.id ?? ""], seesAll), [created], "the object, read again");
  },

  "refuses links to unknown objects with 307, all or nothing": async ({ r }) => {
    const object = await createObject(r, { attributes: { Name: "plan" } });
    for (const target of unknownIds) {
      for (const links of [{ Boss: [target] }, { Boss: [], Team: [object.id, target] }]) {
        const batch = [
          { className: "File", attributes: {} },
          { className: "File", attributes: { Boss: target }, links },
        ];
        await failsWith(307, () => r.objects.insert(batch), `inserting a link to "${target}"`);
        await failsWith(307, () => update(r, object.id, { Boss: target }, { links }), `setting a link to "${target}"`);
      }
    }
    equal(await findObjects(r, ["File"]), [object], "the objects");
  },

  "changes the links of objects": async ({ r }) => {
    const [object, one, other] = await createObjects(r, {}, {}, {});
    for (const team of [[one.id], [one.id, other.id], [other.id, one.id], [other.id, object.id], [], [one.id]]) {
      const boss = team[0] ?? null;
      const links = { Team: team, Boss: boss === null ? [] : [boss] };
      const changed = await update(r, object.id, { Team: team, Boss: boss }, { links });
      equal(changed?.attributes, { Name: "plan", Team: team, Boss: boss }, "the attributes");
    }
  },

  "updates objects that link to each other concurrently without a deadlock": async ({ r }) => {
    const objects = await createObjects(r, {}, {}, {});
    await concurrently(18, (index) => {
      const [source, target] = [objects[index % 3]?.id ?? "", objects[(index + 1) % 3]?.id ?? ""];
      return update(r, source, { Next: target }, { links: { Next: [target] } });
    });
    const changed = await findObjects(r, ["File"]);
    equal(
      changed.map(({ version, attributes }) => [version, attributes["Next"]]),
      [1, 2, 0].map((next) => [7, objects[next]?.id]),
      "the versions and links",
    );
  },
});
