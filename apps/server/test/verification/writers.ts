import { randomUUID } from "node:crypto";
import { confusableKeyOf } from "@sallyport/storage";
import {
  addBan,
  administrationOf,
  type Database,
  MacroStore,
  removeBan,
  secondFactorKind,
  changeResultKind,
} from "@sallyport/core";
import { logIn } from "../cases/run-cases.ts";
import { callIn, createObject, logOut, logOutIn } from "../client.ts";
import { openSession } from "../open-session.ts";
import { ChunkedUpload } from "../uploads/chunked-upload.ts";
import { chunk, type Scene } from "./scene.ts";

/** One turn of a writer. Changes what a check compares, both sides in one transaction. */
type Turn = (count: number) => Promise<unknown>;

function turnsOf({ server, session, database, r, ids }: Scene): readonly Turn[] {
  const context = administrationOf(database);
  const send = async (path: string, method: "PATCH" | "DELETE" | "POST", body?: object) => {
    const { code } = await callIn(server, session, path, { method, ...(body === undefined ? {} : { body }) });
    if (code !== "0") throw new Error(`${method} ${path} answers ${code}.`);
  };
  return [
    async (count) => {
      const customer = await createObject(server, session, "Customer", { Name: `Customer ${count}` });
      const invoice = await createObject(server, session, "Invoice", { Number: `${count}`, Customer: customer });
      await send(`/v1/object/${customer}`, "PATCH", { Name: `Former customer ${count}` });
      await send(`/v1/object/${invoice}`, "PATCH", { Customer: ids.eve });
      await send(`/v1/object/${customer}${count % 2 === 0 ? "" : "?moveToRecycler=true"}`, "DELETE");
    },
    async (count) => {
      const user = await createObject(server, session, "User", { Name: `User ${count}` });
      await send(`/v1/object/${user}`, "PATCH", { Name: `Renamed user ${count}` });
      await send(`/v1/object/${user}`, "PATCH", { Name: `User ${count}` });
      await send(`/v1/object/${user}`, "DELETE");
    },
    async (count) => {
      const opened = await openSession(server, count % 2 === 0 ? "secure" : "session", "demo");
      await logOutIn(server, opened);
      await logOut(server, await logIn(server, "reader", { appNames: ["counted"] }));
    },
    async () => {
      const sessionId = await logIn(server, "admin");
      const upload = new ChunkedUpload(sessionId, 3, chunk);
      await upload.begin(server);
      for (const each of [2, 0]) await upload.send(server, each);
      await upload.finish(server);
      await logOut(server, sessionId);
    },
    (count) => changeMacro(database, count),
    async (count) => {
      const device = `device ${count}`;
      await addBan(context, { device, reason: "", from: null, until: Date.now() + 86_400_000 });
      await removeBan(context, { device });
    },
    async (count) => {
      const id = randomUUID();
      const [owner, loginName] = [`custom:${id}`, `shopper ${count}`];
      await database.storage.transaction(async ({ accounts, records }) => {
        const { userId = "" } = (await accounts.find({ realm: "database", loginName: "admin" }, [])).account ?? {};
        await accounts.create({ id, userId, loginName, secret: "x" }, confusableKeyOf(loginName));
        const factor = {
          subject: owner,
          appName: "a",
          sealedSecret: "",
          confirmed: false,
          lastStep: -1,
          recoveryCodes: [],
        };
        await records.put(secondFactorKind, `${owner} a`, factor, { owner });
      });
      await r.accounts.remove([id]);
    },
    async () => {
      const uuid = randomUUID();
      await database.storage.transaction(async ({ objects, records }) => {
        const [object] = await objects.insert([{ className: "Customer", attributes: { Name: "Pushed" }, uuid }]);
        const outcome = { uuid, objectId: object?.id ?? "", version: 1, merged: [], conflicts: [] };
        await records.put(changeResultKind, uuid, { contents: "", code: 0, detail: null, outcome });
      });
    },
  ];
}

async function changeMacro({ storage }: Database, count: number): Promise<void> {
  const author = { changedBy: "test" } as const;
  await storage.transaction((r) =>
    new MacroStore(r).put({ name: "Moving", text: `// ${count}`, language: "js", ...author }, null),
  );
  if (count % 3 === 0)
    await storage.transaction((r) => new MacroStore(r).remove("Moving", { ...author, expectedVersion: null }));
}

/** Writes all the time while a task runs. */
export async function besideWriters<T>(scene: Scene, task: () => Promise<T>): Promise<T> {
  const over = new AbortController();
  const writing = turnsOf(scene).map(async (turn) => {
    for (let count = 1; !over.signal.aborted; count += 1) await turn(count);
  });
  const result = await Promise.race([
    task(),
    Promise.all(writing).then(() => Promise.reject(new Error("No one writes."))),
  ]);
  over.abort();
  await Promise.all(writing);
  return result;
}
