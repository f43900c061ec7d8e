import { randomBytes } from "node:crypto";
import { call } from "../client.ts";
import type { RunningServer } from "../../src/index.ts";
import { Mailbox } from "../mail/mailbox.ts";
import { repositoriesOf } from "../repositories-of.ts";
import { openPostgresFixture, type PostgresFixture } from "../postgres-fixture.ts";
import { signTest } from "./sign-test.ts";
import { resetMailEnvironment } from "../accounts/reset-mail.ts";
import { tuned } from "../test-environment.ts";

const pairs = 1_000;
/** Standard deviations: three cases in a thousand by chance. */
const bound = 3;
const password = "$argon2id$v=19$m=8,t=1,p=1$c2FsdHNhbHQ$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/**
 * Whether the time of an answer reveals the existence of a user, by a sign test: of two requests in sequence, in random
 * order, only the slower one is counted. Each user is requested once, and mail is sent to that user at the same time.
 */
describe("time of a request for a new password", () => {
  const mailbox = new Mailbox();
  let postgres: PostgresFixture;
  let server: RunningServer;
  let known: string[];
  beforeAll(async () => {
    await mailbox.open();
    postgres = await openPostgresFixture();
    server = await postgres.demo({
      ...resetMailEnvironment,
      ...mailbox.environment,
      ...tuned({ mail: { pollInterval: 1_000 } }),
      PASSWORD_RESETS_PER_IP: "0",
    });
    const { accounts, objects } = repositoriesOf(server);
    known = Array.from({ length: pairs }, () => nameOf());
    const users = await objects.insert(known.map((name) => ({ className: "User", attributes: { Name: name } })));
    for (const [index, { id }] of users.entries()) {
      const loginName = known[index] as string;
      await accounts.create(
        { userId: id, loginName, secret: password, administrator: false, email: `${loginName}@mail.example` },
        loginName,
      );
    }
  });
  afterAll(async () => {
    await postgres.close();
    await mailbox.close();
  });

  const nameOf = () => `user-${randomBytes(8).toString("hex")}`;

  async function timeOf(user: string): Promise<number> {
    const begun = performance.now();
    expect((await call(server, "/v1/resetPassword", { method: "POST", body: { user } })).code).toBe("0");
    return performance.now() - begun;
  }

  test("is the same for an existing and an unknown user", async () => {
    for (let index = 0; index < 50; index += 1) await timeOf(nameOf());
    const { longer, z } = await signTest(
      pairs,
      () => timeOf(nameOf()),
      (pair) => timeOf(known[pair] as string),
    );
    console.log(
      `${longer} of ${pairs} answers took longer for an existing user than for an unknown one: z = ${z.toFixed(2)}`,
    );
    expect(Math.abs(z)).toBeLessThan(bound);
    // Otherwise nothing was compared.
    await mailbox.next();
  });
});
