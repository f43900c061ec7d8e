import { seesAll } from "@sallyport/storage";
import { type Answer, multiResults, type Sent, senderOf } from "../client.ts";
import { testedModes } from "../modes.ts";
import { openSession } from "../open-session.ts";
import { repositoriesOf } from "../repositories-of.ts";
import { onEngines } from "../engines.ts";
import { objectEnvironment } from "./object-environment.ts";

type Session = Awaited<ReturnType<typeof openSession>>;

/** Readers of objects, in every mode and on every engine. */
onEngines(
  "objects with readers",
  (server) => {
    const repositories = () => repositoriesOf(server());
    const send = senderOf(server);
    const codeOf = ({ status, code }: Answer) => `${status}/${code}`;

    describe.each(testedModes)("in mode %s", (mode) => {
      let demo: Session;
      let reader: Session;
      let admin: Session;
      /** Ids of the demo user and its group, and of the reader and its group. */
      const ids = { demo: "", sales: "", reader: "", readers: "" };
      beforeAll(async () => {
        [demo, reader, admin] = [
          await openSession(server(), mode, "demo"),
          await openSession(server(), mode, "reader"),
          await openSession(server(), mode, "admin"),
        ];
        const { objects } = await repositories().objects.find({ classes: ["User", "UserGroup"] }, seesAll, {
          offset: 0,
          limit: 1_000,
        });
        const named = (className: string, name: string) =>
          objects.find((each) => each.className === className && each.attributes["Name"] === name)?.id ?? "";
        Object.assign(ids, {
          demo: named("User", "demo"),
          sales: named("UserGroup", "Sales"),
          reader: named("User", "reader"),
          readers: named("UserGroup", "Readers"),
        });
      });

      const path = (id: string) => `/v1/object/${id}/readers`;
      const put = (id: string, readers: unknown, as = demo, headers?: Sent["headers"]) =>
        send(as, path(id), "PUT", { readers }, headers);
      const found = async (id: string) => (await repositories().objects.get([id], seesAll))[0];
      const uuidOf = async (id: string) => (await found(id))?.uuid ?? "";
      const create = async (className = "Customer", attributes: object = { Name: "Ada" }, as = demo): Promise<string> =>
        (await send(as, `/v1/object/${className}`, "POST", attributes)).body.data["~ObjectID"];
      const isSeen = async (id: string, as: Session) => {
        const query = encodeURIComponent(JSON.stringify({ oids: [id] }));
        return [
          codeOf(await send(as, `/v1/object/${id}`)),
          (await send(as, `/v1/objects/Customer?query=${query}`)).body.data["~Count"],
        ];
      };
      const seen = ["200/0", 1];
      const unseen = ["404/304", 0];

      test("are read, replaced by ids and UUIDs, and removed, each change as a write of the object", async () => {
        const id = await create();
        expect(await send(demo, path(id))).toMatchObject({
          status: 200,
          code: "0",
          headers: { etag: '"1"' },
          body: { data: { readers: null } },
        });
        const before = await found(id);
        const readers = [ids.demo, (await uuidOf(ids.sales)).toUpperCase(), ids.sales];
        const changed = await put(await uuidOf(id), readers);
        expect([codeOf(changed), changed.headers["etag"], changed.body.data]).toEqual([
          "200/0",
          '"2"',
          { readers: [ids.demo, ids.sales] },
        ]);
        const after = await found(id);
        expect(after).toEqual({ ...before, version: 2, storedAt: after?.storedAt, readers: [ids.demo, ids.sales] });
        expect(after?.storedAt).toBeGreaterThanOrEqual(before?.storedAt ?? Number.NaN);
        expect((await send(demo, path(id))).body.data).toEqual({ readers: [ids.demo, ids.sales] });
        expect([await isSeen(id, demo), await isSeen(id, admin), await isSeen(id, reader)]).toEqual([
          seen,
          seen,
          unseen,
        ]);
        expect([codeOf(await send(reader, path(id))), codeOf(await put(id, null, reader))]).toEqual([
          "404/304",
          "404/304",
        ]);
        expect(await put(id, [ids.sales, ids.readers, ids.reader], admin)).toMatchObject({
          code: "0",
          headers: { etag: '"3"' },
        });
        expect([await isSeen(id, demo), await isSeen(id, reader)]).toEqual([seen, seen]);
        expect(await put(id, [], admin)).toMatchObject({
          code: "0",
          headers: { etag: '"4"' },
          body: { data: { readers: [] } },
        });
        expect([await isSeen(id, demo), await isSeen(id, admin), await isSeen(id, reader)]).toEqual([
          unseen,
          seen,
          unseen,
        ]);
        expect(await put(id, null, admin)).toMatchObject({
          code: "0",
          headers: { etag: '"5"' },
          body: { data: { readers: null } },
        });
        expect([await isSeen(id, demo), await isSeen(id, reader)]).toEqual([seen, seen]);
      });

      test("are refused when invalid, too many, or without the caller", async () => {
        const [id, other] = [await create(), await create()];
        const many = Array.from({ length: 1_001 }, () => ids.demo);
        // Not even the existence of invisible users and groups is revealed.
        const strangers = [
          "ZZZZZZZ",
          other,
          ids.readers,
          ids.reader,
          await uuidOf(ids.readers),
          "demo",
          "",
          5,
          [ids.demo],
        ];
        const wrong = [[], [ids.readers], ...strangers.map((each) => [ids.demo, each]), many, ids.demo, {}, undefined];
        for (const readers of wrong) {
          const what = String(JSON.stringify(readers)).slice(0, 50);
          expect([what, codeOf(await put(id, readers))]).toEqual([what, "400/307"]);
        }
        expect(codeOf(await send(demo, path(id), "PUT", { readers: [ids.demo], more: 1 }))).toBe("400/307");
        for (const readers of [[other], ["ZZZZZZZ"], many])
          expect(codeOf(await put(id, readers, admin))).toBe("400/307");
        expect(await found(id)).toMatchObject({ version: 1, readers: null });
        expect(codeOf(await put(id, many.slice(1)))).toBe("200/0");
        // Existing members of the list can stay, even if invisible.
        await put(id, [ids.sales, ids.readers], admin);
        expect((await put(id, [ids.readers, ids.demo])).body.data).toEqual({ readers: [ids.readers, ids.demo] });
      });

      test("require the right to write, the expected version, and no lock of another session", async () => {
        const id = await create();
        expect([codeOf(await send(reader, path(id))), codeOf(await put(id, [ids.reader], reader))]).toEqual([
          "403/404",
          "403/404",
        ]);
        for (const missing of ["ZZZZZZZ", "Customer", "11111111-1111-4111-8111-111111111111"]) {
          expect([codeOf(await send(demo, path(missing))), codeOf(await put(missing, null))]).toEqual([
            "404/304",
            "404/304",
          ]);
        }
        for (const stale of ['"2"', 'W/"1"', "1"])
          expect(codeOf(await put(id, [ids.demo], demo, { "if-match": stale }))).toBe("500/713");
        await send(admin, `/v1/lock/object/${id}`, "POST");
        expect(codeOf(await put(id, [ids.demo]))).toBe("500/713");
        await send(admin, `/v1/lock/object/${id}`, "DELETE");
        expect(await found(id)).toMatchObject({ version: 1, readers: null });
        const codes = await Promise.all(
          Array.from({ length: 4 }, async () => (await put(id, [ids.demo], demo, { "if-match": '"1"' })).code),
        );
        expect(codes.toSorted()).toEqual(["0", "713", "713", "713"]);
        await send(demo, `/v1/object/${id}`, "DELETE");
        expect([codeOf(await send(demo, path(id))), codeOf(await put(id, null))]).toEqual(["410/609", "400/610"]);
        expect([codeOf(await send(reader, path(id))), codeOf(await put(id, null, reader))]).toEqual([
          "404/304",
          "404/304",
        ]);
      });

      test("stay in the list after their deletion, which shows the object to no one else", async () => {
        const id = await create();
        const group = await create("UserGroup", { Name: `Gone ${mode}` }, admin);
        await put(id, [group], admin);
        expect(codeOf(await send(admin, `/v1/object/${group}`, "DELETE"))).toBe("200/0");
        expect([await isSeen(id, demo), await isSeen(id, reader)]).toEqual([unseen, unseen]);
        expect((await send(admin, path(id))).body.data).toEqual({ readers: [group] });
        expect((await put(id, [group, ids.sales], admin)).body.data).toEqual({ readers: [group, ids.sales] });
        expect(await isSeen(id, demo)).toEqual(seen);
      });

      test("of users and groups do not prevent log-ins", async () => {
        for (const id of [ids.reader, ids.readers]) expect(codeOf(await put(id, [], admin))).toBe("200/0");
        const session = await openSession(server(), mode, "reader");
        const customers = await send(session, "/v1/objects/Customer?perPage=1");
        for (const id of [ids.reader, ids.readers]) expect(codeOf(await put(id, null, admin))).toBe("200/0");
        expect([codeOf(customers), customers.body.data["~Elements"].length]).toEqual(["200/0", 1]);
      });

      test("are recorded in the audit with the change, and only then", async () => {
        const { audit } = repositories();
        const id = await create();
        const before = (await audit.read(0, 100_000)).at(-1)?.sequence ?? 0;
        await put(id, [ids.demo], demo, { "if-match": '"7"' });
        await put(id, [ids.readers]);
        await put(id, [ids.demo]);
        const auditEvents = (await audit.read(before, 1_000)).filter(({ type }) => type === "objectReaders.changed");
        expect(auditEvents).toMatchObject([
          { outcome: 0, actorId: ids.demo, subjectId: null, className: "Customer", appNames: ["demo-app"] },
        ]);
      });

      test("change inside multi requests, in the transaction of atomic ones", async () => {
        const [id, other] = [await create(), await create()];
        const item = (target: string, readers: unknown) => ({ method: "PUT", path: path(target), data: { readers } });
        const items = [item(id, [ids.demo]), { method: "GET", path: path(id) }, item(other, ["ZZZZZZZ"])];
        expect((await send(demo, "/v1/multi?atomic=true", "POST", items)).code).not.toBe("0");
        expect([(await found(id))?.version, (await found(other))?.version]).toEqual([1, 1]);
        const results = multiResults((await send(demo, "/v1/multi", "POST", items)).body.data);
        expect(results.map(({ result }) => result)).toEqual([{ readers: [ids.demo] }, { readers: [ids.demo] }, 307]);
        expect((await send(demo, "/v1/multi?atomic=true", "POST", [items[0], item(other, [ids.sales])])).code).toBe(
          "0",
        );
        expect([await found(id), await found(other)]).toMatchObject([
          { version: 3, readers: [ids.demo] },
          { version: 2, readers: [ids.sales] },
        ]);
      });
    });
  },
  { environment: objectEnvironment },
);
