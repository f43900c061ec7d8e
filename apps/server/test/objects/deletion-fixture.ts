import type { ClientSession, LogInMode } from "@sallyport/client";
import { type ClassDefinition, seesAll } from "@sallyport/storage";
import type { RunningServer } from "../../src/index.ts";
import { createObject, type Sent, senderOf } from "../client.ts";
import { sessionsOf } from "../open-session.ts";
import { repositoriesOf } from "../repositories-of.ts";

export const everything = ["read", "create", "write", "delete"] as const;

/** The sessions of one mode, with helpers to delete and restore. */
export function deletionFixture(server: () => RunningServer, mode: LogInMode) {
  const sessions = sessionsOf(server, mode, "demo", "admin", "reader");
  const repositories = () => repositoriesOf(server());
  const send = senderOf(server);

  const create = (className: string, attributes: object, as = sessions.demo) =>
    createObject(server(), as, className, attributes);
  const path = (id: string) => `/v1/object/${id}`;
  const remove = (
    id: string,
    {
      query = "",
      headers = {},
      as = sessions.demo,
    }: { query?: string; headers?: Sent["headers"]; as?: ClientSession } = {},
  ) => send(as, `${path(id)}${query}`, "DELETE", undefined, headers);
  const recycle = (id: string, as = sessions.demo) => remove(id, { query: "?moveToRecycler=true", as });
  const restore = (id: string, as = sessions.demo) => send(as, `${path(id)}/restore`, "POST");
  const read = (id: string, as = sessions.demo) => send(as, path(id));
  const emptied = async (as: ClientSession) => {
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
