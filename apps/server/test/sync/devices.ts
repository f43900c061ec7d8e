import { type Fetch, type LogInOptions, SallyportClient } from "@sallyport/client";
import { memoryStorage, sync, type SyncOptions, type SyncReport, SyncStore } from "@sallyport/client/sync";
import type { ClassDefinition } from "@sallyport/storage";
import { administrationOf, type ConflictPolicy, putSyncSchema } from "@sallyport/core";
import type { RunningServer } from "../../src/index.ts";
import { databaseOf, repositoriesOf } from "../repositories-of.ts";

export interface Reference {
  readonly "~UUID": string;
}

export interface Visit {
  readonly Title: string;
  readonly Count?: number | null;
  readonly Next?: Reference | null;
  readonly Main?: Reference | null;
  readonly Others?: readonly Reference[];
}

/** Part of a visit. */
export interface Line {
  readonly Of: Reference;
}

const everything = ["read", "create", "write", "delete"] as const;
export const visitClass: ClassDefinition = {
  name: "Visit",
  base: null,
  attributes: [
    { name: "Title", type: "string", mandatory: true },
    { name: "Count", type: "number" },
    { name: "Next", type: "reference", target: "Visit" },
    { name: "Main", type: "reference", target: "Line" },
    { name: "Others", type: "collection", target: "Visit" },
  ],
  rights: [{ group: "*", permissions: everything }],
};
const lineClass: ClassDefinition = {
  name: "Line",
  base: null,
  attributes: [{ name: "Of", type: "reference", target: "Visit", mandatory: true }],
  rights: [{ group: "*", permissions: everything }],
};
const sealedClass: ClassDefinition = {
  name: "Sealed",
  base: null,
  attributes: [{ name: "Title", type: "string" }],
  rights: [{ group: "*", permissions: ["read"] }],
};
const policies: readonly ConflictPolicy[] = ["client", "server", "reject"];

export const deviceEnvironment = { USER_MAX_SESSIONS: "500", THROTTLE_IP_MAX_FAILURES: "1000" };

export const to = (uuid: string): Reference => ({ "~UUID": uuid });

interface DeviceOptions {
  readonly user?: string;
  readonly alias?: string;
  readonly schema?: string;
  readonly baseUrl?: string;
}

/** A device with a log-in of its own. `send` replaces `fetch` after the log-in. */
async function openDevice(
  server: RunningServer,
  { user = "demo", alias = "", schema = "client", baseUrl = server.url }: DeviceOptions,
) {
  const network: { send: Fetch } = { send: fetch };
  const client = new SallyportClient({
    baseUrl,
    alias,
    appKey: "demo-app-key",
    fetch: (...request) => network.send(...request),
  });
  const logIn = { mode: "session", user, password: user, appNames: ["demo-app"] } as const;
  await client.logIn(logIn as LogInOptions);
  const store = new SyncStore(memoryStorage());
  return {
    client,
    store,
    network,
    /** Synchronizes, and confirms the notices. */
    sync: async (more: Partial<SyncOptions> = {}): Promise<SyncReport> => {
      const report = await sync({ client, schema, store, retries: 0, ...more });
      await report.confirm();
      return report;
    },
    create: (fields: Visit, className = "Visit", uuid?: string) => store.create(schema, className, fields, uuid),
    update: (uuid: string, fields: Partial<Visit>) => store.update(schema, uuid, fields),
    remove: (uuid: string) => store.remove(schema, uuid),
    get: (uuid: string) => store.get<Visit>(schema, uuid),
    pending: () => store.pending(schema),
    titles: async () => {
      const found: string[] = [];
      for await (const { Title } of store.objects<Visit>(schema)) found.push(Title);
      return found.toSorted();
    },
  };
}

export type Device = Awaited<ReturnType<typeof openDevice>>;

/** Makes devices of a server, whose classes and schemas it defines before the tests. */
export function devicesOf(server: () => RunningServer) {
  const define = async (alias: string, ...put: ClassDefinition[]) => {
    const { model } = repositoriesOf(server(), alias);
    while ((await model.change({ put }, (await model.load()).generation)) === "stale");
  };
  const putSchema = (alias: string, name: string, more: object = {}) =>
    putSyncSchema(administrationOf(databaseOf(server(), alias)), {
      name,
      classes: [{ className: "Visit" }, { className: "Line" }, { className: "Sealed" }],
      ...more,
    } as never);

  beforeAll(async () => {
    for (const alias of ["", "second"]) {
      await define(alias, visitClass, lineClass, sealedClass);
      for (const conflicts of policies) await putSchema(alias, String(conflicts), { conflicts });
    }
  });

  const device = (options: DeviceOptions = {}) => openDevice(server(), options);

  /** Two devices that hold an object. */
  async function pair(schema = "client"): Promise<{ one: Device; two: Device; uuid: string }> {
    const [one, two] = [await device({ schema }), await device({ schema })];
    const uuid = await one.create({ Title: "first", Count: 1 });
    await one.sync();
    await two.sync();
    return { one, two, uuid };
  }

  const onServer = async ({ client }: Device, uuid: string) =>
    client.getObject<Visit>(uuid, { serialization: { depth: 0 } }).catch(({ code }: { code: number }) => code);

  return { device, pair, onServer, putSchema, define };
}
