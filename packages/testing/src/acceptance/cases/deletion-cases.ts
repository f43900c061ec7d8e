import { expect } from "../../matchers/expect.ts";
import type { Case } from "./case.ts";

const refuse = (title: string, path: Case["path"], method: string, code: number, more: Partial<Case> = {}): Case => ({
  title,
  as: "demo",
  path,
  method,
  expect: { code, lacks: ["tombstones", "SQL", "plpgsql", "~DeletedBy"] },
  ...more,
});

const customer = ({ customerId }: { customerId: string }) => `/v1/object/${customerId}`;

/** Refused deletions and restores, and lists of the recycle bin. `object-checks.ts` deletes and restores objects. */
export const deletionCases: readonly Case[] = [
  ...["yes", "TRUE", "1", "", " true"].map((value) =>
    refuse(
      `refuses a deletion with moveToRecycler=${value}`,
      (known) => `${customer(known)}?moveToRecycler=${encodeURIComponent(value)}`,
      "DELETE",
      307,
    ),
  ),
  refuse(
    "refuses a deletion with two values of moveToRecycler",
    (known) => `${customer(known)}?moveToRecycler=true&moveToRecycler=false`,
    "DELETE",
    307,
  ),
  refuse("refuses a deletion without the right", customer, "DELETE", 404, { as: "reader" }),
  refuse("refuses a restore without the right", (known) => `${customer(known)}/restore`, "POST", 404, {
    as: "reader",
  }),
  refuse("checks the right to delete before the version", customer, "DELETE", 404, {
    as: "reader",
    headers: { "if-match": '"77"' },
  }),
  ...['"77"', 'W/"1"', "1", "", '"x"', '"1'].map((tag) =>
    refuse(`refuses a deletion if the version does not match ${tag}`, customer, "DELETE", 713, {
      headers: { "if-match": tag },
    }),
  ),
  ...["ZZZZZZZ", "1", "0", "Customer", "Nothing", "__proto__", "11111111-1111-4111-8111-111111111111"].flatMap((id) => [
    refuse(`refuses to delete the unknown object ${id}`, `/v1/object/${id}`, "DELETE", 304),
    refuse(`refuses to recycle the unknown object ${id}`, `/v1/object/${id}?moveToRecycler=true`, "DELETE", 304),
    refuse(`refuses to restore the unknown object ${id}`, `/v1/object/${id}/restore`, "POST", 304),
  ]),
  {
    title: "refuses to delete a whole class",
    as: "demo",
    path: "/v1/objects/Customer",
    method: "DELETE",
    expect: { code: 305, beforeSession: true },
  },
  {
    title: "lists the recycle bin of all users",
    as: "admin",
    path: "/v1/recycler?perPage=1000",
    expect: {
      code: 0,
      data: (data) => expect(Array.isArray(data["~Elements"])).toBe(true),
    },
  },
  {
    title: "lists an empty recycle bin to a user who has deleted nothing",
    as: "reader",
    path: "/v1/recycler?perPage=1000",
    expect: { code: 0, data: (data) => expect(data).toEqual({ "~Elements": [] }), lacks: ["~DeletedBy"] },
  },
  refuse("refuses to restore a live object", (known) => `${customer(known)}/restore`, "POST", 307),
  refuse(
    "refuses a restore with an invalid serialization",
    (known) => `${customer(known)}/restore?serialization=${encodeURIComponent('{"depth":9}')}`,
    "POST",
    307,
  ),
  {
    title: "restores by POST only",
    as: "demo",
    path: (known) => `${customer(known)}/restore`,
    expect: { code: 305, beforeSession: true },
  },
  ...(
    [
      ["DELETE", "/v1/object/1"],
      ["POST", "/v1/object/1/restore"],
    ] as const
  ).map(
    ([method, path]): Case => ({
      title: `requires a session for ${method} ${path}`,
      method,
      path,
      expect: { code: 200 },
    }),
  ),
];
