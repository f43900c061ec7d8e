import type { Case } from "./case.ts";

const refuse = (title: string, path: Case["path"], method: string, code: number, more: Partial<Case> = {}): Case => ({
  title,
  as: "demo",
  path,
  method,
  expect: { code, lacks: ["tombstones", "SQL", "plpgsql"] },
  ...more,
});

const customer = ({ customerId }: { customerId: string }) => `/v1/object/${customerId}`;

/** Deleting and restoring, as far as nothing goes: what goes stands in the suite of tombstones. */
export const deletionCases: readonly Case[] = [
  ...["yes", "TRUE", "1", "", " true"].map((value) =>
    refuse(
      `does not delete with moveToRecycler=${value}`,
      (known) => `${customer(known)}?moveToRecycler=${encodeURIComponent(value)}`,
      "DELETE",
      307,
    ),
  ),
  refuse(
    "does not delete when moveToRecycler stands twice",
    (known) => `${customer(known)}?moveToRecycler=true&moveToRecycler=false`,
    "DELETE",
    307,
  ),
  refuse("lets nobody delete who may only read", customer, "DELETE", 404, { as: "reader" }),
  refuse("lets nobody restore who may only read", (known) => `${customer(known)}/restore`, "POST", 404, {
    as: "reader",
  }),
  refuse("asks who deletes before it looks at the version", customer, "DELETE", 404, {
    as: "reader",
    headers: { "if-match": '"77"' },
  }),
  ...['"77"', 'W/"1"', "1", "", '"x"', '"1'].map((tag) =>
    refuse(`deletes no customer if it matches ${tag}`, customer, "DELETE", 713, { headers: { "if-match": tag } }),
  ),
  ...["ZZZZZZZ", "1", "0", "Customer", "Nothing", "__proto__", "11111111-1111-4111-8111-111111111111"].flatMap((id) => [
    refuse(`deletes nothing that is called ${id}`, `/v1/object/${id}`, "DELETE", 304),
    refuse(`recycles nothing that is called ${id}`, `/v1/object/${id}?moveToRecycler=true`, "DELETE", 304),
    refuse(`restores nothing that is called ${id}`, `/v1/object/${id}/restore`, "POST", 304),
  ]),
  {
    title: "deletes no whole class",
    as: "demo",
    path: "/v1/objects/Customer",
    method: "DELETE",
    expect: { code: 305, beforeSession: true },
  },
  refuse("restores nothing that is there", (known) => `${customer(known)}/restore`, "POST", 307),
  refuse(
    "restores nothing when the answer cannot be written",
    (known) => `${customer(known)}/restore?serialization=${encodeURIComponent('{"depth":9}')}`,
    "POST",
    307,
  ),
  {
    title: "restores by POST alone",
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
    ([method, path]): Case => ({ title: `needs a session to ${method} ${path}`, method, path, expect: { code: 200 } }),
  ),
];
