import { type RegisteredFakes, startRegisteredFakes } from "@sallyport/server/testing";

/** The supported identity providers. */
export const providerNames = ["google", "facebook", "microsoft", "apple"] as const;

export type ProviderName = (typeof providerNames)[number];

/** A fault of a provider while a persona logs in. */
export type ProviderFault = "expiredToken" | "noAnswer";

/** Accounts at each provider: more than the personas of a test. */
const accounts = 200;

/** Fake servers of the providers, from before the start of the service to its end. */
export class FakeProviders {
  private constructor(private readonly registered: RegisteredFakes) {}

  static async start(): Promise<FakeProviders> {
    return new FakeProviders(await startRegisteredFakes({ accounts, background: true }));
  }

  /** Settings of a service that uses the fakes. */
  get configuration() {
    return {
      providers: { fakeUrl: this.registered.fakes.url },
      oAuthProviders: providerNames.map((name) => ({ name })),
    };
  }

  /** The registration of the service at a provider. `serverAddress`: the URL of the service. */
  registration(provider: ProviderName, serverAddress: string) {
    return { type: provider, name: provider, data: this.registered.dataOf(provider, serverAddress) };
  }

  inject(provider: ProviderName, fault: ProviderFault | null): void {
    const { fakes } = this.registered;
    if (fault === null) fakes.injectFaults(provider, {});
    else if (fault === "noAnswer") fakes.injectFaults(provider, { answers: { token: "hangs" } });
    else fakes.injectFaults(provider, provider === "facebook" ? { debug: "expired" } : { idToken: "expired" });
  }

  /** Generates the key before a log-in, whose time is limited. */
  prepareKeys(provider: ProviderName): Promise<void> {
    return this.registered.fakes.prepareKeys(provider);
  }

  rotateKeys(provider: ProviderName): Promise<void> {
    return this.registered.fakes.rotateKeys(provider);
  }

  close(): Promise<void> {
    return this.registered.close();
  }
}
