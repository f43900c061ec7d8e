import type { ArchiveRecord, StorageArchive } from "@sallyport/storage";
import { type Database, requestResultKind, maxRequestKeys, requestResultAge } from "@sallyport/core";
import { Argon2PasswordHasher, NodeDigests } from "@sallyport/crypto";
import { seedDemo } from "../../src/demo/index.ts";
import { call, callIn, type Answer, multiResults, type Sent } from "../client.ts";
import { memory } from "../configuration-file.ts";
import { startConfiguredServer } from "../demo-server.ts";
import { onEngines, withoutLockout } from "../engines.ts";
import { testedModes } from "../modes.ts";
import { openSession } from "../open-session.ts";
import { openPostgresFixture } from "../postgres-fixture.ts";
import { repositoriesOf } from "../repositories-of.ts";
import { macroEnvironment, macroFixture } from "../macro-fixture.ts";
import { randomUUID } from "node:crypto";
import type { ClientSession } from "@sallyport/client";
import { databaseOperations, operationsOf } from "@sallyport/contract";
import type { RunningServer } from "../../src/index.ts";
import { type Item, query } from "../objects/multi-fixture.ts";

interface SendOptions {
  readonly as?: ClientSession;
  readonly method?: Sent["method"];
  readonly at?: RunningServer;
}

type Result = ReturnType<typeof multiResults>[number];

const idIn = (result: unknown) => (result as { readonly "~ObjectID": string })["~ObjectID"];

describe("requests with an idempotency key", () => {
  for (const mode of testedModes)
    onEngines(
      `requests in mode ${mode}`,
      (server, { servers }) => {
        const { sessions, execute, customers, repositories, create: made } = macroFixture(server, mode);
        const send = (
          path: string,
          key: string,
          body: unknown,
          { as = sessions.demo, method = "POST", at = server() }: SendOptions = {},
        ): Promise<Answer> =>
          callIn(at, as, path, { method, headers: { "idempotency-key": key }, body: body as object } as Sent);
        const create = (key: string, body: object, as?: ClientSession) =>
          send("/v1/object/Customer", key, body, as === undefined ? {} : { as });
        const idOf = ({ body }: Answer): string => body.data["~ObjectID"];
        const codesOf = (answers: readonly Answer[]) => answers.map(({ code }) => code);

        test("have one effect, and the same answer again", async () => {
          const [key, Name] = [randomUUID(), randomUUID()];
          const first = await create(key, { Name });
          const again = await create(key, { Name });
          expect([first.status, again.status, again.body]).toEqual([200, 200, first.body]);
          expect(again.headers["etag"]).toBe(first.headers["etag"]);
          expect(await customers(Name)).toBe(1);
          expect(idOf(await create(randomUUID(), { Name }))).not.toBe(idOf(first));
        });

        test("of several at once one has an effect, on all servers", async () => {
          const [key, Name] = [randomUUID(), randomUUID()];
          const [, other = server()] = servers();
          const answers = await Promise.all(
            Array.from({ length: 8 }, (_, index) =>
              send("/v1/object/Customer", key, { Name }, { at: index % 2 === 0 ? server() : other }),
            ),
          );
          expect(new Set(answers.map(idOf)).size).toBe(1);
          expect(await customers(Name)).toBe(1);
        });

        test("refuse another body, path or query with the key", async () => {
          const [key, Name] = [randomUUID(), randomUUID()];
          expect((await create(key, { Name })).code).toBe("0");
          expect(
            codesOf([
              await create(key, { Name, City: "Elsewhere" }),
              await send("/v1/object/Invoice", key, { Name }),
              await send("/v1/object/Customer?serialization=%7B%7D", key, { Name }),
              await send("/v1/execute/Echo", key, { Name }),
              await send("/v1/multi", key, []),
            ]),
          ).toEqual(["307", "307", "307", "307", "307"]);
          expect(await customers(Name)).toBe(1);
        });

        test("refuse malformed keys, and ignore them where no key counts", async () => {
          const Name = randomUUID();
          const keys = ["", "x".repeat(129), "ä", "a\tb"];
          for (const key of keys) expect((await create(key, { Name })).code).toBe("307");
          expect(await customers(Name)).toBe(0);
          expect(codesOf([await create("x".repeat(128), { Name }), await create(` ~${Name}`, { Name })])).toEqual([
            "0",
            "0",
          ]);
          const id = await made({ Name });
          expect((await send(`/v1/object/${id}`, "", { Name }, { method: "PATCH" })).code).toBe("0");
        });

        test("are evaluated by every route that declares it", async () => {
          const bodies: Readonly<Record<string, readonly [path: string, body: unknown]>> = {
            createObject: ["/v1/object/Customer", { Name: "Ada" }],
            createObjects: ["/v1/objects/Customer", [{ Name: "Ada" }]],
            executeMacro: ["/v1/execute/Echo", {}],
            multi: ["/v1/multi", []],
            reserveSeats: ["/v1/license/reserve", { appNames: ["demo-app"] }],
          };
          const declared = operationsOf(databaseOperations).filter(({ idempotent }) => idempotent === true);
          expect(declared.map(({ id }) => id).toSorted()).toEqual(Object.keys(bodies));
          for (const [path, body] of Object.values(bodies)) {
            expect([path, (await send(path, "x".repeat(129), body)).code]).toEqual([path, "307"]);
            const key = randomUUID();
            expect(codesOf([await send(path, key, body), await send(path, key, body)])).toEqual(["0", "0"]);
            expect([path, (await send(`${path}?other=1`, key, body)).code]).toEqual([path, "307"]);
          }
        });

        test("create several objects once, and tell each as it is now", async () => {
          const [key, Name] = [randomUUID(), randomUUID()];
          const create = (all: readonly object[]) => send("/v1/objects/Customer", key, all);
          const all = [{ Name }, { Name: 5 }, { Name }, { Name }];
          const answers = await Promise.all([create(all), create(all)]);
          expect(answers[0]?.body.data.map(({ httpStatus }: { httpStatus: number }) => httpStatus)).toEqual([
            200, 400, 200, 200,
          ]);
          const results = multiResults(answers[0]?.body.data);
          const [{ result: first }, , { result: second }, { result: third }] = results as [
            Result,
            Result,
            Result,
            Result,
          ];
          await callIn(server(), sessions.demo, `/v1/object/${idIn(first)}`, {
            method: "PATCH",
            body: { City: "Moved" },
          });
          await callIn(server(), sessions.demo, `/v1/object/${idIn(second)}`, { method: "DELETE" });
          expect(multiResults((await create(all)).body.data).map(({ result }) => result)).toEqual([
            expect.objectContaining({ "~ObjectID": idIn(first), City: "Moved" }),
            307,
            { "~ObjectID": idIn(second) },
            third,
          ]);
          expect((await create(all.slice(1))).code).toBe("307");
          expect(await customers(Name)).toBe(2);
        });

        test("of another person are independent", async () => {
          const [key, Name] = [randomUUID(), randomUUID()];
          expect((await create(key, { Name })).code).toBe("0");
          expect((await create(key, { Name: `${Name} 2` }, sessions.admin)).code).toBe("0");
          const later = await openSession(server(), mode, "demo");
          await create(key, { Name }, later);
          expect(await customers(Name)).toBe(1);
        });

        test("tell an object as it is now, and its id alone once it is gone", async () => {
          const [key, Name] = [randomUUID(), randomUUID()];
          const first = await create(key, { Name });
          const id = idOf(first);
          await callIn(server(), sessions.demo, `/v1/object/${id}`, { method: "PATCH", body: { City: "Moved" } });
          const changed = await create(key, { Name });
          expect(changed.body.data).toMatchObject({ "~ObjectID": id, City: "Moved" });
          expect(changed.headers["etag"]).not.toBe(first.headers["etag"]);
          await callIn(server(), sessions.demo, `/v1/object/${id}`, { method: "DELETE" });
          const gone = await create(key, { Name });
          expect([gone.status, gone.body.data, gone.headers["etag"]]).toEqual([
            200,
            { "~ObjectID": id },
            first.headers["etag"],
          ]);
        });

        test("keep refusals of the request, which had no effect", async () => {
          const key = randomUUID();
          const refused = await create(key, { Name: 5 });
          expect([refused.code, (await create(key, { Name: 5 })).code]).toEqual(["307", "307"]);
          const id = await made({ Name: key });
          const steps = {
            strict: true,
            steps: [["update", id, { City: "Lost" }], ["throw"]],
          };
          expect((await send("/v1/execute/Steps", `${key} b`, steps)).code).toBe("710");
          const kept = await repositories().records.list(requestResultKind, { after: null, limit: 10_000 });
          expect(kept.filter(({ value }) => value.code === 710)).not.toEqual([]);
          expect((await send("/v1/execute/Steps", `${key} b`, steps)).code).toBe("710");
        });

        test("execute a macro once, with its message and data", async () => {
          const id = await made({ Name: randomUUID(), CreditLimit: 1 });
          const key = randomUUID();
          const answers = await Promise.all([1, 2, 3].map(() => send("/v1/execute/Raise", key, { id })));
          expect(answers.map(({ body }) => body.data)).toEqual([2, 2, 2]);
          const status = { message: "Schön", result: { text: "ünï", list: [1, null, 0.5] } };
          const first = await send("/v1/execute/Status", `${key} b`, status);
          expect(first.body.status.statusMessage).toBe("Schön");
          expect((await send("/v1/execute/Status", `${key} b`, status)).body).toEqual(first.body);
          const nothing = [1, 2].map(() => send("/v1/execute/Status", `${key} c`, { message: "m" }));
          expect((await Promise.all(nothing)).map(({ body }) => body.data)).toEqual([{}, {}]);
        });

        test("keep the data of macros sealed, up to 64 KiB", async () => {
          const key = randomUUID();
          const fits = { message: "ok", result: `${key}${"x".repeat(65_534 - key.length)}` };
          const first = await send("/v1/execute/Status", key, fits);
          expect((await send("/v1/execute/Status", key, fits)).body).toEqual(first.body);
          const stored = await repositories().records.list(requestResultKind, { after: null, limit: 10_000 });
          expect(JSON.stringify(stored)).not.toContain(key);
          const large = { ...fits, result: `${fits.result}x` };
          const answers = [await send("/v1/execute/Status", `${key} b`, large)];
          answers.push(await send("/v1/execute/Status", `${key} b`, large));
          expect(codesOf(answers)).toEqual(["0", "801"]);
        });

        test("of a multi request take the answers of finished items, and execute the others", async () => {
          const [key, Name] = [randomUUID(), randomUUID()];
          const items: readonly Item[] = [
            { method: "POST", path: "/v1/object/Customer", data: { Name } },
            { method: "POST", path: "/v1/object/Customer", data: { Name: 5 } },
            { method: "GET", path: `/v1/objects/Customer?${query({ Name })}` },
            { method: "POST", path: "/v1/execute/Status", data: { message: "m", result: 1 } },
          ];
          const first = await send("/v1/multi", key, items);
          const { records } = repositories();
          const kept = await records.list(requestResultKind, { after: null, limit: 10_000 });
          const again = await send("/v1/multi", key, items);
          expect(again.body).toEqual(first.body);
          expect(multiResults(again.body.data).map(({ result }) => result)).toMatchObject([
            { Name },
            307,
            { "~Count": 1 },
            1,
          ]);
          // A server that was lost before the last item leaves no result of it.
          const last = kept.filter(({ owner }) => owner === null).toSorted((a, b) => b.createdAt - a.createdAt)[0];
          await records.remove(requestResultKind, { ids: [last?.id ?? ""] });
          expect(multiResults((await send("/v1/multi", key, items)).body.data)).toHaveLength(4);
          expect(await customers(Name)).toBe(1);
          expect((await send("/v1/multi", key, items.slice(1))).code).toBe("307");
        });

        test("of an atomic multi request have all effects once, or none", async () => {
          const [key, Name] = [randomUUID(), randomUUID()];
          const item = { method: "POST", path: "/v1/object/Customer", data: { Name } };
          const list = { method: "GET", path: `/v1/objects/Customer?${query({ Name })}` };
          const path = "/v1/multi?atomic=true";
          const answers = await Promise.all([1, 2].map(() => send(path, key, [item, item, list])));
          expect(answers[0]?.body).toEqual(answers[1]?.body);
          expect(await customers(Name)).toBe(2);
          const failing = [item, { ...item, data: { Name: 5 } }];
          const refused = [await send(path, `${key} b`, failing), await send(path, `${key} b`, failing)];
          expect(codesOf(refused)).toEqual(["307", "307"]);
          expect(refused[0]?.body).toEqual(refused[1]?.body);
          expect(refused[0]?.body.status.debugMessage).toMatch("at /1");
          expect(await customers(Name)).toBe(2);
          expect((await send(path, key, [item])).code).toBe("307");
        });

        test("tell that an atomic multi request was executed if its reads fail by now", async () => {
          const [key, Name] = [randomUUID(), randomUUID()];
          const id = await made({ Name: "short-lived" });
          const create: Item = { method: "POST", path: "/v1/object/Customer", data: { Name } };
          const items = [{ method: "GET", path: `/v1/object/${id}` }, create, create];
          const first = await send("/v1/multi?atomic=true", key, items);
          expect(first.code).toBe("0");
          expect((await callIn(server(), sessions.demo, `/v1/object/${id}`, { method: "DELETE" })).code).toBe("0");
          const again = await send("/v1/multi?atomic=true", key, items);
          expect(again.code).toBe("0");
          const [read, ...creations] = again.body.data;
          expect([read.httpStatus, read.result.status.internalStatus]).toEqual([410, "609"]);
          expect(creations).toEqual(first.body.data.slice(1));
          expect(await customers(Name)).toBe(2);
        });

        test("reserve seats once", async () => {
          const key = randomUUID();
          const reserve = (appNames: readonly string[], as?: ClientSession) =>
            send("/v1/license/reserve", key, { appNames }, as === undefined ? {} : { as });
          expect(codesOf([await reserve(["sales-app"]), await reserve(["sales-app"])])).toEqual(["208", "208"]);
          expect((await reserve(["demo-app"])).code).toBe("307");
          const session = await openSession(server(), mode, "demo");
          const answers = [await reserve(["demo-app"], session), await reserve(["demo-app"], session)];
          expect(answers.map(({ code, body }) => [code, body.data])).toEqual([
            ["0", {}],
            ["0", {}],
          ]);
        });

        test("count a day: beyond 1,000 of a person they are refused, and forgotten ones make room", async () => {
          const { records } = repositoriesOf(server());
          const session = await openSession(server(), mode, "reader");
          const sent = (key: string) =>
            send("/v1/execute/Status", key, { message: "m" }, { as: session }).then(({ code, headers }) => ({
              code,
              retryAfter: Number(headers["retry-after"] ?? 0),
            }));
          const before = new Set(
            (await records.list(requestResultKind, { after: null, limit: 10_000 })).map(({ id }) => id),
          );
          const key = randomUUID();
          expect((await sent(key)).code).toBe("0");
          const own = (await records.list(requestResultKind, { after: null, limit: 10_000 })).find(
            ({ id }) => !before.has(id),
          );
          const { owner = null, value } = own ?? {};
          const put = (id: number) =>
            records.put(requestResultKind, `${key} ${id}`, value as NonNullable<typeof value>, { owner });
          for (let id = 1; id < maxRequestKeys; id += 1) await put(id);
          const refused = await sent(randomUUID());
          expect(refused.code).toBe("800");
          expect(refused.retryAfter).toBeGreaterThan(requestResultAge / 1_000 - 600);
          expect((await sent(key)).code).toBe("0");
          await records.remove(requestResultKind, { ids: [`${key} 1`] });
          const both = await Promise.all([sent(randomUUID()), sent(randomUUID())]);
          expect(both.map(({ code }) => code).toSorted()).toEqual(["0", "800"]);
          await records.remove(requestResultKind, { owner: owner ?? "" });
        });

        test("cost nothing without a key", async () => {
          const { records } = repositories();
          const before = (await records.count(requestResultKind)).count;
          await execute("Echo", { a: 1 });
          await made({ Name: randomUUID() });
          expect((await records.count(requestResultKind)).count).toBe(before);
        });
      },
      { environment: { ...withoutLockout, ...macroEnvironment, DEBUG_MESSAGES: "true" }, count: 2 },
    );

  test("wait for the first one, up to the time limit of a statement", async () => {
    const postgres = await openPostgresFixture();
    try {
      const storage = { url: postgres.url, schema: "sallyport_demo", statementTimeout: "1s" };
      const server = await postgres.configured({ databases: [{ storage }] });
      const { records } = repositoriesOf(server);
      const session = await openSession(server, "session", "demo");
      const create = () =>
        callIn(server, session, "/v1/object/Customer", {
          method: "POST",
          headers: { "idempotency-key": "waiting" },
          body: { Name: "Ada" },
        });
      const first = await create();
      const [kept] = await records.list(requestResultKind, { after: null, limit: 1 });
      const lock = "select from sallyport_demo.records where kind = 'requestResult' and id = $1 for update";
      await postgres.sql.query("begin");
      await postgres.sql.query(lock, [kept?.id]);
      const second = await create();
      expect([second.status, second.code]).toEqual([503, "706"]);
      expect(Number(second.headers["retry-after"])).toBeGreaterThan(0);
      const waiting = create();
      await postgres.sql.query("commit");
      expect((await waiting).body).toEqual(first.body);
    } finally {
      await postgres.close();
    }
  }, 60_000);

  test("are not repeated by a database that was restored after them", async () => {
    const databases = ["", "restored"].map((alias) => ({ ...memory, alias }));
    const server = await startConfiguredServer({ databases });
    try {
      const databaseOf = (alias: string) => server.databases.get(alias) as Database;
      const hasher = await Argon2PasswordHasher.create({ memoryCost: 8, timeCost: 1 });
      const { storage, files } = databaseOf("");
      await seedDemo(storage, { hasher, digests: new NodeDigests(), clientHash: "md5", alias: "", files });
      const create = async (prefix: string, Name: string) => {
        const body = { user: "demo", pass: "demo", appNames: ["demo-app"] };
        const { sessionId } = (await call(server, `${prefix}/v1/login`, { method: "POST", body })).body.data;
        const headers = { "idempotency-key": "restored" };
        return call(server, `${prefix}/v1/object/Customer`, { method: "POST", sessionId, headers, body: { Name } });
      };
      const first = await create("", "Ada");
      await databaseOf("restored").storage.archive.import(recordsOf(storage.archive));
      const again = await create("/restored", "Ada");
      expect([again.code, again.body.data["~UUID"]]).toEqual(["0", first.body.data["~UUID"]]);
      expect((await create("/restored", "Bob")).code).toBe("307");
    } finally {
      await server.close();
    }
  }, 60_000);
});

async function* recordsOf(archive: StorageArchive): AsyncGenerator<ArchiveRecord> {
  for await (const part of archive.export()) yield* part;
}
