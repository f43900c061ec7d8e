import { call } from "../client.ts";
import { Mailbox } from "../mail/mailbox.ts";
import { link, logInAt } from "./browser.ts";
import { register, providerEnvironment } from "./provider-fixture.ts";
import { repositoriesOf } from "../repositories-of.ts";
import { onProviderServers } from "./on-provider-servers.ts";

/** Mail to users about linked accounts. */
describe("mail about new links", () => {
  const mailbox = new Mailbox();
  beforeAll(() => mailbox.open());
  afterAll(() => mailbox.close());

  onProviderServers(
    "mail about new links",
    (server, fixture) => {
      const bind = async (account: string, change: object, headers: Readonly<Record<string, string>> = {}) => {
        const { dfUuid } = (await logInAt(server(), "google", account)).body.data;
        const body = { user: "demo", pass: "demo", appNames: ["demo-app"], dfUuid, ...change };
        return (await call(server(), "/v1/extLogin", { method: "POST", body, headers })).code;
      };

      test("notifies only a user with an address about a linked account, in the user's language", async () => {
        await register(fixture(), server(), "google");
        const { accounts } = repositoriesOf(server());
        const { account } = await accounts.find({ realm: "database", loginName: "demo" }, []);
        const [addressed, without] = ["addressed", "without"];
        for (const name of [addressed, without]) {
          const [user] = await repositoriesOf(server()).objects.insert([
            { className: "User", attributes: { Name: name } },
          ]);
          const email = name === addressed ? "addressed@example.com" : null;
          await accounts.create(
            { userId: user?.id ?? "", loginName: name, secret: account?.secret ?? "", administrator: false, email },
            name,
          );
        }
        expect([
          await bind("anna", { user: addressed, pass: "wrong" }),
          (await link(server(), "none", { user: addressed })).code,
        ]).toEqual(["302", "324"]);
        expect(await bind("anna", { user: without })).toBe("0");
        expect(await bind("ben", { user: addressed }, { "accept-language": "de" })).toBe("0");
        expect(await bind("chloe", { user: addressed }, { "accept-language": "en" })).toBe("0");
        for (const [subject, sentence] of [
          ["Ein Konto bei Google wurde", "wurde ein Konto bei Google verbunden"],
          ["An account at Google was linked", "an account at Google was linked"],
        ] as const) {
          const { to, headers, bodies } = await mailbox.next();
          expect(to).toEqual(["addressed@example.com"]);
          expect(headers.get("subject")).toEqual([expect.stringContaining(subject)]);
          for (const body of [bodies.get("text/plain"), bodies.get("text/html")]) {
            expect(body).toContain(sentence);
            expect(body).toContain(addressed);
            expect(body).not.toMatch(/ben@|chloe@|Ben |Chloe /);
          }
        }
        expect(mailbox.left).toBe(0);
      });
    },
    { environment: () => ({ ...providerEnvironment, ...mailbox.environment }) },
  );
});
