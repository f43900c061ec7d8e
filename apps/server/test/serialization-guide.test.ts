import { readFileSync } from "node:fs";
import type { RunningServer } from "../src/index.ts";
import { logIn } from "./cases/run-cases.ts";
import { startDemoServer } from "./demo-server.ts";
import { appKey } from "./subject.ts";

const guide = readFileSync(new URL("../../../docs/guides/serialization.md", import.meta.url), "utf8");
const examples = Array.from(
  guide.matchAll(/^```http\nGET (\S+?)serialization=(\{[^\n]*\})\n```\n(.*?)^```json\n(.*?)^```/gms),
  ([, path, serialization, , answer]) => ({
    path: String(path),
    serialization: String(serialization),
    answer: JSON.parse(String(answer)) as object,
  }),
);

/** Ids and times are of the server that was asked. */
const comparable = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (name, member) => (/^~(?:ObjectID|UUID|StoreTime)$/.test(name) ? name : member));

describe("the guide to serialization", () => {
  let server: RunningServer;
  let sessionid: string;
  beforeAll(async () => {
    server = await startDemoServer("memory", { DEBUG_MESSAGES: "true" });
    sessionid = await logIn(server, "admin");
  }, 60_000);
  afterAll(() => server.close());

  test("has examples", () => expect(examples).toHaveLength(5));

  test.each(examples)("shows what $path$serialization gives", async ({ path, serialization, answer }) => {
    const url = `${server.url}${path}serialization=${encodeURIComponent(serialization)}`;
    const { status, data } = (await (
      await fetch(url, { headers: { appkey: appKey, sessionid } })
    ).json()) as ReturnType<typeof JSON.parse>;
    expect(comparable(data === undefined ? status : data["~Elements"][0])).toEqual(comparable(answer));
  });
});
