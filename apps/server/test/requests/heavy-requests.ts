import { call } from "../client.ts";
import type { Subject } from "../subject.ts";

export interface HeavyRequest {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly body?: object;
}

/** The items of a multi request. */
const creations = (city: string) =>
  Array.from({ length: 25 }, (_, place) => ({
    method: "POST",
    path: "/v1/object/Customer",
    data: { Name: `${"heavy ".repeat(100)}${place}`, City: city },
  }));

/** No index and no statistics help to find these customers. */
const nobody = { where: { Name: { $contains: "nobody is named like this" } }, sort: ["City", "Name"] };

const customersPath = (query: object) => `/v1/objects/Customer?query=${encodeURIComponent(JSON.stringify(query))}`;

/** Kinds of requests that keep a database busy: each counts, creates or synchronizes customers. */
export const heavyRequests = {
  lists: () => ({ method: "GET", path: customersPath(nobody) }),
  exports: () => ({ method: "GET", path: "/v1/objects/Customer?perPage=1000" }),
  synchronizations: () => ({ method: "POST", path: "/v1/sync/sales", body: { syncVersion: "0" } }),
  writes: (index) => ({ method: "POST", path: "/v1/multi?atomic=true", body: creations(`Written ${index}`) }),
  "multi requests": () => ({
    method: "POST",
    path: "/v1/multi",
    body: Array.from({ length: 5 }, () => ({ method: "GET", path: customersPath(nobody) })),
  }),
  macros: () => ({
    method: "POST",
    path: "/v1/execute/CountObjects",
    body: { classes: Array.from({ length: 5 }, () => "Customer"), where: nobody.where },
  }),
} satisfies Readonly<Record<string, (index: number) => HeavyRequest>>;

export const logInRequest: HeavyRequest = {
  method: "POST",
  path: "/v1/login",
  body: { user: "demo", pass: "demo", appNames: "demo-app" },
};

/** Creates customers, 25 at a time, which most of the requests read. */
export async function createCustomers(subject: Subject, sessionId: string, times = 40): Promise<void> {
  for (let index = 0; index < times; index += 1) {
    const body = creations(`Heavy ${index}`);
    const { code } = await call(subject, "/v1/multi?atomic=true", { method: "POST", sessionId, body });
    if (code !== "0") throw new Error(`Creating the customers answered ${code}.`);
  }
}
