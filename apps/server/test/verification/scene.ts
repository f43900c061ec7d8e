import { randomUUID } from "node:crypto";
import type { ClientSession } from "@sallyport/client";
import {
  confusableKeyOf,
  identityLinkId,
  identityLinkKind,
  linkOwner,
  type ObjectId,
  objectNumber,
  type RecordKind,
  type Repositories,
} from "@sallyport/storage";
import {
  addBan,
  administrationOf,
  Applications,
  type Database,
  factorRecord,
  keyRingKind,
  MacroStore,
  markAdministrationKey,
  registerDevice,
  requestResultKind,
  changeResultKind,
} from "@sallyport/core";
import { NodeDigests } from "@sallyport/crypto";
import { logIn } from "../cases/run-cases.ts";
import { callIn, createObject } from "../client.ts";
import type { Engine } from "../engines.ts";
import { openSession } from "../open-session.ts";
import { databaseOf } from "../repositories-of.ts";
import { ChunkedUpload } from "../uploads/chunked-upload.ts";
import { type DamagedDatabase, openDamagedDatabase } from "./damaged-database.ts";

/** Numbers of the objects of the scene. */
const names = ["ada", "eve", "first", "second", "gone", "binned", "user", "file"] as const;

/** A database with something of everything that can be damaged. */
export interface Scene extends DamagedDatabase {
  readonly database: Database;
  readonly r: Repositories;
  /** Of an administrator. */
  readonly session: ClientSession;
  readonly ids: Readonly<Record<(typeof names)[number], ObjectId>>;
  readonly numbers: Readonly<Record<(typeof names)[number], number>>;
  /** Number of the administrator. */
  readonly administrator: number;
  /** The owner of the records of the administrator's account. */
  readonly owner: string;
  /** Ids of records. */
  readonly records: Readonly<Record<"link" | "ban" | "device" | "upload", string>>;
}

export const digests = new NodeDigests();
export const provider = { issuer: "https://provider.example", subject: "ada" };
export const chunk = 4_096;

export async function openScene(engine: Engine): Promise<Scene> {
  const damaged = await openDamagedDatabase(engine);
  const { server } = damaged;
  const database = databaseOf(server);
  const r = database.storage.repositories;
  const session = await openSession(server, "session", "admin");
  const create = (className: string, attributes: object) => createObject(server, session, className, attributes);
  const [ada, eve] = [await create("Customer", { Name: "Ada" }), await create("Customer", { Name: "Eve" })];
  const [gone, binned] = [await create("Customer", { Name: "Gone" }), await create("Customer", { Name: "Binned" })];
  const first = await create("Invoice", { Number: "1", Customer: ada });
  const second = await create("Invoice", { Number: "2", Customer: binned });
  const user = await create("User", { Name: "Verified user" });
  await callIn(server, session, `/v1/object/${gone}`, { method: "DELETE" });
  await callIn(server, session, `/v1/object/${binned}?moveToRecycler=true`, { method: "DELETE" });
  const administrator = (await r.accounts.find({ realm: "database", loginName: "admin" }, [])).account?.userId ?? "";
  const owner = linkOwner(administrator);
  await keepRecords(r, { administrator, ada });
  await keepRules(database);
  const sessionId = await logIn(server, "admin");
  await logIn(server, "demo", { appNames: ["counted"] });
  const whole = new ChunkedUpload(sessionId, 2, chunk);
  await whole.begin(server);
  await whole.finish(server);
  const half = new ChunkedUpload(sessionId, 4, chunk);
  await half.begin(server);
  for (const each of [0, 2]) await half.send(server, each);
  const only = async (kind: RecordKind<unknown>) =>
    (await r.records.list(kind, { after: null, limit: 1_000 })).toSorted(
      (one, other) => other.createdAt - one.createdAt,
    )[0];
  const [file, upload, ban, device] = [
    await only("file"),
    await only("upload"),
    await only("ban"),
    await only("device"),
  ];
  const ids = { ada, eve, first, second, gone, binned, user, file: file?.owner ?? "" };
  return {
    ...damaged,
    database,
    r,
    session,
    ids,
    numbers: Object.fromEntries(names.map((name) => [name, objectNumber(ids[name])])) as Scene["numbers"],
    administrator: objectNumber(administrator),
    owner,
    records: {
      link: identityLinkId(provider, digests),
      ban: ban?.id ?? "",
      device: device?.id ?? "",
      upload: upload?.id ?? "",
    },
  };
}

/** Records of accounts and synchronization. */
async function keepRecords(
  r: Repositories,
  { administrator, ada }: { readonly administrator: ObjectId; readonly ada: ObjectId },
): Promise<void> {
  const owner = linkOwner(administrator);
  const link = { ...provider, id: randomUUID(), provider: "google", userId: administrator, shared: false } as const;
  const linked = { ...link, email: null, displayName: null };
  await r.records.put(identityLinkKind, identityLinkId(provider, digests), linked, { owner });
  const factor = { subject: owner, appName: "demo-app", sealedSecret: "", confirmed: false, lastStep: -1 };
  const { kind, id } = factorRecord(factor);
  await r.records.put(kind, id, { ...factor, recoveryCodes: [] }, { owner });
  const custom = { id: randomUUID(), userId: administrator, loginName: "shopper", secret: "x" };
  await r.accounts.create(custom, confusableKeyOf(custom.loginName));
  const key = { kind: "tokens", keyId: "1", publicKey: "", wrappedPrivateKey: "", createdAt: 0, acceptedUntil: null };
  await r.records.put<unknown[]>(keyRingKind as RecordKind<unknown[]>, "verified", [
    key,
    { ...key, keyId: "0", acceptedUntil: 1 },
  ]);
  const result = { contents: "", code: 0, detail: null, outcome: { objectId: ada, version: 1 } } as const;
  for (const resultKind of [requestResultKind, changeResultKind]) await r.records.put(resultKind, "verified", result);
}

/** Macros, bans, devices, app names and keys, by their use cases. */
async function keepRules(database: Database): Promise<void> {
  const context = administrationOf(database);
  const { r, unit } = context;
  const macro = { name: "Verified", language: "js", changedBy: "test" } as const;
  for (const text of ["// 1", "// 2"])
    await unit.transaction((inside) => new MacroStore(inside).put({ ...macro, text }, null));
  await addBan(context, { device: "lost", reason: "", from: null, until: Date.now() + 86_400_000 });
  await registerDevice(context, { device: "registered" });
  for (const name of ["limited", "counted"]) await new Applications(r.records).create({ name, seats: 100 });
  await r.appKeys.create({ name: "verified", appNames: null, origins: [] }, digests.sha256("verified"));
  await markAdministrationKey(r, "verified");
}
