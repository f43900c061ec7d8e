import { catalogue, extensions } from "@sallyport/storage/errors";
import { describeEachMode, startTestService, type TestService } from "@sallyport/testing";
import { tickets } from "../content.ts";

const codes = [...catalogue, ...extensions];

describe("failures", () => {
  let service: TestService;

  beforeAll(async () => {
    service = await startTestService({ databases: { "": tickets }, configuration: { debugMessages: true } });
  });
  afterAll(() => service.close());

  const inModes = { modes: ["session", "secure"] } as const;
  const eachCode: Parameters<typeof describeEachMode>[1] = (agentOf, mode) => {
    test.each(codes.map(({ code, status, name }) => [code, status, name] as const))(
      "answers %i with HTTP %i",
      async (code, status, name) => {
        const ada = agentOf(service, "ada");
        const path = `/v1/object/${service.id("first")}`;
        service.fail("GET /v1/object/{id}").with(code, { detail: "On demand." }).once();
        const planned = await ada.get(path).expect(status);
        expect(planned.body.status).toEqual({
          internalStatus: String(code),
          statusMessage: name,
          debugMessage: "On demand.",
        });
        expect(planned.headers["encrypted"] !== undefined).toBe(mode === "secure");
        const named = await ada.get(path).set("sallyport-test-fail", String(code)).expect(status);
        expect(named.body.status.internalStatus).toBe(String(code));
        await ada.get(path).expect(200);
      },
    );
  };
  // The modes differ only after the failure is written.
  describeEachMode("a planned failure", eachCode, inModes);

  test("fails the given number of requests", async () => {
    const ada = service.as("ada");
    service.fail("GET /_CheckSession").with(706, { retryAfter: 7 }).times(2);
    const { headers } = await ada.get("/_CheckSession").expect(503);
    expect(headers["retry-after"]).toBe("7");
    await ada.get("/_CheckSession").expect(503);
    await ada.get("/_CheckSession").expect(200);
  });

  test("carries what a real failure carries", async () => {
    const ada = service.as("ada");
    const headersOf = async (code: number) => {
      service.fail("GET /_CheckSession").with(code).once();
      return (await ada.get("/_CheckSession")).headers;
    };
    expect(await headersOf(800)).toMatchObject({ "retry-after": "1" });
    expect(await headersOf(706)).toMatchObject({ "retry-after": "1" });
    expect(await headersOf(330)).toMatchObject({ "sync-restart": "1" });
    const named = await ada.get("/_CheckSession").set("sallyport-test-fail", "800");
    expect(named.headers).toMatchObject({ "retry-after": "1" });
  });

  test("fails no request zero times, and refuses other numbers", async () => {
    const failures = service.fail("GET /_CheckSession").with(706);
    failures.times(0);
    await service.as("ada").get("/_CheckSession").expect(200);
    for (const times of [-1, 1.5, Number.NaN]) expect(() => failures.times(times)).toThrow("not a number of requests");
  });

  test("fails until it is cleared", async () => {
    const ada = service.as("ada");
    const failures = service.fail("POST /v1/object/{className}");
    failures.with(719).always();
    for (let count = 0; count < 3; count += 1) await ada.post("/v1/object/Note").send({}).expect(500);
    failures.clear();
    await ada.post("/v1/object/Note").send({}).expect(200);
  });

  test("fails an item of a multi request", async () => {
    service.fail("GET /v1/object/{id}").with(607).once();
    const path = `/v1/object/${service.id("first")}`;
    const { body } = await service
      .as("ada")
      .post("/v1/multi")
      .send([
        { method: "GET", path },
        { method: "GET", path },
      ])
      .expect(200);
    expect(body.data.map(({ httpStatus }: { httpStatus: number }) => httpStatus)).toEqual([503, 200]);
  });

  test("does not precede the checks of the request", async () => {
    service.fail("GET /v1/object/{id}").with(607).once();
    const path = `/v1/object/${service.id("first")}`;
    await service.anonymous().get(path).expect(400);
    await service.as("ada").get(path).expect(503);
  });

  test("refuses an unknown route, an unknown code and an invalid header", async () => {
    expect(() => service.fail("GET /v1/objects").with(607).once()).toThrow("no route");
    expect(() => service.fail("GET /v1/object/{id}").with(999).once()).toThrow("not a code");
    const { body } = await service.as("ada").get("/_CheckSession").set("sallyport-test-fail", "often").expect(400);
    expect(body.status).toMatchObject({ internalStatus: "307", debugMessage: expect.stringContaining("catalogue") });
  });
});
