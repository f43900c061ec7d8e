import { describeEachMode, logInModes, startTestService, type TestService } from "@sallyport/testing";
import { tickets } from "../content.ts";

describe("agents", () => {
  let service: TestService;

  beforeAll(async () => {
    service = await startTestService({ databases: { "": tickets } });
  });
  afterAll(() => service.close());

  describeEachMode("an agent", (agentOf) => {
    test("reads and writes", async () => {
      const ada = agentOf(service, "ada");
      const { body } = await ada
        .post("/v1/object/Ticket")
        .query({ serialization: '{"type":"full"}' })
        .send({ Title: "Äöü €" })
        .expect(200)
        .expect("Content-Type", /^application\/json/);
      const id = body.data["~ObjectID"];
      const patched = await ada.patch(`/v1/object/${id}`).send({ Title: "Changed" }).expect(200);
      expect(patched.body.data.Title).toBe("Changed");
      expect(JSON.parse(patched.text)).toEqual(patched.body);
      await ada.delete(`/v1/object/${id}`).expect(200);
    });

    test("shows refusals", async () => {
      const { body } = await agentOf(service, "ada").post("/v1/object/Ticket").send({ Titel: "?" }).expect(400);
      expect(body.status.internalStatus).toBe("307");
    });

    test("ends its session and opens another", async () => {
      const ada = agentOf(service, "ada");
      await ada.logOut();
      await ada.get("/_CheckSession").expect(401);
      await ada.logIn();
      await ada.get("/_CheckSession").expect(200);
    });

    test("logs in again after a reset", async () => {
      const ada = agentOf(service, "ada");
      await ada.get("/_CheckSession").expect(200);
      await service.reset();
      await ada.get("/_CheckSession").expect(200);
    });

    test("sends several requests at once", async () => {
      const ada = agentOf(service, "ada");
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          ada
            .post("/v1/object/Note")
            .send({ Text: `${index}` })
            .expect(200),
        ),
      );
      expect(answers.map(({ body }) => body.data.Text)).toEqual(answers.map((_, index) => `${index}`));
    });

    test("transfers a file", async () => {
      const root = agentOf(service, "root");
      const bytes = Buffer.from(Array.from({ length: 5_000 }, (_, index) => index % 256));
      const form = { filename: "a.bin", contentType: "application/octet-stream" };
      const stored = await root.post("/v1/uploadFile").attach("file", bytes, form).expect(200);
      const read = await root.get(`/v1/file/${stored.body.data["~ObjectID"]}`).expect(200);
      expect(Buffer.compare(read.body, bytes)).toBe(0);
    });
  });

  test("logs a custom user in", async () => {
    const { body } = await service.as("partner", { mode: "custom" }).post("/v1/execute/WhoAmI").expect(200);
    expect(body.data).toBe("ada");
  });

  test("fails with the refusal of the log-in", async () => {
    await expect(service.as("ada", { password: "wrong" }).get("/_CheckSession")).rejects.toMatchObject({ code: 302 });
  });

  test("logs in again after a refused log-in", async () => {
    service.fail("POST /v1/login").with(706).once();
    const ada = service.as("ada");
    await expect(ada.get("/_CheckSession")).rejects.toMatchObject({ code: 706 });
    await ada.get("/_CheckSession").expect(200);
  });

  test("explains a failed expectation as the matchers do", async () => {
    const refused = service.as("ada").post("/v1/object/Ticket").send({ Titel: "?" }).expect(200);
    const error: Error = await refused.then(
      () => new Error("The expectation held."),
      (problem: Error) => problem,
    );
    for (const shown of [error.message, error.stack]) {
      expect(shown).toContain('expected 200 "OK", got 400 "Bad Request"');
      expect(shown).toMatch(/curl -sS -X POST .*-H "sessionid: \$SESSION_ID"/i);
      expect(shown).toMatch(/Why it was refused:\n {2}POST \/v1\/object\/\S+, user ada\n/);
    }
    expect(error.stack).toMatch(/\n +at .*agents\.test/);
  });

  test("logs in with a password that looks like a digest, and with the password of a digest", async () => {
    await service.as("hex").get("/_CheckSession").expect(200);
    await service.as("digest", { password: "secret" }).get("/_CheckSession").expect(200);
  });

  test("sends only the app key without a user", async () => {
    const { body } = await service.anonymous().get("/_CheckSession").expect(400);
    expect(body.status.internalStatus).toBe("200");
  });

  test("defines a suite for each mode", () => {
    const defined: string[] = [];
    const describe = (name: string, body: () => void) => {
      defined.push(name);
      body();
    };
    const modes: string[] = [];
    describeEachMode("orders", (_agentOf, mode) => modes.push(mode), { describe });
    expect(defined).toEqual(logInModes.map((mode) => `orders (${mode})`));
    expect(modes).toEqual(logInModes);
  });
});
