import { signIn } from "@sallyport/fake-identity-providers";
import type { RunningServer } from "../../src/index.ts";
import type { Answer } from "../client.ts";
import { startLogIn, begin, finishLogIn } from "./browser.ts";
import { register, providerEnvironment } from "./provider-fixture.ts";
import { repositoriesOf } from "../repositories-of.ts";
import { tuned } from "../test-environment.ts";
import { onProviderServers } from "./on-provider-servers.ts";

const quotaEnvironment = {
  ...providerEnvironment,
  TRUSTED_PROXIES: "127.0.0.1",
  // For callbacks without a forwarded address, which are from an unknown client.
  ALLOW_INSECURE_TRANSPORT: "true",
  PROVIDERS_MAX_PENDING_LOGINS_PER_IP: "3",
  ...tuned({ providers: { pendingLogIns: 5 } }),
};

/** The limit of provider log-ins in progress, at one server or two servers with the same databases. */
onProviderServers(
  "provider log-ins in progress",
  (_server, fixture, demo) => {
    const servers = () => demo.servers() as [RunningServer, RunningServer];
    const from = (address: string, alias = "") => ({
      alias,
      headers: { "x-forwarded-for": address, "x-forwarded-proto": "https" },
    });
    const codes = (answers: readonly Answer[]) => answers.map(({ code }) => code).toSorted();
    /** This many at once, alternating between the servers. */
    const concurrently = (times: number, address: (index: number) => string, alias = "") =>
      Promise.all(
        Array.from({ length: times }, (_, index) =>
          begin(servers()[index % 2] as RunningServer, "google", from(address(index), alias)),
        ),
      );
    const free = async () => {
      for (const alias of ["", "second"]) {
        for (const network of ["192.0.2.1", "192.0.2.2", "192.0.2.3", "2001:db8:1:2::/64"])
          await repositoriesOf(servers()[0], alias).records.remove("providerState", { owner: `network:${network}` });
      }
    };
    const settled = async () => {
      const { audit } = repositoriesOf(servers()[0]);
      const [latest] = (await audit.read(0, 1_000)).slice(-1);
      await audit.settle(0, 100);
      return (await audit.read(latest?.sequence ?? 0, 1_000)).map(({ type, outcome, address, attempts }) => [
        type,
        outcome,
        address,
        attempts,
      ]);
    };

    beforeAll(async () => {
      for (const alias of ["", "second"]) await register(fixture(), servers()[0], "google", { alias });
    });
    beforeEach(free);

    test("begins as many concurrent log-ins of one network as allowed, and tells the others when to retry", async () => {
      await settled();
      const answers = await concurrently(12, () => "192.0.2.1");
      expect(codes(answers)).toEqual(["0", "0", "0", ...Array.from({ length: 9 }, () => "706")]);
      for (const { status, code, body, headers } of answers) {
        if (code === "0") continue;
        expect({ status, body }).toEqual({
          status: 503,
          body: { status: { internalStatus: "706", statusMessage: "The server is currently unavailable" } },
        });
        expect([headers["retry-after"], headers["location"], headers["set-cookie"]]).toEqual([
          "10",
          undefined,
          undefined,
        ]);
      }
      expect(await settled()).toEqual([["provider.refused", 706, "192.0.2.1", 9]]);
    });

    test("refuses no other network until the total limit, and no other database", async () => {
      expect(codes(await concurrently(4, () => "192.0.2.1"))).toEqual(["0", "0", "0", "706"]);
      expect(codes(await concurrently(4, (index) => `192.0.2.${2 + (index % 2)}`))).toEqual(["0", "0", "706", "706"]);
      expect(codes(await concurrently(3, () => "192.0.2.1", "/second"))).toEqual(["0", "0", "0"]);
    });

    test("a forged forwarded address and another address of the same network count as the network", async () => {
      const forged = await concurrently(4, (index) => `198.51.100.${index}, 192.0.2.1`);
      expect(codes(forged)).toEqual(["0", "0", "0", "706"]);
      await free();
      expect(codes(await concurrently(4, (index) => `2001:db8:1:2::${index + 1}`))).toEqual(["0", "0", "0", "706"]);
    });

    test("every return frees a slot, with any outcome", async () => {
      const [server] = servers();
      const { location, cookie } = await startLogIn(server, "google", from("192.0.2.1"));
      const refused = await startLogIn(server, "google", from("192.0.2.1"));
      await startLogIn(server, "google", from("192.0.2.1"));
      expect((await begin(server, "google", from("192.0.2.1"))).code).toBe("706");
      expect((await finishLogIn(server, await signIn(location, "anna"), cookie)).code).toBe("0");
      expect((await finishLogIn(server, await signIn(refused.location, null), refused.cookie)).code).toBe("324");
      expect(codes(await concurrently(3, () => "192.0.2.1"))).toEqual(["0", "0", "706"]);
    });

    test("a log-in refused for another reason takes no slot", async () => {
      for (let round = 0; round < 4; round += 1)
        expect((await begin(servers()[0], "google", { ...from("192.0.2.1"), query: { appNames: "other" } })).code).toBe(
          "208",
        );
      expect(codes(await concurrently(4, () => "192.0.2.1"))).toEqual(["0", "0", "0", "706"]);
    });
  },
  { environment: quotaEnvironment, count: 2 },
);
