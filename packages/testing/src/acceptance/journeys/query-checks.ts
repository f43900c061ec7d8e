import { randomUUID } from "node:crypto";
import { expect } from "../../matchers/expect.ts";
import { expectRefusal, inSection, type Journey } from "./journey.ts";
import { newObject } from "./object-checks.ts";

/** Lists of own objects. */
export const queryChecks: Journey = (mode) => {
  const check = inSection("queries", mode);
  return [
    check("filters, sorts and pages", async (visit) => {
      const client = await visit.client(mode);
      const { className } = visit.target;
      const texts = ["a", "b", "c"].map((end) => `${visit.mark} ${mode} ${end}`);
      const made = [];
      for (const text of texts) made.push(await newObject(visit, client, text));
      const attribute = made[0]?.attribute ?? "";
      const where = { [attribute]: { $like: `${visit.mark} ${mode} %` } };
      expect(await client.countObjects(className, { query: { where } })).toBe(3);
      const sorted = await client.listObjects(className, { query: { where, sort: [`-${attribute}`] } });
      expect(sorted["~Elements"].map((each) => each["~ObjectID"])).toEqual(made.map(({ id }) => id).toReversed());
      const many = Array.from({ length: 997 }, () => randomUUID());
      const oids = [...made.map(({ id }) => id), ...many];
      expect(await client.countObjects(className, { query: { oids } })).toBe(3);
      const found: string[] = [];
      for await (const object of client.objects(className, { query: { where, sort: [attribute] }, perPage: 2 }))
        found.push(object["~ObjectID"]);
      expect(found).toEqual(made.map(({ id }) => id));
      for (const { id } of made) await visit.remove(id);
      expect(await client.countObjects(className, { query: { where } })).toBe(0);
    }),
    check("refuses a filter by an unknown attribute", async (visit) => {
      const client = await visit.client(mode);
      await expectRefusal(
        client.listObjects(visit.target.className, { query: { where: { "no such attribute": 1 } } }),
        307,
      );
    }),
  ];
};
