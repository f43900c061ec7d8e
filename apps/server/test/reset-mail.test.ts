import type { RunningServer } from "../src/index.ts";
import { type Answer, call } from "./client.ts";
import { startDemoServer } from "./demo-server.ts";
import { customResetSuite } from "./custom-reset-suite.ts";
import { Mailbox } from "./mailbox.ts";
import { repositoriesOf } from "./password-suite.ts";
import { openPostgresFixture, type PostgresFixture } from "./postgres-fixture.ts";
import { resetMailEnvironment, resetMailSuite } from "./reset-mail-suite.ts";

describe.each(["Postgres", "the embedded engine", "memory"])("a reset by mail on %s", (engine) => {
  const mailbox = new Mailbox();
  let postgres: PostgresFixture | undefined;
  let server: RunningServer;
  beforeAll(async () => {
    await mailbox.open();
    const environment = { ...resetMailEnvironment, ...mailbox.environment };
    postgres = engine === "Postgres" ? await openPostgresFixture() : undefined;
    server = await (postgres?.demo(environment) ?? startDemoServer(engine === "memory" ? "memory" : "embedded", environment));
  }, 60_000);
  afterAll(async () => {
    await (postgres ?? server).close();
    await mailbox.close();
  });

  resetMailSuite(() => server, () => mailbox);

  describe("of a custom user", () => {
    customResetSuite(() => server, () => mailbox);
  });
});

describe("a reset by mail", () => {
  let server: RunningServer;
  beforeAll(async () => {
    server = await startDemoServer("memory");
  }, 60_000);
  afterAll(() => server.close());

  const ask = (user: string): Promise<Answer> => call(server, "/v1/resetPassword", { method: "POST", body: { user } });

  test("is refused for everybody where mail is not configured", async () => {
    const answers = [await ask("demo"), await ask("nobody of this name"), await ask("demo\r\nBcc: all@mail.example")];
    for (const { status, body } of answers) expect([status, body]).toEqual([500, answers[0]?.body]);
    expect(answers[0]?.code).toBe("712");
    expect(await repositoriesOf(server).outbox.waiting()).toMatchObject({ count: 0 });
  });
});
