import { randomBytes, randomInt } from "node:crypto";
import type { RunningServer } from "../../src/index.ts";
import { openPostgresFixture, type PostgresFixture } from "../postgres-fixture.ts";
import { credentialsOf, goodFields } from "../secure/credentials.ts";
import { post } from "../secure/send.ts";
import { client, storedServerKeys } from "../secure/stored-keys.ts";

const pairs = 200;
const lanes = 4;
/** Standard deviations: one case in a million by chance. */
const bound = 5;
const text = JSON.stringify(goodFields);

/**
 * Whether the time of a refusal reveals the error, by a sign test: of two refusals in sequence, in random order, only
 * the slower one is counted. Without a difference this is a coin toss, even on a busy machine. A replayed log-in is not
 * among them: it is refused after the password check, and 302 for a wrong password already tells that it was decrypted.
 */
describe("time of a secure log-in that cannot be decrypted", () => {
  let postgres: PostgresFixture;
  let server: RunningServer;
  beforeAll(async () => {
    postgres = await openPostgresFixture();
    server = await postgres.demo(storedServerKeys);
  });
  afterAll(() => postgres.close());

  const random = () => ({ publicKey: client.text, credentials: randomBytes(256).toString("base64") });
  const kinds: Readonly<Record<string, () => object>> = {
    "a correct padding around invalid JSON": () => ({ publicKey: client.text, credentials: credentialsOf(`${text}x`) }),
    "the same in OAEP with SHA-1": () => ({
      publicKey: client.text,
      credentials: credentialsOf(`${text}x`, "OAEP-SHA-1"),
    }),
    "the same in PKCS#1 v1.5": () => ({ publicKey: client.text, credentials: credentialsOf(`${text}x`, "PKCS1-v1_5") }),
    "a list": () => ({ publicKey: client.text, credentials: credentialsOf([goodFields]) }),
    "a duplicate member": () => ({
      publicKey: client.text,
      credentials: credentialsOf(text.replace("{", '{"user":"x",')),
    }),
    "another random text": random,
  };

  async function timeOf(body: object): Promise<number> {
    const begun = performance.now();
    expect((await post(`${server.url}/v2/login/secure`, body)).code).toBe("310");
    return performance.now() - begun;
  }

  test.each(Object.entries(kinds))("equals that of a random text: %s", async (_title, make) => {
    let longer = 0;
    let measured = 0;
    const lane = async () => {
      while (measured < pairs) {
        measured += 1;
        const bodies = [random(), make()];
        const first = randomInt(2);
        const times = [0, 0];
        for (const index of [first, 1 - first]) times[index] = await timeOf(bodies[index] as object);
        longer += (Math.sign((times[1] as number) - (times[0] as number)) + 1) / 2;
      }
    };
    await Promise.all(Array.from({ length: lanes }, lane));
    expect(Math.abs(longer - measured / 2) / (Math.sqrt(measured) / 2)).toBeLessThan(bound);
  });
});
