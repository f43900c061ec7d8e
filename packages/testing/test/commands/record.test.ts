import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SallyportClient } from "@sallyport/client";
import { startTestService, type TestService } from "@sallyport/testing";
import { tickets } from "../content.ts";

const databases = {
  "": {
    ...tickets,
    appKeys: [{ name: "app", key: "a-very-secret-app-key" }],
    users: (tickets.users ?? []).filter((user) => !("passwordDigest" in user)),
  },
};

describe("record", () => {
  let folder: string;
  let service: TestService;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "sallyport-record-"));
    mkdirSync(join(folder, "node_modules/@sallyport"), { recursive: true });
    symlinkSync(join(import.meta.dirname, "../.."), join(folder, "node_modules/@sallyport/testing"));
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
    service = await startTestService({ databases, listen: true });
  });
  afterAll(async () => {
    await service.close();
    rmSync(folder, { recursive: true });
  });

  /** Sends what a team would. */
  const useTickets = async (): Promise<void> => {
    const ada = service.as("ada", { mode: "secure" });
    const created = await ada
      .post("/v1/object/Ticket")
      .send({ Title: 'Say "hi"', Next: service.id("first") })
      .expect(200);
    const id = created.body.data["~ObjectID"];
    await ada.post("/v1/object/Ticket").send({}).expect(400);
    const next = await ada.post("/v1/object/Ticket").send({ Title: "After", Next: id }).expect(200);
    await ada.patch(`/v1/object/${id}`).send({ Title: "Changed" }).expect(200);
    await ada.get(`/v1/object/${service.id("first")}`).expect(200);
    await ada.get("/v1/objects/Ticket").query({ perPage: 2, query: '{"sort":["Title"]}' }).expect(200);
    await ada
      .post("/v1/multi")
      .send([{ method: "GET", path: "/v1/object/999999" }])
      .expect(200);
    await ada.get(`/v1/object/${next.body.data["~ObjectID"]}`).expect(200);
    await ada.delete(`/v1/object/${next.body.data["~ObjectID"]}`).expect(200);
    await ada.delete(`/v1/object/${id}`).expect(200);
    await service.as("bob").post("/v1/object/Ticket").send({ Title: "New" }).expect(404);
    await service.as("partner", { mode: "custom" }).post("/v1/execute/WhoAmI").expect(200);
    await service.anonymous().get("/_CheckService").expect(200);
    await service.as("root").post("/v1/uploadFile").attach("file", Buffer.from("bytes"), "a.txt").expect(200);
    const change = { oldPassword: "correct horse", newPassword: "another quite long one" };
    await service.as("ada").post("/v1/changePassword").send(change).expect(200);
  };

  /** The suite is for the runner that records it: here, for `node:test`. */
  const recordForNode = async (name: string, use: () => Promise<unknown>): Promise<string> => {
    const { describe } = globalThis;
    Object.assign(globalThis, { describe: undefined });
    try {
      const recording = service.record(name, { folder });
      await use();
      return await recording.stop();
    } finally {
      Object.assign(globalThis, { describe });
    }
  };

  const text = (name: string): string => readFileSync(join(folder, name), "utf8");

  /** Runs a suite as a team does. */
  const replay = (file: string, env: Readonly<Record<string, string>> = {}) =>
    new Promise<string>((resolve) => {
      const options = { cwd: folder, env: { ...process.env, NODE_OPTIONS: "", NODE_TEST_CONTEXT: undefined, ...env } };
      execFile(process.execPath, ["--test", "--test-reporter=tap", file], options, (_error, stdout) => resolve(stdout));
    });

  test("is a readable suite without secrets, which passes in process and against a server", async () => {
    const file = await recordForNode("orders", async () => {
      await useTickets();
      await service.reset();
      await service.as("ada").get("/_CheckSession").expect(200);
    });

    expect(file).toBe(join(folder, "orders.test.js"));
    expect(text("orders.test.js")).toMatchSnapshot();
    const all = text("orders.test.js") + text("orders.databases.json");
    expect(all).not.toMatch(/correct horse|another quite long one|a-very-secret-app-key|sessionid/i);

    const inProcess = await replay(file);
    expect(inProcess).toMatch(/^# pass 8$/m);
    expect(inProcess).toMatch(/^# fail 0$/m);

    const deployed = await startTestService({ databases, listen: true });
    const users = Object.fromEntries(["ada", "bob", "partner", "root"].map((name) => [name, name]));
    const server = {
      url: deployed.url,
      appKey: "a-very-secret-app-key",
      users: { ...users, ada: "correct horse" },
      ids: { first: deployed.id("first") },
    };
    writeFileSync(join(folder, "server.json"), JSON.stringify(server));
    const seen: string[] = [];
    deployed.onAnswered(({ route }) => seen.push(String(route)));
    try {
      const connected = await replay(file, { SALLYPORT_TEST_SERVER: "server.json" });
      expect(connected).toMatch(/^# pass 8$/m);
      expect(connected).toMatch(/^# fail 0$/m);
      expect(seen).toContain("/v1/multi");
    } finally {
      await deployed.close();
    }
  }, 120_000);

  test("has the requests of applications, too", async () => {
    const recording = service.record("application", { folder });
    const client = new SallyportClient({ baseUrl: service.url, appKey: "a-very-secret-app-key" });
    await client.logIn({ mode: "secure", user: "bob", password: "bob", appNames: ["test-app"] });
    const note = await client.createObject("Note", { Text: "From an application" });
    await client.deleteObject(note["~ObjectID"]);
    await client.logOut();
    await recording.stop();
    expect(text("application.test.js")).toContain(`
    const bob = agentOf(service, "bob");
    const created = await bob.post("/v1/object/Note").send({ Text: "From an application" }).expect(200);
    const note = created.body.data["~ObjectID"];
    assert.equal(created.body.data.Text, "From an application");
    await bob.delete(\`/v1/object/\${note}\`).expect(200);
  });
`);
  });

  test("replaces no suite, and no file outside its folder", async () => {
    expect(() => service.record("../orders", { folder })).toThrow('"../orders" is not a name of a recording');
    writeFileSync(join(folder, "mine.test.js"), "// mine");
    expect(() => service.record("mine", { folder })).toThrow(/mine\.test\.js exists\./);
    const file = await service.record("mine", { folder, overwrite: true }).stop();
    expect(readFileSync(file, "utf8")).toContain('describeEachMode("mine"');
    expect(readdirSync(folder)).toContain("mine.databases.json");
  });

  test("names a server that it cannot reach", async () => {
    writeFileSync(join(folder, "wrong.json"), '{ "url": "http://127.0.0.1:9", "appKey": "k" }');
    const file = await recordForNode("lost", async () => service.as("ada").get("/_CheckSession").expect(200));
    const refused = await replay(file, { SALLYPORT_TEST_SERVER: "wrong.json" });
    expect(refused).toContain(
      "SALLYPORT_TEST_SERVER=wrong.json: No server answers at http://127.0.0.1:9/_CheckService.",
    );
  });
});
