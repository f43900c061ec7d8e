const { describeEachMode, ref, startTestService } = require("@sallyport/testing");
const { assertError } = require("@sallyport/testing/assert");
require("@sallyport/testing/jest");

let service;

beforeAll(async () => {
  const Ticket = {
    name: "Ticket",
    attributes: [
      { name: "Title", type: "string", mandatory: true },
      { name: "Owner", type: "reference", target: "User" },
    ],
  };
  service = await startTestService({
    databases: {
      "": {
        classes: [Ticket],
        users: [{ name: "ada", password: "correct horse" }],
        objects: [{ name: "first", className: "Ticket", attributes: { Title: "Write tests", Owner: ref("ada") } }],
      },
    },
  });
}, 30_000);
afterEach(() => service.reset());
afterAll(() => service.close());

describeEachMode("a ticket", (agentOf) => {
  test("is read", async () => {
    const { body } = await agentOf(service, "ada")
      .get(`/v1/object/${service.id("first")}`)
      .expect(200);
    expect(body.data).toMatchObject({ Title: "Write tests" });
  });

  test("needs a title", async () => {
    const refused = await agentOf(service, "ada").post("/v1/object/Ticket").send({});
    expect(refused).toBeError(307);
    assertError(refused, 307);
  });
});

test("follows the clock", async () => {
  const ada = service.as("ada");
  await ada.get("/_CheckSession").expect(200);
  service.clock.advance("31 min");
  expect(await ada.get("/_CheckSession")).toBeError(201);
});
