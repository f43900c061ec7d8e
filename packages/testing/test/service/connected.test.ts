import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type AnsweredRequest,
  connectTestService,
  type ConnectOptions,
  describeEachMode,
  startTestService,
  type TestService,
} from "@sallyport/testing";
import { contractCoverage, readExercises, startCoverage } from "@sallyport/testing/coverage";
import { startRealPostgres } from "@sallyport/test-kit/databases/postgres";
import { generateSync } from "otplib";
import { tickets } from "../content.ts";

/** The suite of a team: it does not know which kind of service it tests. */
function teamSuite(serviceOf: () => TestService): void {
  describeEachMode("a ticket", (agentOf) => {
    test("is created, changed and deleted", async () => {
      const ada = agentOf(serviceOf(), "ada");
      const { body } = await ada.post("/v1/object/Ticket").send({ Title: "New" }).expect(200);
      const id = body.data["~ObjectID"];
      await ada.patch(`/v1/object/${id}`).send({ Title: "Changed" }).expect(200);
      await ada.get("/v1/objects/Ticket").query({ perPage: 1 }).expect(200);
      await ada.delete(`/v1/object/${id}`).expect(200);
    });

    test("needs a title", async () => {
      expect(await agentOf(serviceOf(), "ada").post("/v1/object/Ticket").send({})).toBeError(307);
    });

    test("is read by the id of its name", async () => {
      const first = await agentOf(serviceOf(), "ada")
        .get(`/v1/object/${serviceOf().id("first")}`)
        .expect(200);
      expect(first.body.data.Title).toBe("First");
    });
  });

  test("reads several at once", async () => {
    const items = [{ method: "GET", path: "/v1/object/999999" }];
    const { body } = await serviceOf().as("ada").post("/v1/multi").send(items).expect(200);
    expect(body.data[0].httpStatus).toBe(404);
  });
}

describe("connected", () => {
  let folder: string;
  let deployed: TestService;
  let connected: TestService;
  let postgres: Awaited<ReturnType<typeof startRealPostgres>>;

  const optionsFor = (url: string): ConnectOptions => ({
    url,
    appKey: "test-app-key",
    users: { ada: "correct horse", root: { name: "root", password: "root" } },
    ids: { first: deployed.id("first") },
  });

  beforeAll(async () => {
    await import("@sallyport/testing/jest");
    folder = mkdtempSync(join(tmpdir(), "sallyport-connected-"));
    postgres = await startRealPostgres();
    const apps = [{ name: "test-app" }, { name: "optional-app", secondFactor: "optional" }] as const;
    deployed = await startTestService({
      databases: { "": { ...tickets, apps } },
      storage: { postgres: postgres.url },
      listen: true,
    });
    startCoverage({ folder });
    connected = await connectTestService(optionsFor(deployed.url));
    delete process.env["SALLYPORT_COVERAGE"];
  });
  afterAll(async () => {
    await connected.close();
    await deployed.close();
    await postgres.stop();
    rmSync(folder, { recursive: true });
  });

  describe("in process", () => {
    teamSuite(() => deployed);
  });
  describe("deployed", () => {
    teamSuite(() => connected);
  });

  test("records the coverage of agents", async () => {
    const { routes, codes, modes } = contractCoverage(await readExercises([folder]));
    expect(routes.exercised).toEqual(
      expect.arrayContaining([
        "GET /v1/objects/{className}",
        "POST /v1/login",
        "GET /v1/object/{idOrClass}",
        "POST /v1/multi",
      ]),
    );
    expect(codes.exercised).toEqual(expect.arrayContaining([304, 307]));
    expect(modes?.exercised).toEqual(["session", "token", "encrypted", "secure"]);
  });

  test.each([
    "app",
    "clock",
    "timers",
    "mail",
    "licences",
    "providers",
    "fail",
    "seed",
    "why",
    "audit",
    "journal",
    "reset",
  ] as const)("has no %s, in words", (member) => {
    expect(() => connected[member]).toThrow(
      `service.${member} needs the inside of a service. A connected service has none: use \`startTestService\`.`,
    );
  });

  test("sends no control request", async () => {
    const answered: string[] = [];
    const end = deployed.onAnswered(({ route }) => answered.push(String(route)));
    const named = connected.as("ada").get("/_CheckSession").set("Sallyport-Test-Fail", "607");
    await expect(named).rejects.toThrow("The header sallyport-test-fail needs the inside of a service.");
    end();
    expect(answered).toEqual([]);
  });

  test("names what its options lack", () => {
    expect(() => connected.id("second")).toThrow('The option `ids` of the connected service has no "second".');
    expect(() => connected.as("ada", { alias: "other" })).toThrow('The database "other" needs the inside');
  });

  test("rejects a request of a user whom its options lack", async () => {
    await expect(connected.as("eve").get("/_CheckSession")).rejects.toThrow(
      '`users` of the connected service has no "eve"',
    );
  });

  test("has second factors and administrators, whose secrets the options have", async () => {
    const bob = deployed.as("bob", { appNames: ["optional-app"] });
    const { secret } = (await bob.post("/v1/2fa/secret?app=optional-app").expect(200)).body.data;
    const token = generateSync({ secret, strategy: "totp", epoch: Date.now() / 1_000 - 30 });
    await bob.patch("/v1/2fa/secret?app=optional-app").send({ token }).expect(200);
    const own = await connectTestService({
      ...optionsFor(deployed.url),
      users: { bob: { password: "bob", secondFactor: secret }, root: "root" },
      appNames: ["optional-app"],
      administrationKey: await deployed.administrationKey(),
    });
    await own.as("bob", { mode: "secure" }).get("/_CheckSession").expect(200);
    await own.as("root", { administration: true }).get("/admin/v1/users").expect(200);
    await own.close();
    expect(() => connected.as("bob", { secondFactor: true })).toThrow("needs the inside of a service");
    await expect(connected.as("root", { administration: true }).get("/admin/v1/users")).rejects.toThrow(
      "administrationKey",
    );
  });

  test("reports the requests of its agents without credentials", async () => {
    const own = await connectTestService(optionsFor(deployed.url));
    const seen: AnsweredRequest[] = [];
    own.onAnswered((request) => seen.push(request));
    await own.as("ada").get("/_CheckSession").expect(200);
    await expect(own.as("root", { password: "wrong" }).logIn()).rejects.toMatchObject({ code: 302 });
    expect(seen.map(({ method, route, code, mode }) => [method, route, code, mode])).toEqual([
      ["POST", "/v1/login", 0, null],
      ["GET", "/_CheckSession", 0, "session"],
      ["POST", "/v1/login", 302, null],
    ]);
    expect(seen[0]?.data).toMatchObject({ sessionId: "<sessionId>" });
    await own.close();
  });

  test("ends the sessions of its agents", async () => {
    const own = await connectTestService(optionsFor(deployed.url));
    const secure = own.as("ada", { mode: "secure" });
    await secure.get("/_CheckSession").expect(200);
    const ended: string[] = [];
    const end = deployed.onAnswered(({ route, code }) => ended.push(`${route} ${code}`));
    await own.close();
    end();
    expect(ended).toEqual(["/v1/logout 0"]);
  });

  test.each(["https://sallyport.example.com", "http://192.0.2.1:3000/api", "http://127.0.0.1.example.com"])(
    "refuses %s, which could be a production server",
    async (url) => {
      const { hostname } = new URL(url);
      await expect(connectTestService({ url, appKey: "k" })).rejects.toThrow(
        `${hostname} is not this machine and could serve production data, which tests change.`,
      );
    },
  );

  test("takes the word of the team for another server", async () => {
    const url = "http://sallyport.invalid";
    const options = { url, appKey: "k", allowWrites: true };
    await expect(connectTestService(options)).rejects.toThrow(`No server answers at ${url}/_CheckService.`);
  });

  test("refuses invalid options and servers of another kind", async () => {
    const other = createServer((_request, response) => response.end("<html>")).listen(0, "127.0.0.1");
    await once(other, "listening");
    const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    await expect(connectTestService({ url, appKey: "k" })).rejects.toThrow(
      "answers with HTTP 200, and is not a service",
    );
    other.close();
    await expect(connectTestService({ url: "staging", appKey: "k" })).rejects.toThrow("`url` must be the URL");
    await expect(connectTestService({ url, appKey: "" })).rejects.toThrow("`appKey` must be");
    const wrong = { url, appKey: "k", allowWrite: true } as ConnectOptions;
    await expect(connectTestService(wrong)).rejects.toThrow('Did you mean "allowWrites"?');
  });
});
