import { type ClassStructure, definitionOf, versionOf } from "@sallyport/client";
import { success } from "./fake-server.ts";
import { loggedIn, modes } from "./modes.ts";

const ticket: ClassStructure = {
  name: "Ticket",
  base: "Document",
  builtIn: false,
  attributes: [
    { name: "Title", type: "string", mandatory: true, indexed: false, inherited: true },
    {
      name: "Customer",
      type: "reference",
      target: "Customer",
      mandatory: false,
      indexed: true,
      indexState: "building",
      onDelete: "clear",
      inherited: false,
    },
    { name: "Text", type: "string", mandatory: false, indexed: false, inherited: false },
  ],
  permissions: ["read"],
  rights: [{ group: "*", permissions: ["read"] }],
};

test("the definition of a class is what of its structure is its own", () => {
  expect(definitionOf(ticket)).toEqual({
    base: "Document",
    attributes: [
      { name: "Customer", type: "reference", target: "Customer", mandatory: false, indexed: true, onDelete: "clear" },
      { name: "Text", type: "string", mandatory: false, indexed: false },
    ],
    rights: [{ group: "*", permissions: ["read"] }],
  });
  const { rights: _rights, ...ofReader } = ticket;
  expect(definitionOf({ ...ofReader, attributes: [] })).toEqual({ base: "Document", attributes: [], rights: [] });
});

describe.each(modes)("classes in mode %s", (mode) => {
  test("are read, put and removed", async () => {
    const { server, client } = await loggedIn(mode);
    server.routes.set("session /v1/model/structure", () => success({ classes: [ticket] }, { etag: '"4"' }));
    server.routes.set("session /v1/model/structure/Ticket", ({ method }) =>
      success(method === "PUT" ? ticket : {}, { etag: '"5"' }),
    );
    const structure = await client.getStructure();
    expect([structure, versionOf(structure)]).toEqual([{ classes: [ticket] }, '"4"']);
    const put = await client.putClass(
      "Ticket",
      { attributes: [{ name: "Text", type: "string" }] },
      { ifMatch: structure },
    );
    expect([put, versionOf(put)]).toEqual([ticket, '"5"']);
    await client.removeClass("Ticket", { ifMatch: put });
    await client.removeClass("Ticket");
    const sent = server.arrived
      .slice(-3)
      .map(({ method, path, headers, body }) => [method, path, headers.get("if-match"), body]);
    expect(sent).toEqual([
      ["PUT", "/v1/model/structure/Ticket", '"4"', '{"attributes":[{"name":"Text","type":"string"}]}'],
      ["DELETE", "/v1/model/structure/Ticket", '"5"', ""],
      ["DELETE", "/v1/model/structure/Ticket", null, ""],
    ]);
  });
});
