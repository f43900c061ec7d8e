import { expect as imported } from "@jest/globals";
import { assertEnvelope, assertError, stable } from "@sallyport/testing/assert";
import { type ReceivedResponse, startTestService, type TestService } from "@sallyport/testing";
import { tickets } from "./content.ts";

const messageOf = (check: () => void): string => {
  try {
    check();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error("The check passed.");
};

describe("matchers", () => {
  let service: TestService;

  beforeAll(async () => {
    await import("@sallyport/testing/jest");
    service = await startTestService({ databases: { "": tickets } });
  });
  afterAll(() => service.close());

  test("accepts successes and errors of the service as envelopes", async () => {
    const ada = service.as("ada");
    expect(await ada.get("/v1/object/Ticket")).toBeEnvelope();
    const refused = await ada.post("/v1/object/Ticket").send({ Titel: "?" });
    expect(refused).toBeEnvelope();
    expect(refused).toBeError(307);
    expect(refused).not.toBeError(304);
    imported(refused).toBeError(307);
    assertEnvelope(refused);
    assertError(refused, 307);
  });

  test("shows the request as a command without the credential, and why it was refused", async () => {
    const refused = await service.as("ada", { mode: "token" }).post("/v1/object/Ticket").send({ Titel: "it's" });
    const message = messageOf(() => expect(refused).toBeError(304));
    expect(messageOf(() => assertError(refused, 304))).toBe(message);
    expect(message).toMatch(/^The response is 400\/307 \(.+\), not 404\/304 \(.+\)\.\n\nHTTP 400\n/);
    expect(message).toMatch(
      /curl -sS -X POST http:\/\/127\.0\.0\.1:\d+\/v1\/object\/Ticket .*-H "authorization: \$TOKEN"/i,
    );
    expect(message).toContain(String.raw`-d '{"Titel":"it'\''s"}'`);
    expect(message).toMatch(/Why it was refused:\n {2}POST \/v1\/object\/\S+, user ada\n/);
    expect(message).toMatch(/Are the fields valid\?/);
    const { header } = refused.request as unknown as { readonly header: Readonly<Record<string, string>> };
    expect(header["authorization"]).toMatch(/\w+\.\w+/);
    expect(message).not.toContain(header["authorization"]);
  });

  test("masks credentials in the request and in the response", async () => {
    const { body: opened } = await service
      .anonymous()
      .post("/v1/login")
      .send({ user: "bob", pass: "bob", appNames: ["test-app"] });
    expect(opened).toMatchObject({ data: { sessionId: expect.any(String) } });
    const response = {
      status: 200,
      body: opened,
      request: {
        method: "POST",
        url: "http://a/v1/login?appkey=k1&2faToken=k2&user=ada",
        header: { AppKey: "k3", "secure-token": "k4", accept: "text/html" },
        _data: { user: "ada", pass: "k5", ops: [{ newPassword: "k6", recoveryCodes: ["k7", "k8"] }], token: null },
      },
    };
    const message = messageOf(() => assertError(response, 304));
    expect(message).not.toContain(opened.data.sessionId);
    expect(message).toContain('"sessionId": "<sessionId>"');
    expect(message).toContain(
      `curl -sS -X POST 'http://a/v1/login?appkey=<appkey>&2faToken=<2faToken>&user=ada' -H "AppKey: $APP_KEY" ` +
        `-H "secure-token: $SECURE_TOKEN" -H 'accept: text/html' -d '{"user":"ada","pass":"<pass>",` +
        `"ops":[{"newPassword":"<newPassword>","recoveryCodes":["<recoveryCodes>","<recoveryCodes>"]}],"token":null}'`,
    );
    expect(message).not.toMatch(/k\d/);
  });

  test.each([
    ['{ "resetPasswordToken": "k1", "n": 1 }', `'{"resetPasswordToken":"<resetPasswordToken>","n":1}'`],
    ['{ "n": 1 }', `'{ "n": 1 }'`],
    ["user=ada&password=k%201&note=token=b", "'user=ada&password=<password>&note=token=b'"],
    ["oldPassword", "oldPassword"],
    [
      `{"code":"${"k".repeat(43)}","verifier":"k1","state":"macro"}`,
      `'{"code":"<code>","verifier":"<verifier>","state":"macro"}'`,
    ],
    ['{"url":"https://a/v1/link/k1?name=a"}', `'{"url":"https://a/v1/link/<signature>?name=a"}'`],
    ['{"id":"4","key":"k1"}', `'{"id":"4","key":"<key>"}'`],
  ])("masks credentials in the text %s", (text, shown) => {
    const request = { method: "PUT", url: "http://a/", _data: text };
    const message = messageOf(() => assertEnvelope({ status: 200, text, request }));
    expect(message).toContain(`-d ${shown}`);
    expect(message).toContain(`HTTP 200\n  ${shown.replaceAll("'", "")}`);
  });

  const envelope = (internalStatus: unknown, statusMessage: unknown, data?: unknown) => ({
    status: { internalStatus, statusMessage },
    ...(data === undefined ? {} : { data }),
  });

  test.each<[string, ReceivedResponse]>([
    ["The body has no `status`", { status: 200, body: {}, text: "<html>" }],
    ["The body has no `status`", { status: 200, body: envelope(0, "ok", {}) }],
    ["A success has `data`.", { status: 200, body: envelope("0", "ok") }],
    ["A success has HTTP status 200, not 201.", { status: 201, body: envelope("0", "ok", {}) }],
    ["There is no error 999 in the catalogue.", { status: 500, body: envelope("999", "?") }],
    ["The error 304 has HTTP status 404, not 400.", { status: 400, body: envelope("304", "Invalid path") }],
    ['The error 304 is called "Invalid path", not "Nothing".', { status: 404, body: envelope("304", "Nothing") }],
    ["An error has no `data`.", { status: 404, body: envelope("304", "Invalid path", {}) }],
  ])("refuses an envelope: %s", (problem, response) => {
    expect(messageOf(() => assertEnvelope(response))).toContain(problem);
    expect(messageOf(() => expect(response).toBeEnvelope())).toContain(problem);
  });

  test("refuses an unknown code", () => {
    const response = { status: 200, body: envelope("0", "ok", {}) };
    expect(() => assertError(response, 1)).toThrow("There is no error 1 in the catalogue.");
    expect(messageOf(() => assertError(response, 304))).toContain("The response is a success, not 404/304");
  });

  test("replaces ids, times and credentials, so that runs compare", async () => {
    const create = async () =>
      stable(
        await service
          .as("ada")
          .post("/v1/object/Ticket")
          .send({ Title: "2026-01-01", Next: service.id("first") }),
      );
    const [one, other] = [await create(), await create()];
    expect(one).toEqual(other);
    expect(one.body).toMatchObject({
      data: { "~ObjectID": "<id 1>", "~UUID": "<uuid 1>", "~StoreTime": "<time>", Title: "2026-01-01" },
    });
    const both = stable({ status: 200, body: [{ "~ObjectID": "1A" }, { "~ObjectID": "2B" }, { "~ObjectID": "1A" }] });
    expect(both.body).toEqual([{ "~ObjectID": "<id 1>" }, { "~ObjectID": "<id 2>" }, { "~ObjectID": "<id 1>" }]);
    expect(stable({ status: 200, body: { sessionId: "secret" } }).body).toEqual({ sessionId: "<sessionId>" });
  });
});
