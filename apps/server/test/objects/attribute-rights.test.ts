import { type Answer, callIn, multiResults, type Sent } from "../client.ts";
import { testedModes } from "../modes.ts";
import { openSession } from "../open-session.ts";
import { onEngines } from "../engines.ts";
import { objectEnvironment } from "./object-environment.ts";

type Session = Awaited<ReturnType<typeof openSession>>;

/** Read rights on attributes: on every route, in every mode and on every engine. */
onEngines(
  "rights on attributes",
  (server) => {
    describe.each(testedModes)("in mode %s", (mode) => {
      // Names that no other mode has.
      const person = `Patient${mode.charAt(0).toUpperCase()}${mode.slice(1)}`;
      const below = `${person}Below`;
      const letter = `${person}Letter`;
      let reader: Session;
      let demo: Session;
      let admin: Session;
      let sales: string;
      let id: string;
      let letterId: string;

      const send = (session: Session, path: string, method: Sent["method"] = "GET", body?: object): Promise<Answer> =>
        callIn(server(), session, path, { method, ...(body === undefined ? {} : { body }) } as Sent);
      const dataOf = async (sent: Promise<Answer>) => {
        const { code, body } = await sent;
        expect([code, body.status.debugMessage]).toEqual(["0", undefined]);
        return body.data;
      };
      const statusOf = async (sent: Promise<Answer>) => {
        const { status, code } = await sent;
        return `${status}/${code}`;
      };
      const encoded = (value: unknown) => encodeURIComponent(JSON.stringify(value));
      const queryPath = (query: object, className = person) => `/v1/objects/${className}?query=${encoded(query)}`;
      const everything = { group: "*", permissions: ["read", "create", "write", "delete"] };

      beforeAll(async () => {
        [reader, demo, admin] = (await Promise.all(
          ["reader", "demo", "admin"].map((name) => openSession(server(), mode, name)),
        )) as [Session, Session, Session];
        const { "~Elements": groups } = await dataOf(send(admin, "/v1/objects/UserGroup"));
        sales = groups.find(({ Name }: { Name: string }) => Name === "Sales")["~ObjectID"];
        const attributes = [
          { name: "Name", type: "string" },
          { name: "Diagnosis", type: "string", read: [sales] },
          { name: "Doctor", type: "reference", target: person, read: [sales] },
          { name: "Relatives", type: "collection", target: person, read: [sales] },
        ];
        await dataOf(send(admin, `/v1/model/structure/${person}`, "PUT", { attributes, rights: [everything] }));
        await dataOf(
          send(admin, `/v1/model/structure/${below}`, "PUT", {
            base: person,
            attributes: [{ name: "Ward", type: "string" }],
            rights: [everything],
          }),
        );
        await dataOf(
          send(admin, `/v1/model/structure/${letter}`, "PUT", {
            attributes: [
              { name: "To", type: "reference", target: person, onDelete: "cascade", read: [sales] },
              { name: "Text", type: "string" },
            ],
            rights: [everything],
          }),
        );
        const doctor = (await dataOf(send(demo, `/v1/object/${person}`, "POST", { Name: "Eve" })))["~ObjectID"];
        id = (
          await dataOf(
            send(demo, `/v1/object/${below}`, "POST", { Name: "Ada", Diagnosis: "cold", Doctor: doctor, Ward: "west" }),
          )
        )["~ObjectID"];
        await dataOf(send(demo, `/v1/object/${id}`, "PATCH", { Relatives: [id] }));
        letterId = (await dataOf(send(demo, `/v1/object/${letter}`, "POST", { To: id, Text: "Dear Ada" })))[
          "~ObjectID"
        ];
      });

      test("members of the named groups and administrators read and write the attribute", async () => {
        for (const session of [demo, admin]) {
          expect(await dataOf(send(session, `/v1/object/${id}`))).toMatchObject({
            Diagnosis: "cold",
            Relatives: expect.anything(),
          });
          expect(
            (await dataOf(send(session, queryPath({ where: { Diagnosis: "cold" }, sort: ["Diagnosis"] }))))["~Count"],
          ).toBe(1);
          expect(await statusOf(send(session, `/v1/object/${id}`, "PATCH", { Diagnosis: "cold" }))).toBe("200/0");
        }
      });

      test("answers to other callers omit it: objects, lists, references and results of writes", async () => {
        const answers = [
          await dataOf(send(reader, `/v1/object/${id}`)),
          await dataOf(send(reader, `/v1/object/${id}?serialization=${encoded({ depth: 3 })}`)),
          (await dataOf(send(reader, queryPath({ where: { Name: "Ada" } }))))["~Elements"][0],
          await dataOf(send(reader, `/v1/object/${id}`, "PATCH", { Name: "Ada" })),
          multiResults(
            await dataOf(send(reader, "/v1/multi", "POST", [{ method: "GET", path: `/v1/object/${id}` }])),
          )[0]?.result,
        ];
        for (const answer of answers) {
          expect(answer).toMatchObject({ Name: "Ada" });
          for (const name of ["Diagnosis", "Doctor", "Relatives"]) expect(Object.keys(answer)).not.toContain(name);
        }
        expect(Object.keys(await dataOf(send(reader, `/v1/object/${letterId}`)))).not.toContain("To");
      });

      test.each<[string, () => [string, Sent["method"]?, object?]]>([
        ["a filter", () => [queryPath({ where: { Diagnosis: "cold" } })]],
        ["a filter of a base class", () => [queryPath({ where: { $not: { Diagnosis: { $exists: true } } } }, below)]],
        ["a filter through a reference", () => [queryPath({ where: { "Doctor.Name": "demo" } })]],
        ["a filter by a collection", () => [queryPath({ where: { Relatives: { $exists: true } } })]],
        ["an order", () => [queryPath({ sort: ["-Diagnosis"] })]],
        ["an order through a reference", () => [queryPath({ sort: ["Doctor.Name"] })]],
        [
          "named fields",
          () => [`/v1/object/${id}?serialization=${encoded({ type: "custom", fields: ["Diagnosis"] })}`],
        ],
        [
          "named fields through a reference",
          () => [`/v1/object/${id}?serialization=${encoded({ type: "custom", fields: ["Doctor.Name"] })}`],
        ],
        ["a creation", () => [`/v1/object/${person}`, "POST", { Name: "Bob", Diagnosis: "flu" }]],
        ["a change", () => [`/v1/object/${id}`, "PATCH", { Diagnosis: "flu" }]],
        ["a change to null", () => [`/v1/object/${id}`, "PATCH", { Doctor: null }]],
        ["a change of all", () => [queryPath({}), "PATCH", { Diagnosis: "flu" }]],
        ["a change of matching objects", () => [queryPath({ where: { Diagnosis: "cold" } }), "PATCH", { Name: "Ada" }]],
      ])("refuses %s of another caller with 307, like an unknown name", async (_title, request) => {
        const [path, method, body] = request();
        expect(await statusOf(send(reader, path, method, body))).toBe("400/307");
        const ownerless = (text: string) =>
          text.replaceAll("Diagnosis", "Nothing").replaceAll("Doctor", "Nothing").replaceAll("Relatives", "Nothing");
        const unknown = await send(
          reader,
          ownerless(path),
          method,
          body === undefined ? undefined : JSON.parse(ownerless(JSON.stringify(body))),
        );
        expect(unknown).toMatchObject({ status: 400, code: "307" });
        expect((await dataOf(send(demo, `/v1/object/${id}`)))["Diagnosis"]).toBe("cold");
      });

      test("a write of another caller keeps its value", async () => {
        expect(await statusOf(send(reader, `/v1/object/${id}`, "PATCH", { Name: "Ada", Ward: "east" }))).toBe("200/0");
        const { Diagnosis, Doctor, Relatives, Ward } = await dataOf(send(demo, `/v1/object/${id}`));
        expect({ Diagnosis, Ward }).toEqual({ Diagnosis: "cold", Ward: "east" });
        expect([Doctor, Relatives["~Count"]]).toEqual([expect.anything(), 1]);
      });

      test("structure and API description name it to callers with the right only", async () => {
        const structureOf = async (session: Session, name: string) =>
          (await dataOf(send(session, "/v1/model/structure")))["classes"].find(
            (each: { name: string }) => each.name === name,
          );
        const namesOf = async (session: Session) =>
          (await structureOf(session, below)).attributes.map(({ name }: { name: string }) => name);
        expect(await namesOf(reader)).toEqual(["Name", "Ward"]);
        expect(await namesOf(demo)).toEqual(["Name", "Diagnosis", "Doctor", "Relatives", "Ward"]);
        expect((await structureOf(admin, person)).attributes[1]).toMatchObject({ name: "Diagnosis", read: [sales] });
        expect((await structureOf(demo, person)).attributes[1]).not.toHaveProperty("read");
        const described = async (session: Session) => JSON.stringify(await callIn(server(), session, "/openapi.json"));
        expect([
          (await described(reader)).includes("Diagnosis"),
          (await described(demo)).includes("Diagnosis"),
        ]).toEqual([false, true]);
      });

      test("a deletion and a restore by another caller keep references by it consistent", async () => {
        const target = (await dataOf(send(demo, `/v1/object/${person}`, "POST", { Name: "Carl", Diagnosis: "flu" })))[
          "~ObjectID"
        ];
        const pointing = (await dataOf(send(demo, `/v1/object/${letter}`, "POST", { To: target, Text: "Dear Carl" })))[
          "~ObjectID"
        ];
        expect(await statusOf(send(reader, `/v1/object/${target}?moveToRecycler=true`, "DELETE"))).toBe("200/0");
        expect(await statusOf(send(demo, `/v1/object/${pointing}`))).toBe("410/609");
        expect(Object.keys(await dataOf(send(reader, `/v1/object/${target}/restore`, "POST")))).not.toContain(
          "Diagnosis",
        );
        expect(await dataOf(send(demo, `/v1/object/${target}`))).toMatchObject({ Diagnosis: "flu" });
        expect(await dataOf(send(demo, `/v1/object/${pointing}`))).toHaveProperty("To");
      });

      test("accepts groups only, refuses mandatory attributes, and prevents the deletion of a named group", async () => {
        const put = (attribute: object) =>
          statusOf(
            send(admin, `/v1/model/structure/${person}Other`, "PUT", {
              attributes: [{ name: "Note", type: "string", ...attribute }],
            }),
          );
        expect(await put({ read: ["ZZZZZZ"] })).toBe("400/307");
        expect(await put({ read: ["*"] })).toBe("400/307");
        expect(await put({ read: [id] })).toBe("400/307");
        expect(await put({ read: [sales, sales] })).toBe("400/307");
        expect(await put({ read: [sales], mandatory: true })).toBe("400/307");
        const group = (
          await dataOf(send(admin, "/v1/object/UserGroup", "POST", { Name: `Group ${crypto.randomUUID()}` }))
        )["~ObjectID"];
        expect(await put({ read: [group] })).toBe("200/0");
        expect(await statusOf(send(admin, `/v1/object/${group}`, "DELETE"))).toBe("500/718");
        expect(await put({ read: [] })).toBe("200/0");
        expect(await statusOf(send(admin, `/v1/object/${group}`, "DELETE"))).toBe("200/0");
      });
    });
  },
  { environment: objectEnvironment },
);
