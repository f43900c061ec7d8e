import { waitingMail } from "@sallyport/core";
import { randomUUID } from "node:crypto";
import type { RunningServer } from "../../src/index.ts";
import { call } from "../client.ts";
import { MailFolder } from "../mail/mail-folder.ts";
import { openPostgresFixture, type PostgresFixture } from "../postgres-fixture.ts";
import { repositoriesOf } from "../repositories-of.ts";
import { goodFields, hybridBody, secureBody } from "../secure/credentials.ts";
import { storedServerKeys } from "../secure/stored-keys.ts";
import { tuned } from "../test-environment.ts";

/** Floods of requests without a session. */
describe("floods without a log-in", () => {
  const mails = new MailFolder();
  let postgres: PostgresFixture;
  let server: RunningServer;
  beforeAll(async () => {
    postgres = await openPostgresFixture();
    const environment = {
      ...storedServerKeys,
      MAIL_DIR: mails.path,
      ...tuned({ mail: { pollInterval: 600_000 } }),
      TRUSTED_PROXIES: "127.0.0.1",
      THROTTLE_IP_MAX_FAILURES: "0",
    };
    server = await postgres.demo(environment);
  });
  afterAll(() => postgres.close());

  const from = (address: string) => ({ "x-forwarded-for": address, "x-forwarded-proto": "https" });

  test("1,000 encrypted log-ins with wrong passwords store no cipher block", async () => {
    const began = performance.now();
    const codes = new Map<string, number>();
    let next = 0;
    const client = async () => {
      while (next++ < 1_000) {
        const fields = { ...goodFields, user: randomUUID() };
        const [path, body] =
          next % 2 === 0
            ? ["/v2/login/secure", secureBody(fields)]
            : ["/v2/login", hybridBody({ contents: JSON.stringify(fields) })];
        const { code } = await call(server, path, { method: "POST", headers: from("192.0.2.1"), body });
        codes.set(code, (codes.get(code) ?? 0) + 1);
      }
    };
    await Promise.all(Array.from({ length: 16 }, client));
    const { rows } = await postgres.sql.query("select count(*)::int as n from sallyport_demo.cipher_blocks");
    const seconds = ((performance.now() - began) / 1_000).toFixed(1);
    process.stdout.write(
      `encrypted log-ins: 1,000 in ${seconds} s, codes ${JSON.stringify(Object.fromEntries(codes))}, ${rows[0].n} cipher blocks left\n`,
    );
    expect(rows[0].n).toBe(0);
    expect([...codes.keys()]).toEqual(["302"]);
  });

  test("2,000 resets from one network do not affect another network", async () => {
    const codes = new Map<string, number>();
    let next = 0;
    const client = async () => {
      while (next++ < 2_000) {
        const { code } = await call(server, "/v1/resetPassword", {
          method: "POST",
          headers: from("192.0.2.1"),
          body: { user: `user ${next}` },
        });
        codes.set(code, (codes.get(code) ?? 0) + 1);
      }
    };
    await Promise.all(Array.from({ length: 16 }, client));
    const { count } = await waitingMail(repositoriesOf(server));
    process.stdout.write(
      `resets: 2,000 from one network, codes ${JSON.stringify(Object.fromEntries(codes))}, ${count} wait\n`,
    );
    expect(count).toBe(50);
    expect(
      (await call(server, "/v1/resetPassword", { method: "POST", headers: from("192.0.2.2"), body: { user: "demo" } }))
        .code,
    ).toBe("0");
  });
});
