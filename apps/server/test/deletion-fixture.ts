import type { LogInMode } from "@sallyport/client";
import { type ClassDefinition, type Repositories, seesAll } from "@sallyport/core";
import type { RunningServer } from "../src/index.ts";
import { type Answer, callIn, type Sent } from "./client.ts";
import { openSession } from "./open-session.ts";

type Session = Awaited<ReturnType<typeof openSession>>;

export const everything = ["read", "create", "write", "delete"] as const;

/** The sessions of one mode, with helpers to delete and restore. */
export function deletionFixture(server: () => RunningServer, mode: LogInMode) {
  const sessions = {} as Record<"demo" | "admin" | "reader", Session>;
  beforeAll(async () => {
    [sessions.demo, sessions.admin, sessions.reader] = [
      await openSession(server(), mode, "demo"),
      await openSession(server(), mode, "admin"),
      await openSession(server(), mode, "reader"),
    ];
  });

  const repositories = (): Repositories => {
    const found = server().databases.get("");
    if (!found) throw new Error("The demo has no database.");
    return found.storage.repositories;
  };
  const send = (
    session: Session,
    path: string,
    method: Sent["method"] = "GET",
    body?: object,
    headers: Sent["headers"] = {},
  ): Promise<Answer> =>
    callIn(server(), session, path, { method, headers, ...(body === undefined ? {} : { body }) } as Sent);

  const create = async (className: string, attributes: object, as = sessions.demo): Promise<string> => {
    const answer = await send(as, `/v1/object/${className}`, "POST", attributes);
    if (answer.code !== "0") throw new Error(`Creating a ${className} answers ${answer.code}.`);
    return answer.body.data["~ObjectID"];
  };
  const path = (id: string) => `/v1/object/${id}`;
  const remove = (
    id: string,
    { query = "", headers = {}, as = sessions.demo }: { query?: string; headers?: Sent["headers"]; as?: Session } = {},
  ) => send(as, `${path(id)}${query}`, "DELETE", undefined, headers);
  const recycle = (id: string, as = sessions.demo) => remove(id, { query: "?moveToRecycler=true", as });
  const restore = (id: string, as = sessions.demo) => send(as, `${path(id)}/restore`, "POST");
  const read = (id: string, as = sessions.demo) => send(as, path(id));
  const emptied = async (as: Session) => {
    while ((await send(as, "/v1/recycler", "DELETE")).body.data["~Count"] > 0);
  };
  const uuidOf = async (id: string) => (await repositories().objects.get([id], seesAll))[0]?.uuid as string;
  const define = async (...put: ClassDefinition[]) => {
    const { model } = repositories();
    await model.change({ put }, (await model.load()).generation);
  };

  return {
    server,
    mode,
    sessions,
    repositories,
    send,
    create,
    path,
    remove,
    recycle,
    restore,
    read,
    emptied,
    uuidOf,
    define,
  };
}

export type DeletionFixture = ReturnType<typeof deletionFixture>;
