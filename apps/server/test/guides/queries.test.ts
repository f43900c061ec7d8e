import { readFileSync } from "node:fs";
import { type Agent, startTestService, type TestService } from "@sallyport/testing";

describe("queries guide", () => {
  const guide = readFileSync(new URL("../../../../docs/guides/queries.md", import.meta.url), "utf8");

  /** The rows of the tables with JSON in the second column, cell by cell. */
  function rows(
    pattern: RegExp,
  ): readonly { readonly className: string; readonly json: string; readonly expected: string }[] {
    return Array.from(guide.matchAll(pattern), ([, className = "", json = "", expected = ""]) => ({
      className,
      json,
      expected,
    }));
  }

  const filters = rows(/^\| (\w+) \| `(\{.*?\})` \| (\d+) \|/gm);
  const orders = rows(/^\| (\w+) \| `(\[.*?\])` \| ([^|]+) \|$/gm);
  const [, path = "", answer = "{}"] = /^```http\nGET (\S+)\n```\n\n```json\n(.*?)^```/ms.exec(guide) ?? [];

  describe("guide to queries", () => {
    let service: TestService;
    let admin: Agent;
    beforeAll(async () => {
      service = await startTestService();
      admin = service.as("admin");
    });
    afterAll(() => service.close());

    const get = async (at: string) => {
      const { status, data } = (await admin.get(at)).body;
      return data ?? status;
    };
    const list = (className: string, query: object) =>
      get(`/v1/objects/${className}?perPage=1&query=${encodeURIComponent(JSON.stringify(query))}`);

    test("has examples of every operator", () => {
      const operators = [
        "$eq",
        "$ne",
        "$gt",
        "$gte",
        "$lt",
        "$lte",
        "$in",
        "$nin",
        "$like",
        "$contains",
        "$exists",
        "$and",
        "$or",
        "$not",
      ];
      expect(operators.filter((operator) => !filters.some(({ json }) => json.includes(`"${operator}"`)))).toEqual([]);
      expect(orders).toHaveLength(3);
    });

    test.each(filters)("$className where $json", async ({ className, json, expected }) => {
      expect(await list(className, { where: JSON.parse(json) })).toMatchObject({ "~Count": Number(expected) });
    });

    test.each(orders)("$className sorted by $json", async ({ className, json, expected }) => {
      expect(await list(className, { sort: JSON.parse(json) })).toMatchObject({
        "~Elements": [{ [className === "Invoice" ? "Number" : "Name"]: expected }],
      });
    });

    test("shows a complete answer", async () => {
      // Ids and times differ between servers, and the cursor contains an id.
      const comparable = (value: unknown) =>
        JSON.parse(JSON.stringify(value), (name, member) =>
          /^~(?:ObjectID|UUID|StoreTime|Cursor)$/.test(name) ? name : member,
        );
      expect(comparable(await get(path))).toEqual(comparable(JSON.parse(answer)));
    });
  });
});
