import { readFileSync } from "node:fs";
import { type Agent, startTestService, type TestService } from "@sallyport/testing";

describe("serialization guide", () => {
  const guide = readFileSync(new URL("../../../../docs/guides/serialization.md", import.meta.url), "utf8");
  const examples = Array.from(
    guide.matchAll(/^```http\nGET (\S+?)serialization=(\{[^\n]*\})\n```\n(.*?)^```json\n(.*?)^```/gms),
    ([, path, serialization, , answer]) => ({
      path: String(path),
      serialization: String(serialization),
      answer: JSON.parse(String(answer)) as object,
    }),
  );

  /** Ids and times differ between servers. */
  const comparable = (value: unknown): unknown =>
    JSON.parse(JSON.stringify(value), (name, member) => (/^~(?:ObjectID|UUID|StoreTime)$/.test(name) ? name : member));

  describe("guide to serialization", () => {
    let service: TestService;
    let admin: Agent;
    beforeAll(async () => {
      service = await startTestService({ configuration: { debugMessages: true } });
      admin = service.as("admin");
    });
    afterAll(() => service.close());

    test("has examples", () => expect(examples).toHaveLength(5));

    test.each(examples)("shows the answer to $path$serialization", async ({ path, serialization, answer }) => {
      const { body } = await admin.get(`${path}serialization=${encodeURIComponent(serialization)}`);
      const { status, data } = body;
      expect(comparable(data === undefined ? status : data["~Elements"][0])).toEqual(comparable(answer));
    });
  });
});
