import { createHash } from "node:crypto";
import { checkSession, tryLogIn } from "../client.ts";
import { openPostgresFixture, type PostgresFixture } from "../postgres-fixture.ts";

/**
 * A log-in with its expected code; a wait for all sessions; or a request with the session of the log-in of this number.
 */
type Step =
  | readonly [user: string, deviceId: string | null, code: string, key?: string]
  | "wait"
  | { readonly use: number };

interface Case {
  readonly environment: Record<string, string>;
  readonly steps: readonly Step[];
  /** Whether each opened session is still live, in order. */
  readonly live: readonly boolean[];
}

const phone = (key = "demo-app-key"): Step => ["demo", "phone", "0", key];
const cases: Readonly<Record<string, Case>> = {
  "five are live by default, and the sixth log-in ends the first": {
    environment: {},
    steps: Array.from({ length: 6 }, () => phone()),
    live: [false, true, true, true, true, true],
  },
  "another limit is configured": {
    environment: { SESSIONS_PER_DEVICE: "1" },
    steps: [phone(), phone(), phone()],
    live: [false, false, true],
  },
  "the least recently renewed one ends, not the oldest": {
    environment: { SESSIONS_PER_DEVICE: "2" },
    steps: [phone(), phone(), "wait", { use: 0 }, phone(), phone()],
    live: [false, false, true, true],
  },
  "a session in use survives later log-ins": {
    environment: { SESSIONS_PER_DEVICE: "2" },
    steps: [phone(), phone(), "wait", { use: 0 }, phone(), "wait", { use: 0 }, phone()],
    live: [true, false, false, true],
  },
  "sessions of other users, app keys and devices, and without a device, stay": {
    environment: { SESSIONS_PER_DEVICE: "1" },
    steps: [
      ["reader", "phone", "0"],
      phone("other-key"),
      ["demo", "tablet", "0"],
      ["demo", null, "0"],
      ["demo", null, "0"],
      phone(),
      phone(),
    ],
    live: [true, true, true, true, true, false, true],
  },
  "many log-ins of one device never exhaust the limit of the user": {
    environment: { SESSION_PER_USER_LIMIT: "2" },
    steps: [...Array.from({ length: 6 }, () => phone()), ["demo", "tablet", "315"], ["demo", null, "315"], phone()],
    live: [false, false, false, false, false, true, true],
  },
  "many log-ins of one device never exhaust the limit of the database, and end no other session": {
    environment: { SESSION_LIMIT: "3" },
    steps: [
      ["reader", "phone", "0"],
      phone(),
      phone(),
      phone(),
      ["reader", "tablet", "315"],
      ["reader", "phone", "0"],
      phone(),
    ],
    live: [false, false, false, true, true, true],
  },
};

describe("sessions of one device", () => {
  let postgres: PostgresFixture;
  beforeAll(async () => {
    postgres = await openPostgresFixture();
  }, 60_000);
  afterEach(() =>
    postgres.sql.query("delete from sallyport_demo.sessions; update sallyport_demo.session_counts set sessions = 0"),
  );
  afterAll(() => postgres.close());

  test.each(Object.entries(cases))("%s", async (_, { environment, steps, live }) => {
    const server = await postgres.demo(environment);
    const key = { name: "other", appNames: null, origins: [] };
    await server.databases
      .get("")
      ?.storage.repositories.appKeys.create(key, createHash("sha256").update("other-key").digest("hex"));
    const opened: { readonly sessionId: string; readonly appkey: string }[] = [];
    const check = (number: number) => checkSession(server, opened[number]?.sessionId ?? "", opened[number]?.appkey);
    for (const step of steps) {
      if (step === "wait") {
        await postgres.sql.query("update sallyport_demo.sessions set expires_at = expires_at - interval '4 minutes'");
      } else if ("use" in step) {
        expect(await check(step.use)).toBe("0");
      } else {
        const [user, deviceId, code, appkey = "demo-app-key"] = step;
        const answer = await tryLogIn(server, user, deviceId === null ? {} : { device: { deviceId } }, { appkey });
        expect(answer.code).toBe(code);
        if (code === "0") opened.push({ sessionId: answer.body.data.sessionId, appkey });
      }
    }
    const codes = await Promise.all(opened.map((_session, number) => check(number)));
    expect(codes.map((code) => code === "0")).toEqual(live);
    await server.close();
  });

  test.each([
    [4, 4],
    [20, 5],
  ])("keep of %i concurrent log-ins on two servers %i", async (attempts, staying) => {
    const servers = [await postgres.demo({}), await postgres.demo({})];
    const answers = await Promise.all(
      Array.from({ length: attempts }, (_, index) =>
        tryLogIn(servers[index % 2] ?? { url: "" }, "demo", { device: { deviceId: "phone" } }),
      ),
    );
    expect(answers.filter(({ code }) => code === "0")).toHaveLength(attempts);
    const codes = await Promise.all(
      answers.map(({ body }) => checkSession(servers[0] ?? { url: "" }, body.data.sessionId)),
    );
    expect(codes.filter((code) => code === "0")).toHaveLength(staying);
    await Promise.all(servers.map((server) => server.close()));
  });
});
