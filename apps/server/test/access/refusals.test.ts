import { createHash } from "node:crypto";
import { join } from "node:path";
import type { LogInMode } from "@sallyport/client";
import type { SessionMode } from "@sallyport/storage";
import { addBan, administrationOf, type Explanation, setAppRule, setLimits, explainRefusal } from "@sallyport/core";
import { explanationLines } from "@sallyport/client/terminal";
import { until } from "@sallyport/test-kit/jest/until";
import {
  AdministrationFixture,
  administrationKey,
  administrator,
  codeOf,
} from "../administration/administration-fixture.ts";
import { type Answer, call, callIn, logOutIn, tryLogIn } from "../client.ts";
import { credentialOf } from "../credential-of.ts";
import { headerOf, modes } from "../modes.ts";
import { openSession } from "../open-session.ts";
import { repositoriesOf } from "../repositories-of.ts";
import { onEngines } from "../engines.ts";
import { tuned } from "../test-environment.ts";

/** Explains everything, and locks out after few failures of a user. */
const refusalEnvironment = {
  EXPLANATIONS_RETENTION: "7d",
  ...tuned({
    policy: { explanationsPerNetwork: 10_000, delaysOfUsers: { initialDelay: 3_600_000 } },
    explanationsPerSecond: 10_000,
  }),
  THROTTLE_USER_MAX_FAILURES: "3",
  THROTTLE_USER_MAX_DELAY: "1h",
  MACROS_DIR: join(import.meta.dirname, "../macros"),
};

/** Texts that a client could have typed into the wrong field. None may be stored. */
const planted = "Hunter2Planted";
const write = { method: "PATCH", body: { Comment: planted } } as const;
const modeOf: Readonly<Record<LogInMode, SessionMode>> = {
  session: "session",
  token: "token",
  encrypted: "session",
  secure: "secure",
};
const unknownId = `${planted}${"x".repeat(43 - planted.length)}`;

interface Row {
  readonly about: string;
  readonly send: () => Promise<Answer>;
  readonly code: string;
  /** Parts of the explanation. */
  readonly told: readonly (string | RegExp)[];
}

/** Why requests were refused: what an operator reads, and what is never stored. */
onEngines(
  "explanations of refusals",
  (server) => {
    const r = () => repositoriesOf(server());
    const administration = () => {
      const database = server().databases.get("");
      if (!database) throw new Error("The demo has no database.");
      return administrationOf(database);
    };
    const sessions = new Map<string, Awaited<ReturnType<typeof openSession>>>();
    const of = (name: string) => sessions.get(name) as Awaited<ReturnType<typeof openSession>>;
    const found = new Map<string, { answer: Answer; explanation: Explanation | null }>();
    let customer = "";
    let admin: AdministrationFixture;

    const rows: readonly Row[] = [
      {
        about: "no app key",
        send: () => tryLogIn(server(), "demo", {}, { appkey: "" }),
        code: "100",
        told: ["Is the app key valid?", "No: App key is missing."],
      },
      {
        about: "an unknown app key",
        send: () => tryLogIn(server(), "demo", {}, { appkey: planted }),
        code: "101",
        told: ["No: the database has no such app key."],
      },
      {
        about: "a disabled app key",
        send: () => tryLogIn(server(), "demo", {}, { appkey: "off-key" }),
        code: "101",
        told: ['No: the app key "off" is disabled.', "app key  off"],
      },
      {
        about: "an unknown user",
        send: () => tryLogIn(server(), planted, { pass: planted }),
        code: "302",
        told: ['Yes, the app key "demo".', "Does the user exist?", "No.", "Is the password, code or token right?"],
      },
      {
        about: "a wrong password",
        send: () => tryLogIn(server(), "reader", { pass: planted }),
        code: "302",
        told: ["Does the user exist?", "Yes.", "user     reader"],
      },
      {
        about: "a disabled user",
        send: () => tryLogIn(server(), "off"),
        code: "302",
        told: ["Yes, but the account is disabled.", "user     off"],
      },
      {
        about: "a locked-out user",
        send: async () => {
          for (let n = 0; n < 3; n += 1) await tryLogIn(server(), "admin", { pass: planted });
          return tryLogIn(server(), "admin");
        },
        code: "302",
        told: [
          "user     admin",
          "Yes, for another 3600 s. The password, code or token was not checked.",
          /Has the user too many failures\? +Yes, for another \d+ s\./,
          /Has the network too many failures\? +No\./,
        ],
      },
      {
        about: "an unknown app name",
        send: () => tryLogIn(server(), "demo", { appNames: ["demo-app", planted] }),
        code: "208",
        told: ["No: 1 of them are unknown.", 'May the app key use "demo-app"?'],
      },
      {
        about: "an app name that the app key may not use",
        send: () => tryLogIn(server(), "demo", { appNames: ["demo-seats"] }, { appkey: "narrow-key" }),
        code: "208",
        told: ['May the app key use "demo-seats"?', "No."],
      },
      {
        about: "no free seat",
        send: async () => {
          for (let n = 0; n < 2; n += 1) await tryLogIn(server(), "demo", { appNames: "demo-seats" });
          return tryLogIn(server(), "demo", { appNames: "demo-seats" });
        },
        code: "306",
        told: ["Are the credentials right?", 'Is a seat of "demo-seats" free?', "2 of 2 are taken", "user     demo"],
      },
      {
        about: "a banned device",
        send: async () => {
          const ban = { device: "stolen tablet", reason: "It was stolen", from: null, until: null };
          await addBan(administration(), ban);
          return tryLogIn(server(), "demo", { device: { deviceId: "stolen tablet" } });
        },
        code: "318",
        told: [
          "Are the credentials right?",
          "Is the device banned?",
          "Yes, without an end: It was stolen",
          "user     demo",
        ],
      },
      {
        about: "an app name that the rules forbid",
        send: async () => {
          const rule = { device: "kiosk", app: "demo-app", access: "forbid", reason: "" } as const;
          await setAppRule(administration(), rule);
          return tryLogIn(server(), "demo", { device: { deviceId: "kiosk" } });
        },
        code: "403",
        told: ['Do the app rules allow "demo-app"?', "No.", "user     demo"],
      },
      {
        about: "fields",
        send: () => tryLogIn(server(), "demo", { device: { deviceId: 7, [planted]: planted } }),
        code: "307",
        told: ["at /device/deviceId"],
      },
      {
        about: "a member with an unknown name",
        send: () =>
          call(server(), "/v1/object/Customer", { method: "POST", sessionId: plain(), body: { [planted]: planted } }),
        code: "307",
        told: ["at /…"],
      },
      {
        about: "a session id of another form",
        send: () => call(server(), "/v1/objects/Customer", { sessionId: planted }),
        code: "201",
        told: ["the value of sessionId has not the form of a session id"],
      },
      {
        about: "an unknown session id",
        send: () => call(server(), "/v1/objects/Customer", { sessionId: unknownId }),
        code: "201",
        told: ["No: there is none. It expired, was ended, or never existed."],
      },
      {
        about: "a malformed JWT",
        send: () => call(server(), "/v1/objects/Customer", { headers: { authorization: `Bearer ${planted}` } }),
        code: "203",
        told: ["the JWT is malformed"],
      },
      {
        about: "the session of another app key",
        send: () => call(server(), "/_CheckSession", { sessionId: plain(), headers: { appkey: "narrow-key" } }),
        code: "201",
        told: ["No: it is live, but another app key opened it"],
      },
      {
        about: "an unknown class",
        send: () => call(server(), `/v1/objects/${planted}`, { sessionId: plain() }),
        code: "304",
        told: ["GET /v1/objects/{className}", "Does the class exist?"],
      },
      {
        about: "an object that never existed",
        send: () => call(server(), "/v1/object/999999", { sessionId: plain() }),
        code: "304",
        told: ["Does the object exist?", "No, it never did."],
      },
      {
        about: "an operation of administrators",
        send: () => callIn(server(), of("reader"), "/v1/model/structure/Customer", { method: "DELETE" }),
        code: "404",
        told: ["Is the user an administrator?"],
      },
      {
        about: "an unknown macro",
        send: () =>
          callIn(server(), of("reader"), `/v1/execute/${planted}`, { method: "POST", body: { input: planted } }),
        code: "710",
        told: ["There is no macro with this name."],
      },
      {
        about: "a macro for others",
        send: () => callIn(server(), of("reader"), "/v1/execute/Grouped", { method: "POST", body: { input: planted } }),
        code: "401",
        told: [
          "May the user execute the macro Grouped?",
          "It is for the groups: Sales; and for the app names: demo-app.",
        ],
      },
      {
        about: "items of a multi request",
        send: () =>
          callIn(server(), of("reader"), "/v1/multi", {
            method: "POST",
            body: [
              { method: "GET", path: "/v1/objects/Customer?perPage=1" },
              { method: "PATCH", path: `/v1/object/${customer}`, data: { Comment: planted } },
            ],
          }),
        code: "0",
        told: ["item 1: PATCH /v1/object/{idOrClass}", "May the user write objects of the class Customer?"],
      },
      ...modes.map((mode) => ({
        about: `a write without the right in mode ${mode}`,
        send: () => callIn(server(), of(`reader ${mode}`), `/v1/object/${customer}`, write),
        code: "404",
        told: ["May the user write objects of the class Customer?", `mode     ${modeOf[mode]}`, "user     reader"],
      })),
      ...modes.map((mode) => ({
        about: `a session after its log-out in mode ${mode}`,
        send: async () => {
          const session = of(`ended ${mode}`);
          await logOutIn(server(), session);
          return sendCredential(mode);
        },
        code: mode === "session" ? "201" : "203",
        told: ["No: there is none. It expired, was ended, or never existed."],
      })),
      {
        about: "a user with too many sessions",
        send: () => logInWith({ "sessions.limit": 10_000, "sessions.perUserLimit": 1 }),
        code: "315",
        told: ["Is another session within the limits?", "No: the user has reached the limit of sessions per user: 1."],
      },
      {
        about: "a database with too many sessions",
        send: () => logInWith({ "sessions.limit": 2, "sessions.perUserLimit": 1 }),
        code: "315",
        told: ["No: the database has", "sessions, the limit is 2."],
      },
    ];

    const logInWith = async (limits: Record<string, number>) => {
      // The explanation of the row before reads the limits when it is stored.
      await untilStored(ids().at(-1)?.[0] ?? "");
      await setLimits(administration(), new Map(Object.entries(limits)));
      return tryLogIn(server(), "demo");
    };

    const plain = () => plainId;
    let plainId = "";
    const credentials = new Map<LogInMode, string>();
    const sendCredential = (mode: LogInMode) => {
      const value = credentials.get(mode) ?? "";
      return call(server(), "/_CheckSession", { headers: { [headerOf[mode]]: value } });
    };

    beforeAll(async () => {
      const { appKeys, accounts, objects } = r();
      const digestOf = (key: string) => createHash("sha256").update(key).digest("hex");
      await appKeys.create({ name: "off", appNames: null, origins: [] }, digestOf("off-key"));
      await appKeys.setEnabled("off", false);
      await appKeys.create({ name: "narrow", appNames: ["demo-app"], origins: [] }, digestOf("narrow-key"));
      const [user] = await objects.insert([{ className: "User", attributes: { Name: "off" } }]);
      const { account } = await accounts.find({ realm: "database", loginName: "demo" }, []);
      const userId = user?.id as string;
      await accounts.create({ userId, loginName: "off", secret: account?.secret as string }, "off");
      await accounts.change(userId, { disabled: true });
      admin = await AdministrationFixture.open(server());
      sessions.set("reader", await openSession(server(), "session", "reader"));
      plainId = await credentialOf(await openSession(server(), "session", "demo"));
      for (const mode of modes) {
        sessions.set(`reader ${mode}`, await openSession(server(), mode, "reader"));
        const session = await openSession(server(), mode, "demo");
        sessions.set(`ended ${mode}`, session);
        credentials.set(mode, await credentialOf(session));
      }
      const listed = await call(server(), "/v1/objects/Customer?perPage=1", { sessionId: plainId });
      customer = listed.body.data["~Elements"][0]["~ObjectID"];
      for (const { about, send } of rows) found.set(about, { answer: await send(), explanation: null });
      await untilStored(ids().at(-1)?.[0] ?? "");
      for (const [requestId, each] of ids()) each.explanation = await explainRefusal({ r: r() }, requestId);
    }, 60_000);

    /** The server writes refusals in the order of their responses. */
    async function untilStored(requestId: string): Promise<void> {
      await until(async () => (await explainRefusal({ r: r() }, requestId)) !== null);
    }

    test.each(rows.map((row) => [row.about, row] as const))("explains %s", (about, { code, told: parts }) => {
      const { answer, explanation } = found.get(about) as { answer: Answer; explanation: Explanation };
      const { at, ...facts } = explanation;
      const told = { ...facts, at: new Date(at).toISOString() };
      const text = explanationLines(told, (heading) => heading).join("\n");
      expect(answer.code).toBe(code);
      for (const part of parts) expect(text).toMatch(part);
      for (const step of explanation.failure?.nextSteps ?? []) expect(text).toContain(`\n  - ${step}`);
      expect(text).not.toMatch(/`|\]\(/);
    });

    test("tells administrators of the same database over HTTP", async () => {
      for (const [requestId, { explanation }] of ids()) {
        const { at, ...told } = explanation as Explanation;
        expect(await admin.admin.refusals.explain(requestId)).toEqual({ ...told, at: new Date(at).toISOString() });
      }
      const [requestId] = ids().at(-1) as ReturnType<typeof ids>[number];
      const ofAnother = admin.clientOf(await administrationKey(server(), "second"), "second");
      await ofAnother.logIn(administrator);
      for (const [client, id] of [
        [ofAnother, requestId],
        [admin.admin, unknownId],
        [admin.admin, "x!"],
        [admin.admin, `${requestId} `],
        [admin.admin, "x".repeat(2_000)],
      ] as const)
        expect([id, await codeOf(client.refusals.explain(id))]).toEqual([id, 304]);
    });

    const ids = () => [...found.values()].map((each) => [each.answer.headers["x-request-id"] as string, each] as const);

    test("stores nothing that a client sent and that does not exist", async () => {
      const records = await r().records.list("refusal", { after: null, limit: 1_000 });
      expect(records.length).toBeGreaterThan(rows.length);
      const stored = JSON.stringify(records);
      for (const secret of [
        planted,
        planted.toLowerCase(),
        plainId,
        "stolen tablet",
        "kiosk",
        "-key",
        ...credentials.values(),
      ])
        expect(stored).not.toContain(secret);
    });
  },
  { environment: refusalEnvironment },
);
