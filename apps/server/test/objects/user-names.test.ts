import { seesAll } from "@sallyport/storage";
import { type Database, reserveUserNames } from "@sallyport/core";
import { logIn } from "../cases/run-cases.ts";
import { call } from "../client.ts";
import { onEngines } from "../engines.ts";
import type { RunningServer } from "../../src/index.ts";

/** Names of users that look alike, given by two servers. */
onEngines(
  "names of users",
  (server, { servers }) => {
    let sessionId: string;
    beforeAll(async () => {
      sessionId = await logIn(server(), "admin");
    });
    const at = (index: number) => servers()[index % 2] as RunningServer;
    const send = (path: string, method: string, body?: object, on = server()) =>
      call(on, path, { method, sessionId, ...(body === undefined ? {} : { body }) } as never);
    const create = (Name: string, on = server()) => send("/v1/object/User", "POST", { Name }, on);
    const created = async (Name: string): Promise<string> => {
      const { code, body } = await create(Name);
      expect(code).toBe("0");
      return body.data["~ObjectID"];
    };
    const rename = async (id: string, Name: string) => (await send(`/v1/object/${id}`, "PATCH", { Name })).code;
    const remove = async (id: string) => (await send(`/v1/object/${id}`, "DELETE")).code;

    // The second name of each pair has Cyrillic, Greek or Cherokee letters.
    test.each([
      ["paypal", "\u0440\u0430\u0443\u0440\u0430\u04cf"],
      ["scope", "s\u0441ope"],
      ["Kana", "\u039aana"],
      ["GooGle", "\u13c0oo\u13c0le"],
    ])("%s and %s are not both given", async (latin, other) => {
      const id = await created(latin);
      for (const node of servers()) expect(await create(other, node)).toMatchObject({ status: 400, code: "307" });
      const third = await created(`${latin}-another`);
      expect(await rename(third, other)).toBe("307");
      expect(await rename(id, other)).toBe("0");
      expect(await rename(third, latin)).toBe("307");
      expect(await remove(id)).toBe("0");
      expect(await rename(third, latin)).toBe("0");
      expect(await remove(third)).toBe("0");
    });

    test.each([
      ["modern", "rnodern"],
      ["Il1ia", "lIlia"],
      ["10", "l0"],
    ])("%s and %s are both given", async (one, other) => {
      const ids = [await created(one), await created(other)];
      for (const id of ids) expect(await remove(id)).toBe("0");
    });

    test("of two names of different scripts that two servers give at once, one is given", async () => {
      for (let round = 0; round < 20; round += 1) {
        const names = [`race${round}`, `r\u0430ce${round}`];
        const answers = await Promise.all(names.map((name, index) => create(name, at(index))));
        expect(answers.map(({ code }) => code).toSorted()).toEqual(["0", "307"]);
      }
      const alike = await Promise.all(["corn", "com"].map((name, index) => create(`${name}-race`, at(index))));
      expect(alike.map(({ code }) => code)).toEqual(["0", "0"]);
    });

    test("users whose names were confusable before keep them", async () => {
      const { storage } = server().databases.get("") as Database;
      const { objects, model } = storage.repositories;
      const { generation } = await model.load();
      const [one, other] = await objects.insert(
        ["scooter", "sc\u043eoter"].map((Name) => ({ className: "User", attributes: { Name }, links: {} })),
        { session: null, modelGeneration: generation } as never,
      );
      const ids = [one, other].map((user) => user?.id as string) as [string, string];
      for (let round = 0; round < 2; round += 1) await reserveUserNames(server().databases.get("") as Database);
      const names = (await objects.get(ids, seesAll)).map(({ attributes }) => attributes["Name"]);
      expect(names.toSorted()).toEqual(["scooter", "sc\u043eoter"]);
      expect((await send(`/v1/object/${ids[1]}`, "PATCH", { Description: "stays" })).code).toBe("0");
      expect((await create("sco\u043eter")).code).toBe("307");
      for (const id of ids) expect(await remove(id)).toBe("0");
    });

    test("a restored user does not get a name that looks like one that was taken since", async () => {
      const id = await created("restored");
      expect((await send(`/v1/object/${id}?moveToRecycler=true`, "DELETE")).code).toBe("0");
      const other = await created("rest\u043ered");
      expect((await send(`/v1/object/${id}/restore`, "POST")).code).toBe("307");
      expect(await remove(other)).toBe("0");
      expect((await send(`/v1/object/${id}/restore`, "POST")).code).toBe("0");
    });
  },
  { count: 2 },
);
