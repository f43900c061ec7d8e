import { waitingMail } from "@sallyport/core";
import type { RunningServer } from "../../src/index.ts";
import { call, type Answer } from "../client.ts";
import { startDemoServer } from "../demo-server.ts";
import { onEngines } from "../engines.ts";
import { MailFolder } from "../mail/mail-folder.ts";
import { repositoriesOf } from "../repositories-of.ts";
import { resetMailEnvironment } from "./reset-mail.ts";
import { tuned } from "../test-environment.ts";

const mails = new MailFolder();

onEngines(
  "requests for resets",
  (server) => {
    const ask = (user: string, address: string): Promise<Answer> =>
      call(server(), "/v1/resetPassword", {
        method: "POST",
        body: { user },
        headers: { "x-forwarded-for": address, "x-forwarded-proto": "https" },
      });
    const waiting = async () => (await waitingMail(repositoriesOf(server()))).count;

    test("of one network are limited, also in parallel, without effect on other networks", async () => {
      const answers = await Promise.all(Array.from({ length: 30 }, (_, n) => ask(`user ${n}`, "192.0.2.1")));
      const codes = answers.map(({ code }) => code).toSorted();
      expect(codes).toEqual([...Array<string>(5).fill("0"), ...Array<string>(25).fill("706")]);
      expect(answers.find(({ code }) => code === "706")).toMatchObject({
        status: 503,
        headers: { "retry-after": expect.stringMatching(/^\d+$/) },
      });
      expect(await waiting()).toBe(5);
      expect((await ask("demo", "192.0.2.2")).code).toBe("0");
      expect(await waiting()).toBe(6);
    });

    test("for one name are limited to three, with the same answer", async () => {
      const before = await waiting();
      const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => ask("reader", `198.51.100.${n}`)));
      for (const { status, body } of answers) expect([status, body]).toEqual([200, answers[0]?.body]);
      expect(await waiting()).toBe(before + 3);
    });
  },
  {
    environment: {
      ...resetMailEnvironment,
      MAIL_DIR: mails.path,
      ...tuned({ mail: { pollInterval: 600_000 } }),
      PASSWORD_RESETS_PER_IP: "5",
      TRUSTED_PROXIES: "127.0.0.1",
    },
  },
);

describe("requests for resets without configured mail", () => {
  let server: RunningServer;
  beforeAll(async () => {
    server = await startDemoServer("memory");
  }, 60_000);
  afterAll(() => server.close());

  const ask = (user: string): Promise<Answer> => call(server, "/v1/resetPassword", { method: "POST", body: { user } });

  test("are refused for all users", async () => {
    const answers = [await ask("demo"), await ask("an unknown name"), await ask("demo\r\nBcc: all@mail.example")];
    for (const { status, body } of answers) expect([status, body]).toEqual([500, answers[0]?.body]);
    expect(answers[0]?.code).toBe("712");
    expect(await waitingMail(repositoriesOf(server))).toMatchObject({ count: 0 });
  });
});
