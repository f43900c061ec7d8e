import { ServiceError } from "@sallyport/core/errors";
import * as z from "zod";
import { parseFields } from "./fields.ts";
import { serializationParameter } from "./object-parameters.ts";

const schema = z.object({ serialization: serializationParameter });
const parse = (value: unknown) => parseFields(schema, { serialization: JSON.stringify(value) }, []).serialization;

describe("the serialization parameter", () => {
  test.each([
    [{}],
    [{ type: "full", depth: 5 }],
    [{ type: "empty" }],
    [{ type: "oid", depth: 0 }],
    [{ type: "macro" }],
    [{ type: "custom", fields: [] }],
    [
      {
        type: "custom",
        fields: [
          "Name",
          "Customer.Name",
          { name: "Positions", page: 0, perPage: 20, fields: ["Text", { name: "Order" }] },
        ],
        depth: 1,
      },
    ],
  ])("takes %j", (value) => expect(parse(value)).toEqual(value));

  test.each([
    [
      { type: "custom", fieldList: ["Name"] },
      { type: "custom", fields: ["Name"] },
    ],
    [
      { type: "custom", fieldList: ["Name"], fields: ["City"] },
      { type: "custom", fields: ["City"] },
    ],
    [
      { type: "full", depth: 1, macroLevel: 3, getSize: true, securityRights: ["x"] },
      { type: "full", depth: 1 },
    ],
  ])("takes %j of clients of other servers for %j", (value, meant) => expect(parse(value)).toEqual(meant));

  test.each([
    [{ surprise: 1 }, "/serialization/surprise"],
    [{ type: "macros" }, "/serialization/type"],
    [{ depth: 6 }, "/serialization/depth"],
    [{ fields: [] }, "/serialization/fields"],
    [{ fieldList: ["Name"] }, "/serialization/fields"],
    [{ type: "custom", fieldList: "Name" }, "/serialization/fields"],
    [{ type: "custom" }, "/serialization/fields"],
    [{ type: "custom", fields: ["Name", 5] }, "/serialization/fields/1"],
    [{ type: "custom", fields: [{}] }, "/serialization/fields/0/name"],
    [{ type: "custom", fields: [{ name: "P", page: -1 }] }, "/serialization/fields/0/page"],
    [{ type: "custom", fields: [{ name: "P", perPage: 1_001 }] }, "/serialization/fields/0/perPage"],
    [{ type: "custom", fields: [{ name: "P", "per/Page": 10 }] }, "/serialization/fields/0/per~1Page"],
    [
      { type: "custom", fields: [{ name: "P", fields: ["A", { name: "Q", fields: [{ name: "R", page: "1" }] }] }] },
      "/serialization/fields/0/fields/1/fields/0/page",
    ],
    [{ type: "custom", fields: Array.from({ length: 201 }, () => "A") }, "/serialization/fields"],
  ])("refuses %j with 307 at %s", (value, place) => {
    expect(() => parse(value)).toThrow(new ServiceError(307, { detail: `at ${place}` }));
    expect(() => parse(value)).toThrow(expect.objectContaining({ code: 307, detail: `at ${place}` }));
  });
});
