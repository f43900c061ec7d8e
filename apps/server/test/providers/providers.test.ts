import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { signIn } from "@sallyport/provider-imitation";
import type { RunningServer } from "../../src/index.ts";
import { call, checkSession } from "../client.ts";
import { startConfiguredServer, startSeededServer } from "../demo-server.ts";
import { openPostgresFixture, type PostgresFixture } from "../postgres-fixture.ts";
import { away, comeBack, link } from "./browser.ts";
import { openProviderStage, type ProviderStage, register, stageEnvironment } from "./provider-stage.ts";
import { flowSuite } from "./flow-suite.ts";
import { providerHookEnvironment, providerHookSuite } from "./hook-suite.ts";
import { providerSuite } from "./provider-suite.ts";

let stage: ProviderStage;
beforeAll(async () => {
  stage = await openProviderStage();
});
afterAll(() => stage.close());

describe("log-in with providers in memory", () => {
  let server: RunningServer;
  beforeAll(async () => {
    server = await startSeededServer(
      [{ engine: "memory" }, { engine: "memory" }],
      stageEnvironment,
      undefined,
      stage.content,
    );
  });
  afterAll(() => server.close());

  flowSuite(
    () => server,
    () => stage,
  );
  providerSuite(
    () => server,
    () => stage,
  );
});

describe("log-in with providers on Postgres", () => {
  let postgres: PostgresFixture;
  let server: RunningServer;
  beforeAll(async () => {
    postgres = await openPostgresFixture();
    const storage = (schema: string) => ({ url: postgres.url, schema, migrateOnStart: true });
    server = await startSeededServer([storage("one"), storage("two")], stageEnvironment, undefined, stage.content);
  }, 60_000);
  afterAll(async () => {
    await server.close();
    await postgres.close();
  });

  flowSuite(
    () => server,
    () => stage,
  );
  providerSuite(
    () => server,
    () => stage,
  );
});

describe.each([
  ["the hook for new users of providers in memory", "memory", providerHookEnvironment, providerHookSuite],
  [
    "the hook for new users of providers on the embedded engine",
    "embedded",
    providerHookEnvironment,
    providerHookSuite,
  ],
  ["the way at each provider on the embedded engine", "embedded", stageEnvironment, flowSuite],
] as const)("%s", (_title, engine, environment, suite) => {
  let server: RunningServer;
  let directory: string;
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), "sallyport-providers-"));
    const storage = (schema: string) => (engine === "memory" ? { engine } : { engine, dataDir: directory, schema });
    server = await startSeededServer([storage("one"), storage("two")], environment, undefined, stage.content);
  }, 60_000);
  afterAll(async () => {
    await server.close();
    rmSync(directory, { recursive: true });
  });

  suite(
    () => server,
    () => stage,
  );
});

describe("providers on Postgres, with the hook and two servers", () => {
  let postgres: PostgresFixture;
  let [first, second]: RunningServer[] = [];
  beforeAll(async () => {
    postgres = await openPostgresFixture();
    const storage = (schema: string) => ({ url: postgres.url, schema, migrateOnStart: true });
    first = await startSeededServer(
      [storage("one"), storage("two")],
      providerHookEnvironment,
      undefined,
      stage.content,
    );
    const databases = [
      { alias: "", name: "demo", storage: storage("one") },
      { alias: "second", storage: storage("two") },
    ];
    second = await startConfiguredServer({ ...stage.content, databases }, providerHookEnvironment);
  }, 60_000);
  afterAll(async () => {
    await Promise.all([first?.close(), second?.close()]);
    await postgres.close();
  });
  const one = () => first as RunningServer;
  const other = () => second as RunningServer;

  providerHookSuite(one, () => stage);

  test("a log-in that one server began ends at the other, once", async () => {
    await register(stage, one(), "microsoft");
    const start = async (from: RunningServer) => {
      const { location, cookie } = await away(from, "microsoft");
      return { cookie, callback: await signIn(location, "chloe") };
    };
    const { cookie, callback } = await start(one());
    const { dfUuid } = (await comeBack(other(), callback, cookie)).body.data;
    expect((await comeBack(one(), callback, cookie)).code).toBe("324");
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => link(index % 2 === 0 ? one() : other(), dfUuid)),
    );
    expect(answers.map(({ code }) => code).toSorted()).toEqual(["0", ...Array.from({ length: 19 }, () => "324")]);

    const bound = await start(other());
    const sessions = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        comeBack(index % 2 === 0 ? one() : other(), bound.callback, bound.cookie),
      ),
    );
    const opened = sessions.filter(({ code }) => code === "0");
    expect(opened).toHaveLength(1);
    const { sessionId } = opened[0]?.body.data ?? {};
    expect(await call(one(), "/v1/auth/links/microsoft", { method: "DELETE", sessionId })).toMatchObject({ code: "0" });
    expect(await checkSession(other(), sessionId)).toBe("201");
  });
});
