import { jest } from "@jest/globals";
import { tmpdir } from "node:os";
import { openPostgresFixture, type PostgresFixture } from "../postgres-fixture.ts";
import { callSecurely, counterBlock, logInSecurely, sendMessage } from "../secure-client.ts";
import { secureBody } from "../secure/credentials.ts";
import { post } from "../secure/send.ts";
import { storedServerKeys, stranger } from "../secure/stored-keys.ts";
import { ServerProcess } from "./server-process.ts";

jest.setTimeout(60_000);

describe("secure sessions of two server processes", () => {
  let postgres: PostgresFixture;
  let processes: ServerProcess[];
  const start = () =>
    new ServerProcess(["serve"], { DATABASE_URL: postgres.url, PORT: "0", ...storedServerKeys }, tmpdir());
  const urls = () => Promise.all(processes.map(async (each) => ({ url: await each.url() })));
  beforeAll(async () => {
    postgres = await openPostgresFixture();
    processes = [start(), start()];
    await urls();
  });
  afterAll(async () => {
    await Promise.all(processes.map((each) => each.kill()));
    await postgres.close();
  });

  test("use no counter block twice and take no message twice, killed in between or not", async () => {
    const session = await logInSecurely((await urls())[0] as { url: string });
    const used = new Set<string>();
    for (let round = 0; round < 3; round += 1) {
      const servers = await urls();
      const at = (index: number) => servers[index % 2] as { url: string };
      const numbers = Array.from({ length: 60 }, (_, index) => BigInt(60 * round + index));
      const answers = await Promise.all(numbers.map((number, index) => sendMessage(at(index), session, number)));
      const again = await Promise.all(numbers.map((number, index) => sendMessage(at(index + 1), session, number)));
      expect(new Set(answers.map(({ code }) => code))).toEqual(new Set(["0"]));
      expect(new Set(again.map(({ code }) => code))).toEqual(new Set(["312"]));
      for (const number of numbers) used.add(counterBlock(session, number).toString("hex"));
      for (const { iv } of [...answers, ...again]) used.add(iv?.toString("hex") ?? "clear");
      expect(used.size).toBe((round + 1) * 180);
      expect(used.has("clear")).toBe(false);
      await processes[round % 2]?.kill();
      processes[round % 2] = start();
    }
  });

  test("end on both when one was told", async () => {
    const [one, other] = (await urls()) as [{ url: string }, { url: string }];
    const session = await logInSecurely(one);
    expect((await callSecurely(other, session, "/v1/logout", { method: "POST" })).code).toBe("0");
    for (const server of [one, other])
      expect(await callSecurely(server, session, "/_CheckSession")).toMatchObject({ code: "203", iv: null });
  });

  test("are opened once by credentials that both are sent at once by two clients", async () => {
    const [one, other] = (await urls()) as [{ url: string }, { url: string }];
    for (let round = 0; round < 5; round += 1) {
      const body = secureBody();
      const answers = await Promise.all([
        post(`${one.url}/v2/login/secure`, body),
        post(`${other.url}/v2/login/secure`, { ...body, publicKey: stranger.text }),
      ]);
      expect(answers.map(({ code }) => code ?? "sealed").toSorted()).toEqual(["310", "sealed"]);
    }
  });
});
