import type { LogInMode } from "@sallyport/client";
import { type Repositories, seesAll } from "@sallyport/core";
import type { RunningServer } from "../src/index.ts";
import { type Answer, callIn, type Sent } from "./client.ts";
import { openSession, type OpeningOptions } from "./open-session.ts";

type Session = Awaited<ReturnType<typeof openSession>>;

/** The sessions of one mode, with helpers to write. */
export function writeFixture(server: () => RunningServer, mode: LogInMode) {
  const sessions = {} as Record<"demo" | "admin", Session>;
  beforeAll(async () => {
    sessions.demo = await logIn("demo");
    sessions.admin = await logIn("admin");
  });

  const repositories = (): Repositories => {
    const found = server().databases.get("");
    if (!found) throw new Error("The demo has no database.");
    return found.storage.repositories;
  };
  const send = (
    session: Session,
    path: string,
    method: Sent["method"],
    body?: object,
    headers: Sent["headers"] = {},
  ): Promise<Answer> =>
    callIn(server(), session, path, { method, headers, ...(body === undefined ? {} : { body }) } as Sent);
  const seen = ({ status, code, body, headers }: Answer) => ({ status, code, etag: headers["etag"], data: body.data });

  const logIn = (user: string, more?: OpeningOptions) => openSession(server(), mode, user, more);

  const create = async (className: string, attributes: object, as = sessions.demo): Promise<string> => {
    const answer = await send(as, `/v1/object/${className}`, "POST", attributes);
    if (answer.code !== "0") throw new Error(`Creating a ${className} answers ${answer.code}.`);
    return answer.body.data["~ObjectID"];
  };
  const patch = (id: string, attributes: object, headers?: Sent["headers"], as = sessions.demo) =>
    send(as, `/v1/object/${id}`, "PATCH", attributes, headers);
  const lock = (id: string, method: Sent["method"], as: Session) => send(as, `/v1/lock/object/${id}`, method);
  const found = async (id: string) => (await repositories().objects.get([id], seesAll))[0];

  return { server, mode, sessions, repositories, send, seen, logIn, create, patch, lock, found };
}

export type WriteFixture = ReturnType<typeof writeFixture>;
