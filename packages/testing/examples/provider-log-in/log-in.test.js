import { startTestService } from "@sallyport/testing";
import "@sallyport/testing/jest";
import { begin, end } from "./log-in.js";

let service;
let place;

beforeAll(async () => {
  service = await startTestService({
    listen: true,
    providers: true,
    databases: { "": { users: [{ name: "ada", password: "correct horse", email: "ada@example.com" }] } },
  });
  place = { baseUrl: service.url, appKey: "test-app-key" };
});
afterEach(() => service.reset());
afterAll(() => service.close());

const password = async () => ({ user: "ada", password: "correct horse" });
const neverAsked = () => Promise.reject(new Error("The account is linked."));

test("links a new account once, and logs in with it from then on", async () => {
  const first = await begin(place, "google");
  const { location } = await service.providers.google.visit(first.url, "new");
  const client = await end(place, location, first.verifier, password);
  expect(await client.checkSession()).toBe(true);

  const mail = await service.mail.latest("ada@example.com");
  expect(mail.subject).toMatch(/^An account at Google was linked/);

  const second = await begin(place, "google");
  const again = await service.providers.google.visit(second.url, "new");
  await end(place, again.location, second.verifier, neverAsked);
});

test("tells that the person has canceled", async () => {
  const { url, verifier } = await begin(place, "apple");
  const { location } = await service.providers.apple.visit(url, "denied");
  await expect(end(place, location, verifier, neverAsked)).rejects.toMatchObject({ code: 324 });
});

test.each(["wrongState", "expired"])("refuses the persona %s", async (persona) => {
  expect(await service.providers.microsoft.logIn(persona)).toBeError(324);
});
