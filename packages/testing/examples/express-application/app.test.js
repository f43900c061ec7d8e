import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { startTestService } from "@sallyport/testing";
import { assertError } from "@sallyport/testing/assert";
import request from "supertest";
import { createApp } from "./app.js";

let service;
let app;

before(async () => {
  service = await startTestService({
    listen: true,
    databases: {
      "": {
        classes: [
          {
            name: "Ticket",
            attributes: [
              { name: "Title", type: "string", mandatory: true },
              { name: "Done", type: "boolean" },
            ],
          },
        ],
        users: [{ name: "ada", password: "correct horse" }],
        objects: [{ className: "Ticket", attributes: { Title: "Write tests", Done: true } }],
      },
    },
  });
  app = createApp({ baseUrl: service.url, appKey: "test-app-key" });
});
afterEach(() => service.reset());
after(() => service.close());

async function logIn(password = "correct horse") {
  const { status, body } = await request(app).post("/log-in").send({ user: "ada", password });
  return { status, ticket: body.ticket };
}

test("lists and creates tickets", async () => {
  const { ticket } = await logIn();
  await request(app).post("/tickets").set("authorization", ticket).send({ title: "Ship it" }).expect(201);
  const { body } = await request(app).get("/tickets").set("authorization", ticket).expect(200);
  assert.deepEqual(body, [
    { title: "Ship it", done: false },
    { title: "Write tests", done: true },
  ]);
});

test("refuses a wrong password", async () => {
  assert.equal((await logIn("wrong")).status, 401);
});

test("survives the end of a session, because the client logs in again", async () => {
  const { ticket } = await logIn();
  await service.clock.advance("31 min");
  await request(app).get("/tickets").set("authorization", ticket).expect(200);
});

test("tells that the database is not available", async () => {
  const { ticket } = await logIn();
  service.fail("GET /v1/objects/{className}").with(607).once();
  await request(app).get("/tickets").set("authorization", ticket).expect(503);
});

test("sends no ticket without a title, which the service would refuse", async () => {
  const { ticket } = await logIn();
  await request(app).post("/tickets").set("authorization", ticket).send({}).expect(400);
  assertError(await service.as("ada").post("/v1/object/Ticket").send({}), 307);
});
