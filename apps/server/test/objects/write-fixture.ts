import type { ClientSession, LogInMode } from "@sallyport/client";
import { seesAll } from "@sallyport/storage";
import type { RunningServer } from "../../src/index.ts";
import { type Answer, createObject, senderOf, type Sent } from "../client.ts";
import { openSession, type OpeningOptions, sessionsOf } from "../open-session.ts";
import { repositoriesOf } from "../repositories-of.ts";

/** The sessions of one mode, with helpers to write. */
export function writeFixture(server: () => RunningServer, mode: LogInMode) {
  const sessions = sessionsOf(server, mode, "demo", "admin");
  const repositories = () => repositoriesOf(server());
  const send = senderOf(server);
  const seen = ({ status, code, body, headers }: Answer) => ({ status, code, etag: headers["etag"], data: body.data });

  const logIn = (user: string, more?: OpeningOptions) => openSession(server(), mode, user, more);

  const create = (className: string, attributes: object, as = sessions.demo) =>
    createObject(server(), as, className, attributes);
  const patch = (id: string, attributes: object, headers?: Sent["headers"], as = sessions.demo) =>
    send(as, `/v1/object/${id}`, "PATCH", attributes, headers);
  const lock = (id: string, method: Sent["method"], as: ClientSession) => send(as, `/v1/lock/object/${id}`, method);
  const found = async (id: string) => (await repositories().objects.get([id], seesAll))[0];

  return { server, mode, sessions, repositories, send, seen, logIn, create, patch, lock, found };
}

export type WriteFixture = ReturnType<typeof writeFixture>;
