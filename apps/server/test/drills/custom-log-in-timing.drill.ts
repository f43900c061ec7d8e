import { randomBytes } from "node:crypto";
import { createAccount } from "@sallyport/core";
import { Argon2PasswordHasher, NodeDigests, NodeRandomSource } from "@sallyport/crypto";
import type { RunningServer } from "../../src/index.ts";
import { call } from "../client.ts";
import { repositoriesOf } from "../repositories-of.ts";
import { openPostgresFixture, type PostgresFixture } from "../postgres-fixture.ts";
import { signTest } from "./sign-test.ts";

const pairs = 1_000;
/** Standard deviations: three cases in a thousand by chance. */
const bound = 3;

/**
 * Whether the time of a refusal reveals the existence of a custom user. Each name is used once, so that no failure
 * count or lock interferes.
 */
describe("time of a refused log-in of a custom user", () => {
  let postgres: PostgresFixture;
  let server: RunningServer;
  let known: string[];
  beforeAll(async () => {
    postgres = await openPostgresFixture();
    server = await postgres.demo({ THROTTLE_IP_MAX_FAILURES: "100000", THROTTLE_USER_MAX_FAILURES: "10" });
    const { accounts } = repositoriesOf(server);
    const creating = {
      database: { digests: new NodeDigests() },
      services: {
        hasher: await Argon2PasswordHasher.create({ memoryCost: 8, timeCost: 1 }),
        random: new NodeRandomSource(),
      },
    };
    const { account } = await accounts.find({ realm: "database", loginName: "reader" }, []);
    known = Array.from({ length: pairs }, () => nameOf());
    for (const loginName of known) {
      await createAccount(creating, accounts, {
        realm: "custom",
        loginName,
        password: "the password",
        userId: account?.userId ?? "",
        email: null,
        clientHash: "md5",
      });
    }
  }, 120_000);
  afterAll(() => postgres.close());

  const nameOf = () => `custom-${randomBytes(8).toString("hex")}`;

  async function timeOf(user: string): Promise<number> {
    const begun = performance.now();
    const { code } = await call(server, "/v1/auth/df", {
      method: "POST",
      body: { user, pass: "not the password", appNames: "demo-app" },
    });
    const time = performance.now() - begun;
    expect(code).toBe("302");
    return time;
  }

  test("is the same for an existing and an unknown user", async () => {
    for (let index = 0; index < 50; index += 1) await timeOf(nameOf());
    const { longer, z } = await signTest(
      pairs,
      () => timeOf(nameOf()),
      (pair) => timeOf(known[pair] as string),
    );
    console.log(
      `${longer} of ${pairs} refusals took longer for an existing custom user than for an unknown one: z = ${z.toFixed(2)}`,
    );
    expect(Math.abs(z)).toBeLessThan(bound);
    // Otherwise nothing was compared.
    expect(
      (
        await call(server, "/v1/auth/df", {
          method: "POST",
          body: { user: known[0], pass: "the password", appNames: "demo-app" },
        })
      ).code,
    ).toBe("0");
  });
});
