import { signIn } from "@sallyport/fake-identity-providers";
import type { RunningServer } from "../src/index.ts";
import { call, checkSession } from "./client.ts";
import { type DemoOfSuite, onEngines } from "./engines.ts";
import { Mailbox } from "./mailbox.ts";
import { startLogIn, finishLogIn, link } from "./providers/browser.ts";
import { flowSuite } from "./providers/flow-suite.ts";
import { providerHookEnvironment, providerHookSuite } from "./providers/hook-suite.ts";
import { linkMailSuite } from "./providers/link-mail-suite.ts";
import {
  openProviderFixture,
  type ProviderFixture,
  register,
  providerEnvironment,
} from "./providers/provider-fixture.ts";
import { providerSuite } from "./providers/provider-suite.ts";
import { returnSuite } from "./providers/return-suite.ts";
import { quotaEnvironment, quotaSuite } from "./providers/quota-suite.ts";

describe("return to an app", () => {
  let fixture: ProviderFixture;
  beforeAll(async () => {
    fixture = await openProviderFixture();
  });
  afterAll(() => fixture.close());

  onEngines(
    "provider log-ins that return to an app",
    (_server, { servers }) =>
      returnSuite(
        () => servers() as [RunningServer, RunningServer],
        () => fixture,
      ),
    {
      environment: providerEnvironment,
      content: () => fixture.content,
      count: 2,
    },
  );
});

describe("quota", () => {
  let fixture: ProviderFixture;
  beforeAll(async () => {
    fixture = await openProviderFixture();
  });
  afterAll(() => fixture.close());

  onEngines(
    "provider log-ins in progress",
    (_server, { servers }) =>
      quotaSuite(
        () => servers() as [RunningServer, RunningServer],
        () => fixture,
      ),
    {
      environment: quotaEnvironment,
      content: () => fixture.content,
      count: 2,
    },
  );
});

describe("link mail", () => {
  const mailbox = new Mailbox();
  let fixture: ProviderFixture;
  beforeAll(async () => {
    fixture = await openProviderFixture();
    await mailbox.open();
  });
  afterAll(async () => {
    await mailbox.close();
    await fixture.close();
  });

  onEngines(
    "mail about new links",
    (server) =>
      linkMailSuite(
        server,
        () => fixture,
        () => mailbox,
      ),
    {
      environment: () => ({ ...providerEnvironment, ...mailbox.environment }),
      content: () => fixture.content,
    },
  );
});

describe("providers", () => {
  let fixture: ProviderFixture;
  beforeAll(async () => {
    fixture = await openProviderFixture();
  });
  afterAll(() => fixture.close());

  onEngines(
    "log-in with providers",
    (server) => {
      flowSuite(server, () => fixture);
      providerSuite(server, () => fixture);
    },
    { environment: providerEnvironment, content: () => fixture.content },
  );

  onEngines("hook for new users of providers", (server) => providerHookSuite(server, () => fixture), {
    environment: providerHookEnvironment,
    content: () => fixture.content,
  });

  onEngines("providers with two servers", twoServerSuite, {
    environment: providerHookEnvironment,
    content: () => fixture.content,
    on: ["Postgres"],
    count: 2,
  });

  function twoServerSuite(one: () => RunningServer, { servers }: DemoOfSuite): void {
    const other = () => servers()[1] as RunningServer;

    test("a log-in begun at one server ends at the other, once", async () => {
      await register(fixture, one(), "microsoft");
      const start = async (from: RunningServer) => {
        const { location, cookie } = await startLogIn(from, "microsoft");
        return { cookie, callback: await signIn(location, "chloe") };
      };
      const { cookie, callback } = await start(one());
      const { dfUuid } = (await finishLogIn(other(), callback, cookie)).body.data;
      expect((await finishLogIn(one(), callback, cookie)).code).toBe("324");
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) => link(index % 2 === 0 ? one() : other(), dfUuid)),
      );
      expect(answers.map(({ code }) => code).toSorted()).toEqual(["0", ...Array.from({ length: 19 }, () => "324")]);

      const bound = await start(other());
      const sessions = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          finishLogIn(index % 2 === 0 ? one() : other(), bound.callback, bound.cookie),
        ),
      );
      const opened = sessions.filter(({ code }) => code === "0");
      expect(opened).toHaveLength(1);
      const { sessionId } = opened[0]?.body.data ?? {};
      expect(await call(one(), "/v1/auth/links/microsoft", { method: "DELETE", sessionId })).toMatchObject({
        code: "0",
      });
      expect(await checkSession(other(), sessionId)).toBe("201");
    });
  }
});
