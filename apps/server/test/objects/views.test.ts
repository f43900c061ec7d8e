import type { ClientSession } from "@sallyport/client";
import { senderOf, type Sent } from "../client.ts";
import { onEngines } from "../engines.ts";
import { sessionsOf } from "../open-session.ts";
import { objectEnvironment } from "./object-environment.ts";

/** Saved views of classes. */
onEngines(
  "saved views",
  (server) => {
    const sessions = sessionsOf(server, "session", "demo", "reader", "admin");
    const send = senderOf(server);
    const views = "/v1/views/Customer";
    const graz = { name: "Graz", columns: ["Name", "City"], where: { City: "Graz" }, sort: ["-Name"], search: "La" };
    const save = (as: ClientSession, body: unknown) => send(as, views, "POST", body as object);
    const namesFor = async (as: ClientSession): Promise<string[]> =>
      (await send(as, views)).body.data.items.map(({ name }: { name: string }) => name);
    const at = ({ body }: Awaited<ReturnType<typeof save>>) => `${views}/${body.data.id}`;
    const replace = (as: ClientSession, path: string, body: object, headers?: Sent["headers"]) =>
      send(as, path, "PUT", body, headers);

    afterEach(async () => {
      for (const as of [sessions.demo, sessions.reader, sessions.admin])
        for (const { id, isOwn } of (await send(as, views)).body.data.items)
          if (isOwn === true) await send(as, `${views}/${id}`, "DELETE");
    });

    test("belong to a person, who shares them", async () => {
      const saved = await save(sessions.demo, graz);
      expect(saved.body.data).toEqual({
        ...graz,
        id: expect.any(String),
        isShared: false,
        isOwn: true,
        version: expect.any(Number),
      });
      expect([await namesFor(sessions.demo), await namesFor(sessions.reader), await namesFor(sessions.admin)]).toEqual([
        ["Graz"],
        [],
        [],
      ]);
      for (const method of ["PUT", "DELETE"] as const)
        expect(await send(sessions.admin, at(saved), method, method === "PUT" ? graz : undefined)).toMatchObject({
          code: "304",
        });
      const version = saved.headers["etag"] as string;
      const shared = await replace(sessions.demo, at(saved), { ...graz, isShared: true }, { "if-match": version });
      expect(shared).toMatchObject({ code: "0", body: { data: { isShared: true, isOwn: true } } });
      expect(await replace(sessions.demo, at(saved), graz, { "if-match": version })).toMatchObject({ code: "713" });
      await save(sessions.reader, { name: "All", isShared: true });
      expect((await send(sessions.reader, views)).body.data.items).toMatchObject([
        { name: "All", isOwn: true },
        { ...graz, isOwn: false, isShared: true },
      ]);
      expect(await replace(sessions.reader, at(saved), graz)).toMatchObject({ status: 403, code: "404" });
      expect(await send(sessions.reader, at(saved), "DELETE")).toMatchObject({ status: 403, code: "404" });
      expect(await send(sessions.admin, at(saved), "DELETE")).toMatchObject({ code: "0", body: { data: {} } });
      expect(await namesFor(sessions.demo)).toEqual(["All"]);
    });

    test("can name what the class does not have, and stay as they are", async () => {
      const view = { name: "Old", columns: ["Gone"], where: { Gone: 1 }, sort: ["Gone"] };
      await save(sessions.demo, view);
      expect((await send(sessions.demo, views)).body.data.items).toMatchObject([view]);
    });

    test("are limited in number, also at once, and in size", async () => {
      const outcomes = await Promise.all(
        Array.from({ length: 103 }, async (_, index) => (await save(sessions.demo, { name: `View ${index}` })).code),
      );
      expect(outcomes.filter((code) => code === "0")).toHaveLength(100);
      expect(outcomes.filter((code) => code === "307")).toHaveLength(3);
      expect((await save(sessions.reader, { name: "Another person's" })).code).toBe("0");
      expect(await save(sessions.reader, { name: "Large", where: { City: "x".repeat(8_192) } })).toMatchObject({
        status: 413,
        code: "801",
      });
    });

    test.each<readonly [what: string, body: unknown]>([
      ["no name", {}],
      ["an empty name", { name: " " }],
      ["a long name", { name: "x".repeat(101) }],
      ["an unknown member", { name: "a", query: {} }],
      ["a filter that is no object", { name: "a", where: [] }],
      ["a forbidden name", { name: "a", where: JSON.parse('{"__proto__": 1}') }],
      ["an order that is no list", { name: "a", sort: "Name" }],
      ["a null character", { name: "a\0" }],
      ["a null character in the filter", { name: "a", where: { City: "\0" } }],
    ])("with %s are refused", async (_what, body) => {
      expect(await save(sessions.demo, body)).toMatchObject({ status: 400, code: "307" });
      expect(await namesFor(sessions.demo)).toEqual([]);
    });

    test.each(["Nothing", "User", "__proto__", "customer"])("do not exist of the class %s", async (className) => {
      for (const method of ["GET", "POST"] as const)
        expect(
          await send(sessions.reader, `/v1/views/${className}`, method, method === "POST" ? graz : undefined),
        ).toMatchObject({ status: 404, code: "304" });
    });
  },
  { environment: objectEnvironment },
);
