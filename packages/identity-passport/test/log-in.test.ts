import { providerTypes } from "@sallyport/core";
import { accountNamed, type ImitatedAccount, signIn } from "@sallyport/provider-imitation";
import { imitatedProviders, type ImitatedProviders, logIn, requestFor } from "./imitated-providers.ts";

const anna = accountNamed("anna") as ImitatedAccount;

let world: ImitatedProviders;

beforeAll(async () => {
  world = await imitatedProviders();
});

afterAll(() => world.close());

describe.each(providerTypes)("a log-in at %s", (type) => {
  const provider = () => world.providers().get(type)!;

  test("tells who came, by issuer and subject", async () => {
    const profile = await logIn(provider(), world.dataOf(type), "anna");
    const issuer = `https://${type}.imitation.invalid${type === "microsoft" ? `/${anna.directory}/v2.0` : ""}`;
    expect(profile).toEqual({
      issuer,
      subject: anna.subject,
      name: anna.name,
      surname: anna.surname,
      email: anna.email,
    });
  });

  test("comes back to the callback that was given, by the provider's method", async () => {
    const request = requestFor(type, provider().accept(world.dataOf(type)));
    const { address, method, parameters } = await signIn(await provider().begin(request), "chloe");
    expect({ address, method }).toEqual({ address: request.redirectUri, method: type === "apple" ? "POST" : "GET" });
    expect(parameters.get("state")).toBe(request.state);
    expect(await provider().finish({ ...request, parameters })).toMatchObject({ name: "Chloé", surname: "Exemple" });
  });

  test("is refused when the user cancels", async () => {
    await expect(logIn(provider(), world.dataOf(type), null)).rejects.toMatchObject({
      code: 324,
      detail: "the user cancelled at the provider",
    });
  });

  test("is good once", async () => {
    const request = requestFor(type, provider().accept(world.dataOf(type)));
    const { parameters } = await signIn(await provider().begin(request), "anna");
    await provider().finish({ ...request, parameters });
    await expect(provider().finish({ ...request, parameters })).rejects.toMatchObject({ code: 324 });
  });
});
