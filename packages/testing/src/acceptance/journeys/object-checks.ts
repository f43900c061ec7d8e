import { expect } from "../../matchers/expect.ts";
import { NotApplicable } from "../../run/check.ts";
import type { Visit } from "../target/visit.ts";
import { sampleAttributes, textAttributeOf } from "../target/sample-attributes.ts";
import type { SallyportClient } from "@sallyport/client";
import { expectRefusal, inSection, type Journey } from "./journey.ts";

/** A new object, and the name of the attribute that has the text. */
export async function newObject(visit: Visit, client: SallyportClient, text: string) {
  const structure = await visit.structure(client);
  for (const permission of ["create", "write", "delete"] as const) {
    if (!structure.permissions.includes(permission))
      throw new NotApplicable(`The user lacks the right to ${permission} objects of ${structure.name}.`);
  }
  const attribute = textAttributeOf(structure);
  return { attribute, id: await visit.create(client, await sampleAttributes(client, structure, text)) };
}

/** The life of an object. */
export const objectChecks: Journey = (mode) => {
  const check = inSection("objects", mode);
  return [
    check("creates, reads, changes and deletes an object", async (visit) => {
      const client = await visit.client(mode);
      const { id, attribute } = await newObject(visit, client, visit.mark);
      const stored = await client.getObject(id);
      expect(stored).toMatchObject({ "~ObjectID": id, "~ClassName": visit.target.className, [attribute]: visit.mark });
      const text = `${visit.mark} Zürich \u{1f600}`;
      expect(await client.updateObject(id, { [attribute]: text }, { ifMatch: stored })).toMatchObject({
        [attribute]: text,
      });
      await expectRefusal(client.updateObject(id, { [attribute]: "late" }, { ifMatch: stored }), 713);
      await visit.remove(id);
      await expectRefusal(client.getObject(id), 609);
      await expectRefusal(client.deleteObject(id), 609);
    }),
    check("creates one object for a repeated request with a key", async (visit) => {
      const client = await visit.client(mode);
      const { id: other } = await newObject(visit, client, visit.mark);
      const { className } = visit.target;
      const attributes = await sampleAttributes(client, await visit.structure(client), visit.mark);
      const once = { idempotencyKey: `${visit.mark} ${mode}` };
      const { "~ObjectID": id } = await client.createObject(className, attributes, once);
      visit.keep(id, client);
      expect(await client.createObject(className, attributes, once)).toMatchObject({ "~ObjectID": id });
      await expectRefusal(client.createObject(className, { "no such attribute": 1 }, once), 307);
      for (const each of [id, other]) await visit.remove(each);
    }),
    check("names the user of a deletion in the recycle bin, and nowhere else", async (visit) => {
      const client = await visit.client(mode);
      const { id } = await newObject(visit, client, visit.mark);
      await client.deleteObject(id, { recycle: true });
      const { "~Elements": elements } = await client.listTrash({ perPage: 100 });
      const element = elements.find((each) => each["~ObjectID"] === id);
      expect(element?.["~DeletedBy"]).toEqual(expect.stringMatching(/^[0-9A-Z]+$/));
      const members = ["~ClassName", "~ObjectID", "~UUID", "~StoreTime", "~DeletedBy"];
      expect(Object.keys(element ?? {})).toEqual(members);
      const restored = await client.restoreObject(id);
      expect(Object.keys(restored).includes("~DeletedBy")).toBe(false);
      await client.deleteObject(id);
      await visit.remove(id);
    }),
    check("restores an object from the recycle bin, and purges it", async (visit) => {
      const client = await visit.client(mode);
      const { id, attribute } = await newObject(visit, client, visit.mark);
      await client.deleteObject(id, { recycle: true });
      await expectRefusal(client.getObject(id), 609);
      expect(await client.restoreObject(id)).toMatchObject({ "~ObjectID": id, [attribute]: visit.mark });
      await client.deleteObject(id, { recycle: true });
      expect(await client.purgeObject(id)).toBe(1);
      await expectRefusal(client.restoreObject(id), 609);
      await visit.remove(id);
    }),
    check("locks an object against other sessions", async (visit) => {
      const client = await visit.client(mode);
      const { id, attribute } = await newObject(visit, client, visit.mark);
      await client.lockObject(id);
      const other = await visit.logIn("session");
      try {
        expect(await other.getLock(id)).toMatchObject({ isLocked: true });
        await expectRefusal(other.updateObject(id, { [attribute]: "other" }), 713);
        await client.unlockObject(id);
        await other.updateObject(id, { [attribute]: "other" });
      } finally {
        await other.logOut();
      }
      await visit.remove(id);
    }),
    check("refuses attributes that the class does not have", async (visit) => {
      const client = await visit.client(mode);
      const { id } = await newObject(visit, client, visit.mark);
      await expectRefusal(client.updateObject(id, { "no such attribute": 1 }), 307);
      await visit.remove(id);
    }),
  ];
};
