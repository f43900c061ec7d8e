import { AnswerTooLargeError, type AttributeDefinition, seesAll, UnparsedObject } from "@sallyport/storage";
import { fullPlan, Model, ObjectSerializer, type SerializationSource, StoreTime, withUuid } from "../../src/index.ts";
import { type Fixture, openFixture } from "../fixture.ts";

const uuid = "0b7c1a52-6f0e-4f7e-9d3c-5a2b1c0d9e8f";

describe("ObjectSerializer writes texts of a database", () => {
  let fixture: Fixture;

  beforeAll(async () => {
    fixture = await openFixture();
    const attributes: readonly AttributeDefinition[] = [
      { name: "Name", type: "string" },
      { name: "Price", type: "number" },
      { name: "Notes", type: "json" },
    ];
    await fixture.define({ name: "Thing", base: null, attributes, rights: [] });
  });

  const written = async (texts: readonly string[], more: Partial<SerializationSource> = {}) => {
    const model = new Model(await fixture.r.model.load());
    const { objects } = fixture.r;
    const source = { objects, visibility: seesAll, storeTime: new StoreTime("UTC"), answerBytes: 10_000, ...more };
    const serializer = new ObjectSerializer(source, withUuid(fullPlan(model, 2)));
    const unparsed = texts.map((text) => new UnparsedObject("1A", uuid, "Thing", 0, 1, null, text));
    return (await serializer.writeText(unparsed)).join("");
  };
  const fields = { "~ClassName": "Thing", "~ObjectID": "1A", "~UUID": uuid, "~StoreTime": "19700101T000000+00:00" };

  test.each<[what: string, text: string, isCopied: boolean]>([
    ["without attributes", "{}", true],
    ["with values of each plain type", '{"Name": "a", "Notes": null, "Price": -1.5}', true],
    ["with escaped characters", String.raw`{"Name": "a\"}, \\", "Notes": "\u0001ü\n"}`, true],
    ["with a number of many digits", '{"Price": 1000000000000000000000}', true],
    ["with texts that look like members", String.raw`{"Name": "a, ", "Notes": ", \"Price\": 1, ", "Price": 2}`, true],
    ["with a list", '{"Name": "a", "Notes": [1, {"Hidden": "x"}]}', false],
    ["with an attribute that the class does not show", '{"Hidden": "x", "Name": "a"}', false],
    ["with one behind the others", '{"Name": "a", "Hidden": 1}', false],
    ["with a name in a value", String.raw`{"Name": "a\", \"Hidden\": \"x"}`, true],
    ["with a name that begins like an attribute", '{"NameHidden": "x"}', false],
    ["of another format", '{"Name":"a"}', false],
    ["that is long", `{"Name": "${"ü".repeat(3_000)}"}`, true],
  ])("an object %s", async (_what, text, isCopied) => {
    const { Hidden: _hidden, NameHidden: _nameHidden, ...shown } = JSON.parse(text);
    const answer = await written([text]);
    expect(JSON.parse(answer)).toEqual([{ ...fields, ...shown }]);
    // Copies keep the digits of a number.
    expect(answer.replace("1000000000000000000000", "1e+21")).toBe(JSON.stringify([{ ...fields, ...shown }]));
    expect(answer.includes("1000000000000000000000")).toBe(isCopied && text.includes("1000000000000000000000"));
  });

  test("several objects, and none", async () => {
    expect(JSON.parse(await written(['{"Name": "a"}', "{}"]))).toEqual([{ ...fields, Name: "a" }, fields]);
    expect(await written([])).toBe("[]");
  });

  test("only within the limit of an answer", async () => {
    const text = `{"Name": "${"ü".repeat(500)}"}`;
    const bytes = Buffer.byteLength(await written([text]));
    expect(await written([text], { answerBytes: bytes })).toContain("üü");
    await expect(written([text], { answerBytes: bytes - 1 })).rejects.toThrow(AnswerTooLargeError);
  });

  test("with the changes of hooks", async () => {
    const extension = {
      begin: async () => true,
      concerns: () => true,
      complete: async (objects: readonly { readonly output: Record<string, unknown> }[]) => {
        for (const { output } of objects) output["Added"] = true;
        return 20;
      },
      ignore: () => {},
    };
    expect(JSON.parse(await written(['{"Name": "a"}'], { extension }))).toEqual([
      { ...fields, Name: "a", Added: true },
    ]);
  });
});
