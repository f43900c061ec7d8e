import { createHash } from "node:crypto";
import { memoryStorage, type Notices, sync, type SyncOptions, type SyncStorage } from "@sallyport/client/sync";
import type { PushedChangeData } from "@sallyport/contract";
import type {
  DeviceParts,
  Edit,
  Fields,
  Scenario,
  SimulationOptions,
  Step,
  ViolationKind,
} from "@sallyport/testing/devices";
import type { ServerFault } from "./reference-database.ts";
import { ReferenceServer } from "./reference-server.ts";
import { referenceWorld } from "./reference-world.ts";

export interface BrokenPart {
  readonly fault: string;
  /** A simulation reports one of these. */
  readonly reported: readonly ViolationKind[];
  readonly create: () => Pick<SimulationOptions, "world" | "parts">;
  /** A seed that fails; default: one of the first. Or a scenario, where thousands of seeds pass. */
  readonly found?: number | Scenario;
}

interface Received {
  readonly [name: string]: unknown;
  readonly "~UUID": string;
  readonly "~Version": number;
}

interface Answer {
  changed: Received[];
  deleted: { readonly uuid: string; readonly version: number }[];
  excluded: string[];
  hasMore: boolean;
  cursor?: string;
  syncVersion?: string;
  checksum: string;
  results?: object[] | undefined;
}

/** A server whose answers are changed on their way, with a valid checksum. */
function tampering(
  fault: string,
  reported: readonly ViolationKind[],
  makeChange: () => (answer: Answer) => void,
  found: BrokenPart["found"] = 1,
): BrokenPart {
  const create = () => {
    const change = makeChange();
    const world = referenceWorld(new ReferenceServer(), (send) => async (input, init) => {
      const response = await send(input, init);
      if (!new URL(String(input)).pathname.startsWith("/v1/sync/") || !response.ok) return response;
      const body = (await response.json()) as { readonly data: Answer };
      change(body.data);
      const { changed, deleted, excluded } = body.data;
      const lines = [
        ...changed.map((object) => `c ${object["~UUID"]} ${object["~Version"]}\n`),
        ...deleted.map(({ uuid, version }) => `d ${uuid} ${version}\n`),
        ...excluded.map((uuid) => `x ${uuid}\n`),
      ];
      body.data.checksum = createHash("sha256").update(lines.join("")).digest("hex");
      return new Response(JSON.stringify(body), { status: response.status, headers: response.headers });
    });
    return { world };
  };
  return { fault, reported, create, found };
}

function server(fault: ServerFault, reported: readonly ViolationKind[], found: BrokenPart["found"] = 1): BrokenPart {
  return {
    fault: `a server ${fault}`,
    reported,
    found,
    create: () => ({ world: referenceWorld(new ReferenceServer(fault)) }),
  };
}

function device(
  fault: string,
  reported: readonly ViolationKind[],
  parts: Partial<DeviceParts>,
  found: BrokenPart["found"] = 1,
): BrokenPart {
  return { fault: `a device ${fault}`, reported, found, create: () => ({ world: referenceWorld(), parts }) };
}

type Write = SyncStorage["write"];

/** A storage in memory that writes in another way. */
function writing(writeOf: (storage: SyncStorage) => Write): () => SyncStorage {
  return () => {
    const storage = memoryStorage();
    return {
      read: (keys) => storage.read(keys),
      list: (range) => storage.list(range),
      write: writeOf(storage),
      close: () => storage.close(),
    };
  };
}

/** The client, which gives other notices to the application. */
function reporting(change: (notices: Notices) => Partial<Notices>): DeviceParts["synchronize"] {
  return (options) =>
    sync({ ...options, onNotices: (notices) => options.onNotices?.({ ...notices, ...change(notices) }) });
}

const repeated = new Set<string>();

/** Sends a change with another value if it has sent it before. */
function changingRepetitions(client: SyncOptions["client"]): SyncOptions["client"] {
  return {
    request: (options) => {
      const { ops = [], ...body } = options.body as { readonly ops?: readonly PushedChangeData[] };
      const changed = ops.map((each) => (repeated.has(each.id) ? { ...each, fields: {} } : each));
      for (const { id } of ops) repeated.add(id);
      return client.request({ ...options, body: ops.length === 0 ? body : { ...body, ops: changed } });
    },
  };
}

const customer = (fields: Fields): Edit => ({ kind: "create", object: 0, className: "Customer", fields });
const renamed = (Name: string): Edit => ({ kind: "change", object: 0, fields: { Name } });

/** An object becomes visible, to which another one refers. */
const widenedReaders: Scenario = {
  devices: [1],
  steps: [
    { kind: "write", edit: customer({}) },
    { kind: "write", edit: { kind: "create", object: 1, className: "Invoice", fields: { Customer: "#0" } } },
    { kind: "readers", object: 0, readers: ["user 0"] },
    { kind: "sync", device: 0 },
    { kind: "readers", object: 0, readers: null },
  ],
};

/** An object vanishes, to which another one refers. */
const narrowedReaders: Scenario = {
  devices: [1],
  steps: [
    ...widenedReaders.steps.filter(({ kind }) => kind !== "readers"),
    { kind: "readers", object: 0, readers: ["user 0"] },
  ],
};

/** A write comes after the page that contained its object. */
const writtenBetweenPages: Scenario = {
  devices: [0],
  steps: [
    { kind: "schema", change: { pageSize: 1 } },
    { kind: "write", edit: customer({}) },
    { kind: "write", edit: { kind: "create", object: 1, className: "Invoice", fields: {} } },
    { kind: "sync", device: 0, during: [{ request: 0, step: { kind: "write", edit: renamed("later") } }] },
  ],
};

/** A restore loses an edit that the server has confirmed. */
const restored: Scenario = {
  devices: [0],
  steps: [
    { kind: "edit", device: 0, edit: customer({}) },
    { kind: "sync", device: 0 },
    { kind: "backUp" },
    { kind: "edit", device: 0, edit: renamed("mine") },
    { kind: "sync", device: 0 },
    { kind: "restore" },
  ],
};

/** The device has a change that a restore has lost. Another write then reaches the stamp of the device. */
const writtenAfterRestore: Scenario = {
  devices: [0],
  steps: [
    { kind: "write", edit: customer({}) },
    { kind: "backUp" },
    { kind: "write", edit: renamed("lost") },
    { kind: "sync", device: 0 },
    { kind: "restore" },
    { kind: "write", edit: { kind: "create", object: 1, className: "Customer", fields: {} } },
    { kind: "write", edit: { kind: "create", object: 2, className: "Customer", fields: {} } },
  ],
};

/** A device gets no answer to its creation. The object is deleted, and a pull from the beginning does not name it. */
const deletedBeforeAnswer: Scenario = {
  devices: [0],
  steps: [
    { kind: "edit", device: 0, edit: customer({}) },
    { kind: "sync", device: 0, faults: ["none", "unanswered"] },
    { kind: "write", edit: { kind: "remove", object: 0 } },
    { kind: "schema", change: { pageSize: 3 } },
  ],
};

/** A device gets no answer to an edit that the server refuses. Later, the server would accept it. */
const acceptedLater: Scenario = {
  devices: [0],
  steps: [
    { kind: "write", edit: customer({}) },
    { kind: "sync", device: 0 },
    { kind: "edit", device: 0, edit: { kind: "create", object: 1, className: "Invoice", fields: { Customer: "#0" } } },
    { kind: "recycle", object: 0 },
    { kind: "sync", device: 0, faults: ["unanswered"] },
    { kind: "restoreObject", object: 0 },
  ],
};

/** A user edits an object and then removes it. The server refuses the removal. */
const refusedRemoval: Scenario = {
  devices: [0],
  steps: [
    { kind: "write", edit: customer({}) },
    { kind: "sync", device: 0 },
    { kind: "edit", device: 0, edit: renamed("mine") },
    { kind: "edit", device: 0, edit: { kind: "remove", object: 0 } },
    { kind: "rights", className: "Customer", group: 0, permissions: ["read", "write"] },
  ],
};

/** The server refuses an edit. The application ends at one of the calls of the store. */
const endsDuringReport: Scenario = {
  devices: Array.from({ length: 40 }, () => 0),
  steps: Array.from({ length: 40 }, (_, device): Step[] => [
    {
      kind: "edit",
      device,
      edit: { kind: "create", object: device, className: "Customer", fields: { Limit: "no number" } },
    },
    { kind: "sync", device, crash: { call: 12 + device, stored: true } },
  ]).flat(),
};

/** An edit between the read and the write of a transaction, for one of the devices. */
const editsBetweenCalls: Scenario = {
  devices: Array.from({ length: 12 }, () => 0),
  steps: Array.from({ length: 12 }, (_, device): Step[] => [
    { kind: "edit", device, edit: { kind: "create", object: device, className: "Customer", fields: {} } },
    { kind: "sync", device },
    { kind: "write", edit: { kind: "change", object: device, fields: { City: "changed" } } },
    {
      kind: "sync",
      device,
      during: [
        {
          call: device,
          step: { kind: "edit", device, edit: { kind: "change", object: device, fields: { Name: "new" } } },
        },
      ],
    },
  ]).flat(),
};

/** Servers and devices with one fault each. */
export const brokenParts: readonly BrokenPart[] = [
  tampering("a server omits deletions", ["difference"], () => (answer) => {
    answer.deleted = [];
  }),
  tampering(
    "a server omits excluded objects",
    ["difference"],
    () => (answer) => {
      answer.excluded = [];
    },
    6,
  ),
  tampering(
    "a server returns an earlier version of an object",
    ["difference"],
    () => {
      const first = new Map<string, Received>();
      return (answer) => {
        answer.changed = answer.changed.map((object) => {
          const earlier = first.get(object["~UUID"]);
          if (earlier === undefined) first.set(object["~UUID"], object);
          return earlier === undefined ? object : { ...earlier, "~Version": object["~Version"] };
        });
      };
    },
    5,
  ),
  tampering(
    "a server ends a pull before its last page",
    ["difference", "lost edit", "restless"],
    () => {
      return (answer) => {
        const { cursor } = answer;
        if (!answer.hasMore || cursor === undefined) return;
        const [, upTo, generation] = JSON.parse(cursor) as [number, number, string];
        answer.hasMore = false;
        answer.syncVersion = generation + String(upTo).padStart(16, "0");
      };
    },
    43,
  ),
  tampering(
    "a server omits conflicts",
    ["conflict"],
    () => (answer) => {
      answer.results = answer.results?.map((result) => ({ ...result, conflicts: [] }));
    },
    38,
  ),
  tampering("a server names deletions again", ["leak", "restless"], () => {
    const known = new Map<string, { readonly uuid: string; readonly version: number }>();
    return (answer) => {
      for (const deletion of answer.deleted) known.set(deletion.uuid, deletion);
      const [any] = known.values();
      if (
        any !== undefined &&
        answer.deleted.length === 0 &&
        !answer.changed.some((each) => each["~UUID"] === any.uuid)
      )
        answer.deleted = [any];
    };
  }),
  server("sends objects to users that are not their readers", ["leak"]),
  server("sends attributes that a user cannot read", ["leak"], 49),
  server("sends references to unreadable objects", ["leak"], 141),
  server("keeps the versions of a restored database", ["difference"], writtenAfterRestore),
  server("keeps the versions of other rights", ["difference"], 54),
  server("does not recognise repeated changes", ["repetition", "failure", "lost edit"]),
  server("judges refused changes again", ["repetition"], acceptedLater),
  server("confirms a change without a write", ["lost write", "difference"]),
  server("overwrites fields without a merge", ["conflict", "difference"], 23),
  server("omits references to objects that become visible", ["difference"], widenedReaders),
  server("keeps references to objects that vanish", ["difference"], narrowedReaders),
  server("omits what became of repeated changes", ["difference"], deletedBeforeAnswer),
  server("omits writes between two pages", ["difference"], writtenBetweenPages),
  device("does not report conflicts", ["conflict"], { synchronize: reporting(() => ({ conflicts: [] })) }, 66),
  device("does not report refused edits", ["lost edit"], { synchronize: reporting(() => ({ refused: [] })) }),
  device(
    "does not give the values of refused edits back",
    ["lost edit"],
    { synchronize: reporting(({ refused }) => ({ refused: refused.map((each) => ({ ...each, fields: {} })) })) },
    21,
  ),
  device(
    "does not give edits before a refused removal back",
    ["lost edit"],
    { synchronize: reporting(({ refused }) => ({ refused: refused.map((each) => ({ ...each, fields: {} })) })) },
    refusedRemoval,
  ),
  device(
    "forgets notices before the application has them",
    ["lost edit"],
    {
      synchronize: async ({ onNotices, ...options }) => {
        const report = await sync(options);
        await report.confirm();
        await onNotices?.(report);
        return report;
      },
    },
    endsDuringReport,
  ),
  device(
    "changes a repeated change",
    ["repetition"],
    {
      synchronize: (options) => sync({ ...options, client: changingRepetitions(options.client) }),
    },
    acceptedLater,
  ),
  device(
    "drops what a restore took back",
    ["lost edit"],
    {
      synchronize: (options) => reporting(() => ({ takenBack: [] }))({ ...options, onConflict: () => "theirs" }),
    },
    restored,
  ),
  device("does not store deletions of objects", ["difference"], {
    openStorage: writing((storage) => (revision, changes) => {
      const kept = [...changes].filter(([key, value]) => !(key.startsWith("o/") && value === null));
      return storage.write(revision, new Map(kept));
    }),
  }),
  device("stores a position without the objects of its page", ["difference", "lost edit", "lost write"], {
    openStorage: writing((storage) => (revision, changes) => {
      const isPage = [...changes.keys()].every((key) => /^[op]\//.test(key)) && changes.size > 2;
      const position = [...changes].filter(([key]) => key.startsWith("p/"));
      return storage.write(revision, isPage ? new Map(position) : changes);
    }),
  }),
  device(
    "overwrites edits that are made during a synchronization",
    ["lost edit", "difference"],
    {
      openStorage: writing((storage) => async (_, changes) => {
        const { revision } = await storage.read([]);
        return storage.write(revision, changes);
      }),
    },
    editsBetweenCalls,
  ),
];
