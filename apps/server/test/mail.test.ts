import { testedEngines, useDemo } from "./engines.ts";
import { waitingMail } from "@sallyport/core";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { call } from "./client.ts";
import { startSeededServer } from "./demo-server.ts";
import { MailFolder, mailSuite } from "./mail-suite.ts";
import { repositoriesOf } from "./password-suite.ts";

describe.each(testedEngines)("mail on %s", (engine) => {
  const folder = new MailFolder();
  const { server } = useDemo(engine, { environment: folder.environment });
  afterAll(() => folder.remove());

  mailSuite(server, folder);
});

test("while no mail can be sent, all requests are refused with 712, and the server is ready", async () => {
  const silent = createServer();
  await new Promise<void>((resolve) => {
    silent.listen(0, "127.0.0.1", resolve);
  });
  const { port } = silent.address() as AddressInfo;
  await new Promise((resolve) => {
    silent.close(resolve);
  });
  const mail = {
    SMTP_HOST: "127.0.0.1",
    SMTP_PORT: String(port),
    MAIL_FROM: "a@mail.example",
    MAIL_UNAVAILABLE_AFTER: "0s",
    MAIL_POLL_INTERVAL: "100ms",
    MASTER_KEY: Buffer.alloc(32, 5).toString("base64"),
  };
  const server = await startSeededServer([{ engine: "memory" }, { engine: "memory" }], mail);
  try {
    const r = repositoriesOf(server);
    const { accounts } = r;
    const { account } = await accounts.find({ realm: "database", loginName: "demo" }, []);
    await accounts.change(account?.userId ?? "", { email: "demo@mail.example" });
    const ask = (user: string) => call(server, "/v1/resetPassword", { method: "POST", body: { user } });
    expect((await ask("demo")).code).toBe("0");
    // The relay notices by itself; each look-up lets it proceed.
    while ((await waitingMail(r)).stuck === 0) await call(server, "/_CheckService");
    const answers = await Promise.all(["demo", "nobody"].map(ask));
    for (const { status, body } of answers) expect([status, body]).toEqual([500, answers[0]?.body]);
    expect(answers[0]?.code).toBe("712");
    expect((await waitingMail(r)).count).toBe(1);
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  } finally {
    await server.close();
  }
});
