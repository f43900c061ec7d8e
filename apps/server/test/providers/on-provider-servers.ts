import { providerTypes } from "@sallyport/storage";
import type { RunningServer } from "../../src/index.ts";
import { type DemoOfSuite, onEngines } from "../engines.ts";
import {
  openProviderFixture,
  providerEnvironment,
  type ProviderFixture,
  register,
  removeLinks,
} from "./provider-fixture.ts";

type ProviderSuite = (server: () => RunningServer, fixture: () => ProviderFixture, demo: DemoOfSuite) => void;

/** Defines a suite of servers with fake identity providers, on each engine. */
export function onProviderServers(
  name: string,
  suite: ProviderSuite,
  { environment = providerEnvironment, ...more }: Omit<Parameters<typeof onEngines>[2] & object, "content"> = {},
): void {
  describe(name, () => {
    let fixture: ProviderFixture;
    beforeAll(async () => {
      fixture = await openProviderFixture();
    });
    afterAll(() => fixture.close());

    onEngines("a server", (server, demo) => suite(server, () => fixture, demo), {
      environment,
      content: () => fixture.content,
      ...more,
    });
  });
}

/** Registers all providers in both databases, and removes faults and links before each test. */
export function useProviders(server: () => RunningServer, fixture: () => ProviderFixture): void {
  const aliases = ["", "second"];
  beforeAll(async () => {
    for (const type of providerTypes) for (const alias of aliases) await register(fixture(), server(), type, { alias });
  });
  beforeEach(async () => {
    fixture().fakes.clearFaults();
    for (const alias of aliases) await removeLinks(server(), alias);
  });
}
