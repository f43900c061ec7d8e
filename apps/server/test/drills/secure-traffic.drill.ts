import { tmpdir } from "node:os";
import { openPostgresFixture, type PostgresFixture } from "../postgres-fixture.ts";
import { requireVerified } from "../require-intact.ts";
import { ServerProcess } from "../processes/server-process.ts";
import { counterBlock, logInSecurely, type SecureSession, sendMessage } from "../secure/secure-client.ts";
import { storedServerKeys } from "../secure/stored-keys.ts";

const messages = 10_000;
const senders = 16;

/** One session, 10,000 messages and their answers, over two processes, one of which is killed from time to time. */
describe("secure session on two processes", () => {
  let postgres: PostgresFixture;
  const processes: ServerProcess[] = [];
  const environment = () => ({ DATABASE_URL: postgres.url, PORT: "0", ...storedServerKeys });
  const start = () => new ServerProcess(["serve"], environment(), tmpdir());
  beforeAll(async () => {
    postgres = await openPostgresFixture();
    processes.push(start(), start());
    await Promise.all(processes.map((each) => each.url()));
  });
  afterAll(async () => {
    await Promise.all(processes.map((each) => each.kill()));
    await postgres.close();
  });

  /** Sends until a server answers: a killed one does not. Whether that one accepted the message is unknown. */
  async function deliver(
    session: SecureSession,
    number: number,
  ): Promise<{ code: string; iv: Buffer | null; retried: boolean }> {
    for (let tries = 0; ; tries += 1) {
      const process = processes[(number + tries) % 2] as ServerProcess;
      try {
        return { ...(await sendMessage({ url: await process.url() }, session, BigInt(number))), retried: tries > 0 };
      } catch (error) {
        if (tries > 20) throw error;
      }
    }
  }

  test("uses no counter block twice in either direction, and accepts every message once", async () => {
    const session = await logInSecurely({ url: await (processes[0] as ServerProcess).url() });
    const used = new Set<string>();
    let answers = 0;
    let next = 0;
    const sender = async () => {
      for (let number = next++; number < messages; number = next++) {
        if (number % 2_500 === 2_499) {
          const index = ((number + 1) / 2_500) % 2;
          await processes[index]?.kill();
          processes[index] = start();
        }
        const { code, iv, retried } = await deliver(session, number);
        expect(retried ? ["0", "312"] : ["0"]).toContain(code);
        used.add(counterBlock(session, BigInt(number)).toString("hex")).add(iv?.toString("hex") ?? "clear");
        answers += 1;
      }
    };
    await Promise.all(Array.from({ length: senders }, sender));
    expect(answers).toBe(messages);
    expect(used.has("clear")).toBe(false);
    expect(used.size).toBe(2 * messages);
    const codes = new Set<string>();
    for (let number = messages - 1_000; number < messages; number += 1)
      codes.add((await deliver(session, number)).code);
    expect(codes).toEqual(new Set(["312"]));
    // The bytes of the demo's files stayed with the server that has seeded it.
    await requireVerified(environment(), tmpdir(), "--no-files");
  });
});
