import { startTestService, type TestService } from "@sallyport/testing";
import request from "supertest";
import { tickets } from "../content.ts";

describe("service", () => {
  let service: TestService;

  beforeAll(async () => {
    service = await startTestService({ databases: { "": tickets, second: { users: [{ name: "ada" }] } } });
  });
  afterAll(() => service.close());

  test("answers Supertest without a port", async () => {
    await request(service.app).get("/_CheckService").expect(200);
    expect(() => service.url).toThrow("listen: true");
  });

  test("listens on demand", async () => {
    const listening = await startTestService({ databases: { "": {} }, listen: true });
    try {
      await request(listening.url).get("/_CheckService").expect(200);
    } finally {
      await listening.close();
    }
  });

  test("fills the database with objects that refer to one another", async () => {
    const ada = service.as("ada");
    const { body } = await ada.get(`/v1/object/${service.id("first")}`).expect(200);
    expect(body.data).toMatchObject({ Title: "First", Next: { "~ObjectID": service.id("second") } });
    const { body: other } = await ada.get(`/v1/object/${service.id("second")}`).expect(200);
    expect(other.data.Next["~ObjectID"]).toBe(service.id("first"));
  });

  test("grants rights to groups by name", async () => {
    await service.as("ada").post("/v1/object/Ticket").send({ Title: "New" }).expect(200);
    const refused = await service.as("bob").post("/v1/object/Ticket").send({ Title: "New" });
    expect(refused.body.status.internalStatus).toBe("304");
    await service.as("bob").post("/v1/object/Note").send({ Text: "For all" }).expect(200);
  });

  test("stores macros", async () => {
    const { body } = await service.as("ada").post("/v1/execute/WhoAmI").expect(200);
    expect(body.data).toBe("ada");
  });

  test("serves several databases", async () => {
    await service.as("ada", { alias: "second" }).get("/_CheckSession").expect(200);
    expect(() => service.as("ada", { alias: "third" })).toThrow("no database");
  });

  test("restores content, sessions and failures", async () => {
    await service.reset();
    const ada = service.as("ada");
    const before = await ada.get("/v1/object/Ticket").expect(200);
    await ada.delete(`/v1/object/${service.id("second")}`).expect(200);
    await ada.post("/v1/object/Ticket").send({ Title: "Gone soon" }).expect(200);
    await service.seed({ objects: [{ name: "third", className: "Note" }] });
    expect(service.id("third")).not.toBe("");
    service.fail("GET /v1/object/{id}").with(607).always();

    await service.reset();

    const after = await ada.get("/v1/object/Ticket").expect(200);
    expect(after.body.data["~Count"]).toBe(before.body.data["~Count"]);
    expect(() => service.id("third")).toThrow('no "third"');
  });

  test("forgets a changed class with a reset", async () => {
    const root = service.as("root");
    const define = (type: string) =>
      root
        .put("/v1/model/structure/Fresh")
        .send({ attributes: [{ name: "Value", type }], rights: [] })
        .expect(200);
    await define("string");
    await root.post("/v1/object/Fresh").send({ Value: "text" }).expect(200);
    await service.reset();
    await define("number");
    await root.post("/v1/object/Fresh").send({ Value: 1 }).expect(200);
    await root.post("/v1/object/Fresh").send({ Value: "text" }).expect(400);
  });

  test("forgets added app names with a reset", async () => {
    const check = () => service.as("ada", { appNames: ["extra"] }).get("/_CheckSession");
    await service.seed({ apps: [{ name: "extra" }] });
    await check().expect(200);
    await service.reset();
    await expect(check()).rejects.toMatchObject({ code: 208 });
  });

  test("opens secure sessions after a reset", async () => {
    await service.as("ada", { mode: "secure" }).get("/_CheckSession").expect(200);
    await service.reset();
    await service.as("ada", { mode: "secure" }).get("/_CheckSession").expect(200);
    await service.as("ada", { mode: "token" }).get("/_CheckSession").expect(200);
  });

  test("explains a refusal", async () => {
    const answer = await service.as("ada").get("/v1/object/999999");
    const explanation = await service.why(String(answer.headers["x-request-id"]));
    expect(explanation).toMatchObject({ user: "ada", failure: { code: 304 } });
    expect(await service.why("unknown")).toBeNull();
  });

  test("reports answered requests with their modes", async () => {
    const seen: string[] = [];
    const end = service.onAnswered(({ method, route, code, mode }) => seen.push(`${method} ${route} ${code} ${mode}`));
    await service.as("ada", { mode: "encrypted" }).get("/_CheckSession").expect(200);
    await service.anonymous().get("/_CheckSession").expect(400);
    end();
    await service.anonymous().get("/_CheckSession").expect(400);
    expect(seen.slice(-2)).toEqual(["GET /_CheckSession 0 encrypted", "GET /_CheckSession 200 null"]);
  });

  test("lets users store files", async () => {
    const stored = await service
      .as("bob")
      .post("/v1/uploadFile")
      .attach("file", Buffer.from("text"), "a.txt")
      .expect(200);
    await service.as("ada").get(`/v1/file/${stored.body.data["~ObjectID"]}`).expect(200);
  });

  test.each<[object, string]>([
    [{ database: {} }, 'database: is unknown; did you mean "databases"?'],
    [{ storage: "sqlite" }, 'storage: must be "memory", "embedded", { postgres: url } or { module: path }'],
    [{ storage: { postgres: "" } }, "storage.postgres: must be an address such as postgres://user@host/database"],
    [{ storage: { postgre: "x" } }, 'storage.postgre: is unknown; did you mean "postgres"?'],
    [{ databases: { "": "dmeo" } }, 'databases[""]: must be a content, or "demo"'],
    [{ databases: { a: { users: [{ nam: "ada" }] } } }, 'databases.a.users[0].nam: is unknown; did you mean "name"?'],
    [
      { databases: { "": { classes: [{ name: "A", attributes: [{ name: "B", typ: "string" }] }] } } },
      'databases[""].classes[0].attributes[0].typ: is unknown; did you mean "type"?',
    ],
    [{ configuration: { databases: [] } }, "configuration.databases: belongs to the option `databases`"],
  ])("refuses the options %j", async (options, fault) => {
    const refused = await startTestService(options).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(TypeError);
    expect((refused as Error).message).toContain(fault);
    expect((refused as Error).message).toMatch(/^Invalid options of the service:/);
  });

  test("refuses unknown options of agents", () => {
    const options = { mod: "secure" } as object;
    expect(() => service.as("ada", options)).toThrow('There is no option of an agent "mod". Did you mean "mode"?');
    const mode = "sceure" as "secure";
    expect(() => service.as("ada", { mode })).toThrow('There is no log-in mode "sceure". Did you mean "secure"?');
  });

  test.each<[Parameters<TestService["seed"]>[0], string]>([
    [{ users: [{ name: "new" }, { name: "ada" }] }, 'users[1] ("ada"): '],
    [{ objects: [{ className: "Note" }, { name: "bad", className: "Ticket" }] }, "objects[1] (bad): "],
    [{ customUsers: [{ name: "c", user: "none" }] }, 'customUsers[0] ("c"): '],
    [{ macros: { Broken: "export default 1" } }, "macros.Broken: "],
    [{ appKeys: [{ name: "bad", key: "k", origins: ["no origin"] }] }, 'appKeys[0] ("bad"): '],
    [{ classes: [] } as never, "classes: is unknown"],
    [{ objects: [{ classname: "Note" } as never] }, 'objects[0].classname: is unknown; did you mean "className"?'],
  ])("names the place of a fault in %j", async (content, place) => {
    await expect(service.seed(content)).rejects.toThrow(place);
    await service.reset();
  });

  test("names the place of a fault in a class", async () => {
    const classes = [
      { name: "One" },
      { name: "Other", attributes: [{ name: "Next", type: "reference", target: "None" }] },
    ] as const;
    await expect(startTestService({ databases: { "": { classes } } })).rejects.toThrow("at /classes/1/");
  });

  test("refuses content that refers to an unknown name", async () => {
    const content = { objects: [{ className: "Note", attributes: { Text: { "~Ref": "nobody" } } }] };
    await expect(service.seed(content)).rejects.toThrow('refers to "nobody"');
  });
});
