import { tmpdir } from "node:os";
import { mergedSettings, type TestServer } from "@sallyport/server/testing";
import { FakeProviders, providerNames } from "../providers/fake-providers.ts";
import { LicenceReceiver } from "../traps/licence-receiver.ts";
import type { TrappedMail } from "../traps/trapped-mail.ts";

type Settings = Readonly<Record<string, unknown>>;

/** The other services that a service under test speaks to. */
export interface TestEnvironment {
  /** Mail that the service has sent. */
  readonly mail: TrappedMail[];
  readonly fakes: FakeProviders | null;
  readonly receiver: LicenceReceiver | null;
  /** The settings of a service that uses them, with those of the test. */
  configuration(own: Settings): Settings;
  registerProviders(server: TestServer, aliases: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

export async function startTestEnvironment(options: {
  readonly providers?: boolean;
  readonly licences?: boolean;
}): Promise<TestEnvironment> {
  const [fakes, receiver] = await Promise.all([
    options.providers === true ? FakeProviders.start() : null,
    options.licences === true ? LicenceReceiver.open() : null,
  ]);
  return {
    mail: [],
    fakes,
    receiver,
    configuration: (own) => {
      // Mail is on if it has a transport. The one of the tests replaces this.
      const usual = { mail: { directory: tmpdir() } };
      const addresses = {
        ...fakes?.configuration,
        ...(receiver === null ? {} : { licences: receiver.configuration }),
      };
      return mergedSettings(mergedSettings(usual, own), addresses);
    },
    registerProviders: async (server, aliases) => {
      if (fakes === null) return;
      const url = await server.listen();
      for (const alias of aliases)
        for (const name of providerNames)
          await server.registerProvider(alias, { ...fakes.registration(name, url), appNames: [] });
      await server.keep();
    },
    close: async () => {
      await fakes?.close();
      await receiver?.close();
    },
  };
}
