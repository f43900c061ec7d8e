import type { RunningServer } from "../src/index.ts";
import { type Answer, call } from "./client.ts";
import { startDemoServer } from "./demo-server.ts";
import { repositoriesOf } from "./password-suite.ts";

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
