import type { LogInMode } from "@sallyport/client";
import { type ClassDefinition, type Repositories, seesAll } from "@sallyport/storage";
import {
  administrationOf,
  type ConflictPolicy,
  type Database,
  MacroStore,
  putSyncSchema,
  type SyncDirection,
} from "@sallyport/core";
import type { RunningServer } from "../../src/index.ts";
import { type Answer, callIn, type Sent } from "../client.ts";
import { openSession } from "../open-session.ts";

export type Session = Awaited<ReturnType<typeof openSession>>;

const everything = ["read", "create", "write", "delete"] as const;

/** A change of a push, as it is sent. */
export interface SentChange {
  readonly id: string;
  readonly op: string;
  readonly uuid: string;
  readonly syncVersion?: unknown;
  readonly className?: string;
  readonly fields?: object;
  readonly base?: object;
}

const policies: Readonly<Record<string, ConflictPolicy>> = {
  client: "client",
  server: "server",
  reject: "reject",
  macro: { macro: "MergeTasks" },
};

/** Settings of the server. */
export const syncPushEnvironment = { DEBUG_MESSAGES: "true" };

/** A class with schemas of all policies, and sessions of two devices of one user, in one mode. */
export function syncPushFixture(server: () => RunningServer, mode: LogInMode) {
  const task = `Task_${mode}`;
  const locked = `Locked_${mode}`;
  const sessions = {} as Record<"one" | "two" | "other" | "admin", Session>;

  const database = (): Database => {
    const found = server().databases.get("");
    if (!found) throw new Error("The demo has no database.");
    return found;
  };
  const repositories = (): Repositories => database().storage.repositories;
  const schemaOf = (name: string) => `${name}_${mode}`;

  beforeAll(async () => {
    const { model } = repositories();
    const classes: ClassDefinition[] = [
      {
        name: task,
        base: null,
        attributes: [
          { name: "Title", type: "string", mandatory: true },
          { name: "Count", type: "number" },
          { name: "Due", type: "date" },
          { name: "More", type: "json" },
          { name: "Next", type: "reference", target: task },
          { name: "Parts", type: "collection", target: task },
          { name: "Hidden", type: "string", read: [] },
          { name: "Unused", type: "string" },
        ],
        rights: [{ group: "*", permissions: everything }],
      },
      {
        name: locked,
        base: null,
        attributes: [{ name: "Title", type: "string" }],
        rights: [{ group: "*", permissions: ["read"] }],
      },
    ];
    while ((await model.change({ put: classes }, (await model.load()).generation)) === "stale");
    const fields = ["Title", "Count", "Due", "More", "Next", "Parts", "Hidden"];
    const covered = [{ className: task, fields }, { className: locked }];
    const put = (name: string, more: { conflicts?: ConflictPolicy; direction?: SyncDirection; where?: object }) =>
      putSyncSchema(administrationOf(database()), { name: schemaOf(name), classes: covered, ...more } as never);
    for (const [name, conflicts] of Object.entries(policies)) await put(name, { conflicts });
    await put("pulled", { direction: "pull" });
    await put("up", { direction: "push" });
    await put("filtered", { where: { Title: { $like: "in%" } } });
    await new MacroStore(repositories()).put(
      {
        name: "MergeTasks",
        text: `import { defineMacro, refuse } from "@sallyport/macros";
          export default defineMacro({ access: "everyone", check: ({ input }) => input.mine.Title !== "denied", run({ input }) {
            const { base, mine, theirs } = input;
            if (mine.Title === "refused") refuse(307, "No.");
            if (mine.Title === "wrong") return { Other: 1 };
            if (mine.Title === "theirs") return {};
            return { Count: mine.Count + theirs.Count - base.Count };
          } });`,
        language: "js",
        changedBy: "test",
      },
      null,
    );
    sessions.one = await openSession(server(), mode, "demo", { device: { deviceId: `one-${mode}` } as never });
    sessions.two = await openSession(server(), mode, "demo", { device: { deviceId: `two-${mode}` } as never });
    sessions.other = await openSession(server(), mode, "reader");
    sessions.admin = await openSession(server(), mode, "admin");
  }, 60_000);

  /** Stores a schema of these classes. */
  const putSchema = (name: string, covered: readonly object[]) =>
    putSyncSchema(administrationOf(database()), { name: schemaOf(name), classes: covered } as never);
  /** Replaces the rights of a class. Returns the former definition. */
  const withRights = async (name: string, rights: ClassDefinition["rights"]): Promise<ClassDefinition> => {
    const { model } = repositories();
    const { classes, generation } = await model.load();
    const former = classes.find((each) => each.name === name);
    if (former === undefined) throw new Error(`There is no class ${name}.`);
    if ((await model.change({ put: [{ ...former, rights }] }, generation)) === "stale") return withRights(name, rights);
    return former;
  };
  const send = (session: Session, path: string, method: Sent["method"] = "GET", body?: object): Promise<Answer> =>
    callIn(server(), session, path, { method, ...(body === undefined ? {} : { body }) } as Sent);
  const path = (name: string, uuid: string) => `/v1/sync/${schemaOf(name)}/${uuid}`;
  const put = (uuid: string, body: object, { schema = "client", as = sessions.one } = {}) =>
    send(as, path(schema, uuid), "PUT", body);
  const remove = (uuid: string, body: object = { syncVersion: "1" }, { schema = "client", as = sessions.one } = {}) =>
    send(as, path(schema, uuid), "DELETE", body);
  const push = (
    ops: readonly SentChange[],
    { schema = "client", as = sessions.one, ...more }: { schema?: string; as?: Session; [name: string]: unknown } = {},
  ) => send(as, `/v1/sync/${schemaOf(schema)}/push`, "POST", { syncVersion: "0", ops, ...more });
  /** The results of a push that succeeded as a whole. */
  const pushed = async (...args: Parameters<typeof push>): Promise<ReturnType<typeof JSON.parse>[]> => {
    const { status, code, body } = await push(...args);
    expect({ status, code, debug: body.status.debugMessage }).toEqual({ status: 200, code: "0", debug: undefined });
    return body.data.results;
  };
  const create = async (fields: object, more?: Parameters<typeof put>[2]): Promise<string> => {
    const uuid = crypto.randomUUID();
    const { code } = await put(uuid, { syncVersion: "0", className: task, fields }, more);
    expect(code).toBe("0");
    return uuid;
  };
  const stored = async (uuid: string) => (await repositories().objects.get({ uuids: [uuid] }, seesAll))[0];
  /** A change by another user, outside synchronization. */
  const change = async (uuid: string, attributes: object) => {
    const answer = await send(sessions.admin, `/v1/object/${uuid}`, "PATCH", attributes);
    expect(answer.code).toBe("0");
  };
  /** Hides an object from all but administrators. */
  const hide = async (uuid: string) => {
    const { account } = await repositories().accounts.find({ realm: "database", loginName: "admin" }, []);
    const answer = await send(sessions.admin, `/v1/object/${uuid}/readers`, "PUT", { readers: [account?.userId] });
    expect(answer.code).toBe("0");
  };
  const sentPut = (fields: object, more: Partial<SentChange> = {}): SentChange => ({
    id: crypto.randomUUID(),
    op: "put",
    uuid: crypto.randomUUID(),
    syncVersion: "0",
    className: task,
    fields,
    ...more,
  });
  const deletion = (uuid: string, more: Partial<SentChange> = {}): SentChange => ({
    id: crypto.randomUUID(),
    op: "delete",
    uuid,
    syncVersion: "1",
    ...more,
  });

  return {
    server,
    mode,
    task,
    locked,
    sessions,
    database,
    repositories,
    schemaOf,
    putSchema,
    withRights,
    send,
    path,
    put,
    remove,
    push,
    pushed,
    create,
    stored,
    change,
    hide,
    sentPut,
    deletion,
  };
}

export type SyncPushFixture = ReturnType<typeof syncPushFixture>;
