import { randomUUID } from "node:crypto";
import type { LogInMode } from "@sallyport/client";
import { identityLinkId, identityLinkKind, linkOwner } from "@sallyport/storage";
import { administrationOf, Applications, type Database, putSyncSchema } from "@sallyport/core";
import { NodeDigests } from "@sallyport/crypto";
import { databaseOperations, operationsOf } from "@sallyport/contract";
import type { RunningServer } from "../../src/index.ts";
import { type Answer, callIn, type Sent } from "../client.ts";
import { sessionEndedCode, modes, testedModes } from "../modes.ts";
import { openSession } from "../open-session.ts";
import { repositoriesOf } from "../repositories-of.ts";
import { Authenticator, logInWithFactor, type Enrolled } from "../second-factor-client.ts";
import { newUser } from "../new-user.ts";
import { allCases, type Case, logInCases, sessionCases } from "@sallyport/testing/acceptance";
import { runCases } from "../cases/run-cases.ts";
import { engines, onEngines, testedEngines } from "../engines.ts";
import { macroEnvironment } from "../macro-fixture.ts";

const password = "the first password";

/** Custom users have sessions of one mode only; `custom-passwords.test.ts` tests this route. */
const ofCustomUsers = "POST /v1/auth/df/confirmChangePassword";

/** Bodies and answers with the bytes of files have a form of their own; those of `files` test these routes in every mode. */
const ofFiles = [
  "POST /v1/uploadFile",
  "PATCH /v1/uploadFile",
  "DELETE /v1/uploadFile",
  "POST /v1/uploadFile/{uploadId}",
  "PATCH /v1/uploadFile/{uploadId}",
  "GET /v1/file/{idOrUuid}",
  "POST /v1/file/{idOrUuid}/link",
];

const sessionRoutes = operationsOf(databaseOperations)
  .filter(({ access }) => access === "session" || access === "optional")
  .map(({ method, path }) => `${method} ${path}`);

/** Whether cases call the route with a session of every mode, at least once with success and once with a failure. */
function isInCases(route: string): boolean {
  const [routeMethod, pattern = ""] = route.split(" ");
  const paths = new RegExp(`^${pattern.replaceAll(/\{\w+\}/g, "[^/?]+")}(?:\\?.*)?$`);
  const known = { customerId: "1", invoiceId: "2" };
  const isCalled = ({ as, modes: some, method = "GET", path }: Case) =>
    as !== undefined &&
    some === undefined &&
    method === routeMethod &&
    paths.test(typeof path === "string" ? path : path(known));
  const codes = Object.values(allCases)
    .flat()
    .filter(isCalled)
    .map(({ expect: { code } }) => code);
  return codes.includes(0) && codes.some((code) => code !== 0);
}

/** A success, a failure, and the code of the failure. */
type Tried = readonly [success: Answer, failure: Answer, code: string];

/** Every route of a session, in this mode: one success and one failure. */
function sessionRoutesSuite(server: () => RunningServer, mode: LogInMode): void {
  const factors = ["show", "enrol", "confirm", "remove", "validate"].map((what) => `${what}-${mode}`);
  let admin: Awaited<ReturnType<typeof openSession>>;
  let adminId: string;
  beforeAll(async () => {
    const { accounts, records } = repositoriesOf(server());
    const applications = new Applications(records);
    for (const name of factors) await applications.create({ name, seats: null, secondFactor: "optional" });
    const database = server().databases.get("") as Database;
    await putSyncSchema(administrationOf(database), { name: "tried", classes: [{ className: "Customer" }] });
    admin = await logInWithFactor(server(), mode, "admin", ["demo-app", ...factors]);
    adminId = (await accounts.find({ realm: "database", loginName: "admin" }, [])).account?.userId ?? "";
  });

  const send = (method: Sent["method"], path: string, body?: object, session = admin): Promise<Answer> =>
    callIn(server(), session, path, { method, ...(body === undefined ? {} : { body }) } as Sent);
  const create = async (): Promise<string> =>
    (await send("POST", "/v1/object/Customer", { Name: "Ada" })).body.data["~ObjectID"];
  const beginUpload = async () => (await send("GET", "/v1/uploadFile")).body.data.uploadId as string;
  const recycle = async (): Promise<string> => {
    const id = await create();
    await send("DELETE", `/v1/object/${id}?moveToRecycler=true`);
    return id;
  };
  const overSession = async () => {
    const session = await openSession(server(), mode, "demo");
    await send("POST", "/v1/logout", undefined, session);
    return session;
  };
  /** The code for a request with an ended session. */
  const afterLogOut = async (method: Sent["method"], path: string) =>
    [await send(method, path, undefined, await overSession()), sessionEndedCode[mode]] as const;
  const ofFactor = (name: string) => `/v1/2fa/secret?app=${name}-${mode}`;
  const enrol = async (name: string) => {
    const { secret } = (await send("POST", ofFactor(name))).body.data as Enrolled;
    return Authenticator.of(server(), secret);
  };

  const ofSchema = (uuid: string) => `/v1/sync/tried/${uuid}`;
  const newSynced = { syncVersion: "0", className: "Customer", fields: { Name: "Ada" } };
  const createSynced = async (): Promise<string> => {
    const uuid = randomUUID();
    await send("PUT", ofSchema(uuid), newSynced);
    return uuid;
  };
  const changeSynced = async (method: Sent["method"]): Promise<Tried> => {
    const change = { syncVersion: "1", fields: { Name: "Eve" } };
    const uuid = await createSynced();
    return [await send(method, ofSchema(uuid), change), await send(method, ofSchema(randomUUID()), change), "334"];
  };

  const tried: Readonly<Record<string, () => Promise<Tried>>> = {
    "GET /v1/sync": async () => [await send("GET", "/v1/sync"), ...(await afterLogOut("GET", "/v1/sync"))],
    "POST /v1/sync": async () => {
      const pull = (target: object) => send("POST", "/v1/sync", { ...target, syncVersion: "0", limit: 1 });
      return [await pull({ schemaName: "tried" }), await pull({}), "335"];
    },
    "POST /v1/sync/{schema}": async () => {
      const pull = (version: object) => send("POST", "/v1/sync/tried", { ...version, limit: 1 });
      return [await pull({ syncVersion: "0" }), await pull({}), "338"];
    },
    "PUT /v1/sync/{schema}/{uuid}": () => changeSynced("PUT"),
    "PATCH /v1/sync/{schema}/{uuid}": () => changeSynced("PATCH"),
    "DELETE /v1/sync/{schema}/{uuid}": async () => {
      const path = ofSchema(await createSynced());
      const remove = () => send("DELETE", path, { syncVersion: "1" });
      return [await remove(), await remove(), "609"];
    },
    "POST /v1/sync/{schema}/push": async () => {
      const ops = [{ id: randomUUID(), op: "put", uuid: randomUUID(), ...newSynced }];
      const push = (syncVersion: unknown) => send("POST", "/v1/sync/tried/push", { syncVersion, ops });
      return [await push("0"), await push(0), "330"];
    },
    "GET /_CheckSession": async () => [
      await send("GET", "/_CheckSession"),
      ...(await afterLogOut("GET", "/_CheckSession")),
    ],
    "POST /v1/logout": async () => {
      const session = await openSession(server(), mode, "demo");
      const logOut = () => send("POST", "/v1/logout", undefined, session);
      return [await logOut(), await logOut(), sessionEndedCode[mode]];
    },
    "POST /v1/license/reserve": async () => [
      await send("POST", "/v1/license/reserve", { appNames: ["demo-2fa"] }),
      await send("POST", "/v1/license/reserve", { appNames: ["unknown"] }),
      "208",
    ],
    "POST /v1/license/release": async () => {
      const session = await openSession(server(), mode, "demo");
      const release = (name = "demo-app") => send("POST", "/v1/license/release", { appNames: [name] }, session);
      expect(await release("no\u0000name")).toMatchObject({ code: "323" });
      return [await release(), await release(), "323"];
    },
    "POST /v1/changePassword": async () => {
      const session = await openSession(server(), mode, (await newUser(server())).name, { password });
      const change = (oldPassword: string) =>
        send("POST", "/v1/changePassword", { oldPassword, newPassword: "quite another one" }, session);
      const refused = await change("a wrong one");
      return [await change(password), refused, "339"];
    },
    "GET /v1/2fa/secret": async () => [
      await send("GET", ofFactor("show")),
      await send("GET", ofFactor("unknown")),
      "208",
    ],
    "POST /v1/2fa/secret": async () => [
      await send("POST", ofFactor("enrol")),
      await send("POST", ofFactor("unknown")),
      "208",
    ],
    "PATCH /v1/2fa/secret": async () => {
      const authenticator = await enrol("confirm");
      const confirm = (token: string) => send("PATCH", ofFactor("confirm"), { token });
      const refused = await confirm(authenticator.wrong());
      return [await confirm(authenticator.token()), refused, "342"];
    },
    "DELETE /v1/2fa/secret": async () => {
      await enrol("remove");
      return [await send("DELETE", ofFactor("remove"), {}), await send("DELETE", ofFactor("unknown"), {}), "208"];
    },
    "POST /v1/2fa/validate": async () => {
      const authenticator = await enrol("validate");
      await send("PATCH", ofFactor("validate"), { token: authenticator.token() });
      const validate = (token: string) => send("POST", `/v1/2fa/validate?app=validate-${mode}`, { token });
      const refused = await validate(authenticator.wrong());
      return [await validate(authenticator.token(1)), refused, "342"];
    },
    "GET /v1/auth/links": async () => [
      await send("GET", "/v1/auth/links"),
      ...(await afterLogOut("GET", "/v1/auth/links")),
    ],
    "DELETE /v1/auth/links/{providerName}": async () => {
      const link = {
        id: randomUUID(),
        provider: "google",
        issuer: "https://accounts.google.com",
        subject: mode,
        userId: adminId,
        displayName: null,
        email: null,
        shared: false,
      } as const;
      const options = { owner: linkOwner(adminId), ifVersion: "none" } as const;
      await repositoriesOf(server()).records.put(
        identityLinkKind,
        identityLinkId(link, new NodeDigests()),
        link,
        options,
      );
      const remove = () => send("DELETE", "/v1/auth/links/google");
      return [await remove(), await remove(), "304"];
    },
    "GET /v1/object/{idOrClass}": async () => [
      await send("GET", `/v1/object/${await create()}`),
      await send("GET", "/v1/object/ZZZZZZZZ"),
      "304",
    ],
    "POST /v1/object/{idOrClass}": async () => [
      await send("POST", "/v1/object/Customer", { Name: "Ada" }),
      await send("POST", "/v1/object/Customer", { Nmae: "Ada" }),
      "307",
    ],
    "PATCH /v1/object/{idOrClass}": async () => {
      const id = await create();
      const patch = (body: object) => send("PATCH", `/v1/object/${id}`, body);
      return [await patch({ City: "Graz" }), await patch({ City: 5 }), "307"];
    },
    "DELETE /v1/object/{idOrClass}": async () => {
      const id = await create();
      const remove = () => send("DELETE", `/v1/object/${id}`);
      return [await remove(), await remove(), "609"];
    },
    "GET /v1/objects/{className}": async () => [
      await send("GET", "/v1/objects/Customer?perPage=1"),
      await send("GET", "/v1/objects/Customer?perPage=none"),
      "307",
    ],
    "GET /v1/objects/{className}/count": async () => [
      await send("GET", "/v1/objects/Customer/count?limit=1000"),
      await send("GET", "/v1/objects/Customer/count?limit=none"),
      "307",
    ],
    "POST /v1/objects/{className}/query": async () => [
      await send("POST", "/v1/objects/Customer/query", { perPage: 1 }),
      await send("POST", "/v1/objects/Customer/query", { perPage: "1" }),
      "307",
    ],
    "POST /v1/objects/{className}": async () => [
      await send("POST", "/v1/objects/Customer", [{ Name: "Ada" }, { Nmae: "Ada" }]),
      await send("POST", "/v1/objects/Customer", { Name: "Ada" }),
      "307",
    ],
    "PATCH /v1/objects/{className}": async () => {
      const query = encodeURIComponent(JSON.stringify({ oids: [await create()] }));
      const patch = (body: object) => send("PATCH", `/v1/objects/Customer?query=${query}`, body);
      return [await patch({ City: "Graz" }), await patch({ City: 5 }), "307"];
    },
    "POST /v1/object/{idOrClass}/restore": async () => [
      await send("POST", `/v1/object/${await recycle()}/restore`),
      await send("POST", "/v1/object/ZZZZZZZZ/restore"),
      "304",
    ],
    "GET /v1/recycler": async () => [
      await send("GET", "/v1/recycler"),
      await send("GET", "/v1/recycler?perPage=none"),
      "307",
    ],
    "DELETE /v1/recycler": async () => {
      await recycle();
      return [await send("DELETE", "/v1/recycler"), await send("DELETE", "/v1/recycler?all=1"), "307"];
    },
    "DELETE /v1/recycler/{id}": async () => {
      const id = await recycle();
      const purge = () => send("DELETE", `/v1/recycler/${id}`);
      return [await purge(), await purge(), "609"];
    },
    "GET /v1/object/{idOrClass}/readers": async () => [
      await send("GET", `/v1/object/${await create()}/readers`),
      await send("GET", "/v1/object/ZZZZZZZZ/readers"),
      "304",
    ],
    "PUT /v1/object/{idOrClass}/readers": async () => {
      const id = await create();
      const put = (readers: unknown) => send("PUT", `/v1/object/${id}/readers`, { readers });
      return [await put([adminId]), await put("everyone"), "307"];
    },
    "GET /v1/views/{className}": async () => [
      await send("GET", "/v1/views/Customer"),
      await send("GET", "/v1/views/Nothing"),
      "304",
    ],
    "POST /v1/views/{className}": async () => [
      await send("POST", "/v1/views/Customer", { name: "Graz", where: { City: "Graz" } }),
      await send("POST", "/v1/views/Customer", { name: " " }),
      "307",
    ],
    "PUT /v1/views/{className}/{id}": async () => {
      const view = (await send("POST", "/v1/views/Customer", { name: "Graz" })).body.data;
      const put = (body: object) => send("PUT", `/v1/views/Customer/${view.id}`, body);
      return [await put({ name: "Gent" }), await put({}), "307"];
    },
    "DELETE /v1/views/{className}/{id}": async () => {
      const view = (await send("POST", "/v1/views/Customer", { name: "Graz" })).body.data;
      const remove = () => send("DELETE", `/v1/views/Customer/${view.id}`);
      return [await remove(), await remove(), "304"];
    },
    "GET /v1/lock/object/{id}": async () => [
      await send("GET", `/v1/lock/object/${await create()}`),
      await send("GET", "/v1/lock/object/ZZZZZZZZ"),
      "304",
    ],
    "POST /v1/lock/object/{id}": async () => {
      const id = await create();
      const lock = (session = admin) => send("POST", `/v1/lock/object/${id}`, undefined, session);
      return [await lock(), await lock(await openSession(server(), mode, "demo")), "713"];
    },
    "DELETE /v1/lock/object/{id}": async () => {
      const id = await create();
      await send("POST", `/v1/lock/object/${id}`);
      return [await send("DELETE", `/v1/lock/object/${id}`), await send("DELETE", "/v1/lock/object/ZZZZZZZZ"), "304"];
    },
    "GET /v1/uploadFile": async () => [
      await send("GET", "/v1/uploadFile"),
      ...(await afterLogOut("GET", "/v1/uploadFile")),
    ],
    "GET /v1/uploadFile/{uploadId}": async () => [
      await send("GET", `/v1/uploadFile/${await beginUpload()}`),
      await send("GET", "/v1/uploadFile/7"),
      "602",
    ],
    "DELETE /v1/uploadFile/{uploadId}": async () => {
      const path = `/v1/uploadFile/${await beginUpload()}`;
      return [await send("DELETE", path), await send("DELETE", path), "603"];
    },
    "POST /v1/execute/{macroName}": async () => [
      await send("POST", "/v1/execute/Echo", { said: mode }),
      await send("POST", "/v1/execute/NoSuchMacro", {}),
      "710",
    ],
    "GET /v1/model/structure": async () => [
      await send("GET", "/v1/model/structure"),
      ...(await afterLogOut("GET", "/v1/model/structure")),
    ],
    "PUT /v1/model/structure/{className}": async () => {
      const put = (attributes: unknown) => send("PUT", `/v1/model/structure/Put${mode}`, { attributes });
      return [await put([]), await put("none"), "307"];
    },
    "DELETE /v1/model/structure/{className}": async () => {
      await send("PUT", `/v1/model/structure/Removed${mode}`, { attributes: [] });
      const remove = () => send("DELETE", `/v1/model/structure/Removed${mode}`);
      return [await remove(), await remove(), "304"];
    },
    "GET /openapi.json": async () => {
      const { body, ...answer } = await send("GET", "/openapi.json");
      // It is a document without an envelope.
      const success = { ...answer, body, code: body.openapi === undefined ? "none" : "0" };
      return [success, ...(await afterLogOut("GET", "/openapi.json"))];
    },
    "POST /v1/multi": async () => [
      await send("POST", "/v1/multi", [{ method: "GET", path: "/_CheckSession" }]),
      await send("POST", "/v1/multi", {}),
      "307",
    ],
  };

  test("are all covered", () => {
    const covered = new Set([...Object.keys(tried), ...ofFiles, ofCustomUsers]);
    expect(sessionRoutes.filter((route) => !covered.has(route) && !isInCases(route))).toEqual([]);
    expect([...covered].filter((route) => !sessionRoutes.includes(route))).toEqual([]);
  });

  test.each(Object.entries(tried))("%s", async (_route, attempt) => {
    const [success, failure, code] = await attempt();
    expect([success.code, failure.code]).toEqual(["0", code]);
  });
}

// The modes and engines without suites of their own in this run.
const otherModes = modes.filter((mode) => !testedModes.includes(mode));
const otherEngines = engines.filter((engine) => !testedEngines.includes(engine));

onEngines(
  "routes with a session",
  (server) => {
    describe.each(modes)("in mode %s", (mode) => {
      sessionRoutesSuite(server, mode);
    });

    describe("log-ins", () => {
      runCases(server, [...logInCases, ...sessionCases], otherModes);
    });
  },
  { environment: macroEnvironment },
);

onEngines("routes with a session", (server) => sessionRoutesSuite(server, "session"), {
  environment: macroEnvironment,
  on: otherEngines,
});
