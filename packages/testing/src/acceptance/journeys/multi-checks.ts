import { expect } from "../../matchers/expect.ts";
import { sampleAttributes, textAttributeOf } from "../target/sample-attributes.ts";
import { expectRefusal, inSection, type Journey } from "./journey.ts";

/** Many requests as one. */
export const multiChecks: Journey = (mode) => {
  const check = inSection("multi requests", mode);
  return [
    check("returns every result at its position", async (visit) => {
      const client = await visit.client(mode);
      const results = await client.multi([
        { path: "/_CheckService" },
        { path: "/v1/object/ZZZZZZZ" },
        { path: `/v1/objects/${visit.target.className}`, query: { perPage: 1 } },
      ]);
      expect(results.map((each) => (each.ok ? 0 : each.code))).toEqual([0, 304, 0]);
    }),
    check("undoes a transaction that fails", async (visit) => {
      const client = await visit.client(mode);
      const structure = await visit.structure(client);
      const text = `${visit.mark} undone in ${mode}`;
      const data = await sampleAttributes(client, structure, text);
      const { className } = visit.target;
      const items = [
        { method: "POST", path: `/v1/object/${className}`, data },
        { path: "/v1/object/ZZZZZZZ" },
      ] as const;
      await expectRefusal(client.multi(items, { atomic: true }), 304, 404);
      const where = { [textAttributeOf(structure)]: text };
      expect(await client.countObjects(className, { query: { where } })).toBe(0);
    }),
  ];
};
