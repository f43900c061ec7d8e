import type { ClientSession, LogInMode } from "@sallyport/client";
import { seesAll } from "@sallyport/storage";
import type { RunningServer } from "../../src/index.ts";
import { type Answer, callIn, multiResults, type Sent } from "../client.ts";
import { sessionsOf } from "../open-session.ts";
import { repositoriesOf } from "../repositories-of.ts";

export interface Item {
  readonly method: string;
  readonly path: string;
  readonly data?: unknown;
}

/** Two of these fit into an answer, three do not. */
export const large = "x".repeat(900_000);

export const query = (where: object): string => `query=${encodeURIComponent(JSON.stringify({ where }))}`;
export const get = (path: string): Item => ({ method: "GET", path });
export const create = (data: object): Item => ({ method: "POST", path: "/v1/object/Customer", data });
export const patch = (id: string, data: object): Item => ({ method: "PATCH", path: `/v1/object/${id}`, data });
export const patchAll = (where: object, data: object): Item => ({
  method: "PATCH",
  path: `/v1/objects/Customer?${query(where)}`,
  data,
});
export const list = (where: object): Item => get(`/v1/objects/Customer?${query(where)}`);
export const remove = (id: string): Item => ({ method: "DELETE", path: `/v1/object/${id}` });

/** The sessions of one mode, with helpers to send many requests in one. */
export function multiFixture(server: () => RunningServer, mode: LogInMode) {
  const sessions = sessionsOf(server, mode, "demo", "admin");
  const objects = () => repositoriesOf(server()).objects;
  const post = (
    session: ClientSession,
    path: string,
    items: readonly Item[],
    headers: Sent["headers"] = {},
  ): Promise<Answer> => callIn(server(), session, path, { method: "POST", body: items, headers });

  const separately = (items: readonly Item[], as = sessions.demo, headers?: Sent["headers"]) =>
    post(as, "/v1/multi", items, headers);
  const sendMulti = (items: readonly Item[], as = sessions.demo, headers?: Sent["headers"]) =>
    post(as, "/v1/multi?atomic=true", items, headers);
  const resultsOf = ({ status, code, body }: Answer) => {
    expect({ status, code }).toEqual({ status: 200, code: "0" });
    return multiResults(body.data);
  };
  const city = () => `Multi ${mode} ${crypto.randomUUID()}`;
  const inside = async (City: string): Promise<number> =>
    (await callIn(server(), sessions.demo, `/v1/objects/Customer?${query({ City })}`)).body.data["~Count"];
  const all = async (): Promise<number> =>
    (await callIn(server(), sessions.demo, "/v1/objects/Customer?perPage=1")).body.data["~UnfilteredCount"];
  const made = async (attributes: object): Promise<string> =>
    resultsOf(await separately([create(attributes)]))[0]?.result["~ObjectID"];
  const found = async (id: string) => (await objects().get([id], seesAll))[0];

  return {
    server,
    mode,
    sessions,
    objects,
    post,
    separately,
    sendMulti,
    resultsOf,
    city,
    inside,
    all,
    made,
    found,
  };
}

export type MultiFixture = ReturnType<typeof multiFixture>;
