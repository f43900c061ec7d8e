import { randomUUID } from "node:crypto";
import type { SallyportClient } from "@sallyport/client";
import { expect } from "../../matchers/expect.ts";
import { NotApplicable } from "../../run/check.ts";
import type { Visit } from "../target/visit.ts";
import { sampleAttributes, textAttributeOf } from "../target/sample-attributes.ts";
import { expectRefusal, inSection, type Journey } from "./journey.ts";

interface Schema {
  readonly name: string;
  readonly classes: readonly string[];
  readonly direction: string;
}

interface Page {
  readonly changed: readonly { readonly "~UUID": string }[];
  readonly deleted: readonly { readonly uuid: string }[];
  readonly syncVersion: string;
}

/** The schema through which a device can read and write the class. */
async function schemaOf(client: SallyportClient, { target }: Visit): Promise<string> {
  const { data } = await client.request<{ schemas: readonly Schema[] }>({ path: "/v1/sync" });
  const schema = data.schemas.find(
    ({ classes, direction }) => direction === "both" && classes.includes(target.className),
  );
  if (schema === undefined) throw new NotApplicable(`No schema synchronizes ${target.className} in both directions.`);
  return `/v1/sync/${schema.name}`;
}

/** A device that writes and pulls. */
export const synchronizationChecks: Journey = (mode) => {
  const check = inSection("synchronization", mode);
  return [
    check("carries a creation and a deletion to a device", async (visit) => {
      const client = await visit.client(mode);
      const path = await schemaOf(client, visit);
      const structure = await visit.structure(client);
      const attribute = textAttributeOf(structure);
      const text = `${visit.mark} on a device in ${mode}`;
      const fields = await sampleAttributes(client, structure, text);
      const uuid = randomUUID();
      const query = { where: { [attribute]: text } };
      const pull = async (syncVersion: string) =>
        (await client.request<Page>({ method: "POST", path, body: { syncVersion, query } })).data;
      const { data: created } = await client.request<{ objectId: string; version: number }>({
        method: "PUT",
        path: `${path}/${uuid}`,
        body: { syncVersion: "0", className: visit.target.className, fields },
      });
      visit.keep(created.objectId, client);
      const first = await pull("0");
      expect(first.changed.map((each) => each["~UUID"])).toEqual([uuid]);
      await client.request({ method: "DELETE", path: `${path}/${uuid}`, body: { syncVersion: `${created.version}` } });
      const second = await pull(first.syncVersion);
      expect(second.deleted.map((each) => each.uuid)).toEqual([uuid]);
      // A deletion that a device is told has no user.
      expect(second.deleted.map((each) => Object.keys(each).toSorted())).toEqual([["uuid", "version"]]);
      for (const page of [first, second]) expect(JSON.stringify(page).includes("~DeletedBy")).toBe(false);
      await visit.remove(created.objectId);
    }),
    check("finds no unknown schema", async (visit) => {
      const client = await visit.client(mode);
      const body = { syncVersion: "0" };
      // 717: synchronization of the database is disabled.
      await expectRefusal(client.request({ method: "POST", path: `/v1/sync/${randomUUID()}`, body }), 307, 333, 717);
    }),
  ];
};
