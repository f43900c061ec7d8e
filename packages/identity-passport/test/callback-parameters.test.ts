import fc from "fast-check";
import { providerTypes } from "@sallyport/core";
import { signIn } from "@sallyport/fake-identity-providers";
import {
  startFakeProviders,
  type FakeProviders,
  logIn,
  requestFor,
} from "@sallyport/test-kit/providers/fake-providers";
import { errorReportOf } from "./error-report-of.ts";

let world: FakeProviders;

beforeAll(async () => {
  world = await startFakeProviders();
});

afterAll(() => world.close());

describe.each(providerTypes)("callback of %s", (type) => {
  const provider = () => world.providers().get(type)!;
  const finishing = (parameters: ReadonlyMap<string, string>) => {
    const request = requestFor(type, provider().accept(world.dataOf(type)));
    return provider().finish({ ...request, parameters: new Map([["state", request.state], ...parameters]) });
  };

  test.each<[string, Record<string, string>, string]>([
    ["without a code", {}, "The callback has no code."],
    ["with an empty code", { code: "" }, "The callback has no code."],
    ["with an overlong code", { code: "c".repeat(4_097) }, "The callback has no code."],
    ["of another log-in", { code: "c", state: "another" }, "The callback belongs to another log-in."],
    ["without a state", { code: "c", state: "" }, "The callback belongs to another log-in."],
    [
      "of a user who cancelled",
      { code: "c", error: "access_denied" },
      "The user cancelled the log-in at the provider.",
    ],
    [
      "of a user who cancelled in Apple's way",
      { error: "user_cancelled_authorize" },
      "The user cancelled the log-in at the provider.",
    ],
    [
      "with an error",
      { code: "c", error: "server_error<script>", error_description: "words" },
      "The provider refused the log-in.",
    ],
    [
      "with an error of Facebook's kind",
      { code: "c", error_code: "200", error_message: "words" },
      "The provider refused the log-in.",
    ],
    ["with an unknown code", { code: "c" }, "The provider refused the code."],
  ])("%s is refused", async (_, parameters, detail) => {
    const error = await finishing(new Map(Object.entries(parameters))).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 324, detail });
    expect(errorReportOf(error)).not.toMatch(/words|script/);
  });

  test("with arbitrary parameters is refused, and only checks a code at the provider", async () => {
    const name = fc.oneof(
      fc.constantFrom(
        "code",
        "state",
        "error",
        "error_code",
        "iss",
        "user",
        "id_token",
        "access_token",
        "__proto__",
        "constructor",
        "redirect_uri",
      ),
      fc.string(),
    );
    const value = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom("", "{", '{"name":{"firstName":"A"}}', "https://accounts.google.com", "[object Object]"),
      fc.json(),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.tuple(name, value), { selector: ([each]) => each, maxLength: 8 }),
        async (entries) => {
          const error = await finishing(new Map(entries)).catch((thrown: unknown) => thrown);
          expect(error).toMatchObject({ name: "ServiceError", code: 324 });
          expect(error).not.toHaveProperty("cause");
        },
      ),
      { numRuns: 60 },
    );
  });

  test("with another verifier is refused, if the provider supports PKCE", async () => {
    const changed = logIn(provider(), world.dataOf(type), "anna", (answer) => ({
      ...answer,
      codeVerifier: "v".repeat(43),
    }));
    if (type === "apple") expect(await changed).toMatchObject({ name: "Anna" });
    else await expect(changed).rejects.toMatchObject({ code: 324, detail: "The provider refused the code." });
  });

  test("with another callback address is refused", async () => {
    const changed = logIn(provider(), world.dataOf(type), "anna", (answer) => ({
      ...answer,
      redirectUri: `${answer.redirectUri}/x`,
    }));
    await expect(changed).rejects.toMatchObject({ code: 324, detail: "The provider refused the code." });
  });

  test("with the nonce of another log-in is refused", async () => {
    const changed = logIn(provider(), world.dataOf(type), "anna", (answer) => ({ ...answer, nonce: "n".repeat(43) }));
    await expect(changed).rejects.toMatchObject({ code: 324, detail: "The id token belongs to another log-in." });
  });

  test("succeeds once among twenty at once", async () => {
    const one = provider();
    const request = requestFor(type, one.accept(world.dataOf(type)));
    const { parameters } = await signIn(await one.begin(request), "anna");
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => one.finish({ ...request, parameters })));
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    for (const outcome of outcomes)
      if (outcome.status === "rejected") expect(outcome.reason).toMatchObject({ code: 324 });
  });
});

test("a callback that names another issuer is refused before any request", async () => {
  const before = world.fakes.requests.get("/google/token") ?? 0;
  const foreign = logIn(world.providers().get("google")!, world.dataOf("google"), "anna", (answer) => ({
    ...answer,
    parameters: new Map([...answer.parameters, ["iss", "https://other.example"]]),
  }));
  await expect(foreign).rejects.toMatchObject({ code: 324, detail: "The callback comes from another provider." });
  expect(world.fakes.requests.get("/google/token") ?? 0).toBe(before);
  const own = await logIn(world.providers().get("google")!, world.dataOf("google"), "anna", (answer) => ({
    ...answer,
    parameters: new Map([...answer.parameters, ["iss", "https://google.fake.invalid"]]),
  }));
  expect(own).toMatchObject({ name: "Anna" });
});

test("Apple's form may contain any name, or none", async () => {
  const named = (user: string | null) =>
    logIn(world.providers().get("apple")!, world.dataOf("apple"), "anna", (answer) => {
      const parameters = new Map(answer.parameters);
      parameters.delete("user");
      return { ...answer, parameters: user === null ? parameters : parameters.set("user", user) };
    });
  for (const user of [null, "", "{", "[]", '{"name":"x"}'])
    expect(await named(user)).toMatchObject({ name: "", surname: "", email: "anna@example.com" });
  expect(await named('{"name":{"firstName":"Ben\\r\\nBcc: x"},"email":"ben@example.com"}')).toMatchObject({
    name: "Ben Bcc: x",
    email: "anna@example.com",
  });
});
