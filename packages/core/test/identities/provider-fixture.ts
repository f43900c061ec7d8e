import { AesGcmKeyWrapping } from "@sallyport/crypto";
import {
  type IdentityLink,
  identityLinkKind,
  loginNameOf,
  type ObjectId,
  type Repositories,
  ServiceError,
  type RecordQuota,
} from "@sallyport/storage";
import {
  administrationOf,
  type AppKeyContext,
  type CallbackInput,
  CallbackAddresses,
  type ClientOrigin,
  Gate,
  type LicenceMessages,
  type MailLanguage,
  type MailJob,
  ProviderSealing,
  RegisteredProviders,
  type StartInput,
  putProvider,
  startProviderLogIn,
  exchangeReturnCode,
  finishProviderLogIn,
  logInAndLink,
  SealedMailJobs,
  type MailJobContent,
} from "../../src/index.ts";
import { digests, openFixture, services as usual } from "../fixture.ts";
import { PlainHooks } from "../hooks/plain-hooks.ts";
import { FakeProvider } from "./fake-provider.ts";

/** Readable hashes that cost nothing. */
const hasher = {
  hash: async (password: string) => `plain:${password}`,
  verify: async (secret: string | null, password: string) => secret === `plain:${password}`,
  isOutdated: () => false,
};

export interface ProviderFixtureOptions {
  readonly quota?: RecordQuota;
  readonly clockOffset?: () => number;
  readonly publicUrl?: string;
  readonly mail?: "none" | "refused" | "taken";
  readonly licences?: LicenceMessages;
}

export async function openProviderFixture({
  quota = { perOwner: 0, total: 0 },
  clockOffset,
  publicUrl = "https://service.example/api/",
  mail = "none",
  licences,
}: ProviderFixtureOptions = {}) {
  const fixture = await openFixture({}, clockOffset);
  const { r, database } = fixture;
  const [google, facebook] = [new FakeProvider("google"), new FakeProvider("facebook")];
  const hooks = new PlainHooks();
  const wrapping = new AesGcmKeyWrapping(new Uint8Array(32).fill(7));
  const providerSealing = new ProviderSealing(wrapping);
  const registeredProviders = new RegisteredProviders(
    new Map([google, facebook].map((each) => [each.type, each])),
    providerSealing,
    new CallbackAddresses(publicUrl),
  );
  const sentMails: [string, MailJob][] = [];
  const jobs = new SealedMailJobs(wrapping);
  const services = {
    ...usual,
    ...(licences && { licenceMessages: licences }),
    objectHooks: hooks,
    gate: new Gate(async () => {}),
    hasher,
    registeredProviders,
    providerSealing,
    outbox: {
      jobs: {
        seal: (alias: string, content: MailJobContent) => {
          if ("job" in content) sentMails.push([alias, content.job]);
          if (mail === "refused") throw new ServiceError(706);
          return jobs.seal(alias, content);
        },
      } as SealedMailJobs,
      settings: mail === "none" ? null : { outboxLimit: 10, unavailableAfter: 60_000 },
      notify: () => {},
    },
    settings: { pendingProviderLogIns: quota, mailLanguage: "de" as const },
  };
  const context = { ...fixture.context, services };

  const register = (
    provider: FakeProvider,
    entry: { defaultUserId?: ObjectId; appNames?: readonly string[]; data?: object } = {},
  ) => {
    const { defaultUserId = null, appNames = ["app"], data = { clientId: "c", clientSecret: "s" } } = entry;
    return putProvider(
      { ...administrationOf(database), services },
      {
        provider,
        name: provider.type,
        data,
        defaultUserId,
        appNames,
      },
    );
  };
  await register(google);
  await register(facebook);

  return {
    ...fixture,
    context,
    services,
    google,
    facebook,
    hooks,
    sealing: providerSealing,
    sentMails,
    register,

    async user(name: string, password = "secret", email: string | null = null): Promise<ObjectId> {
      const [userId] = (await fixture.insert({ className: "User", attributes: { Name: name } })) as [ObjectId];
      await r.accounts.create(
        { userId, loginName: loginNameOf(name), secret: `plain:${password}`, administrator: false, email },
        name.toLowerCase(),
      );
      return userId;
    },

    start: (change: Partial<StartInput> = {}, origin: ClientOrigin = context.origin) =>
      startProviderLogIn(
        { ...context, origin },
        {
          providerName: "google",
          appKey: digests.sha256("key"),
          appNames: null,
          deviceId: null,
          secondFactor: { token: null, enrol: false },
          returnTo: null,
          challenge: null,
          ...change,
        },
      ),

    trade: (
      input: { code: string; verifier: string; token?: string | null; enrol?: boolean },
      change: Partial<AppKeyContext> = {},
    ) => {
      const { token = null, enrol = false, ...shown } = input;
      return exchangeReturnCode({ ...context, ...change }, { ...shown, secondFactor: { token, enrol } });
    },

    /** The parameters with which the provider redirects the browser of a log-in. */
    async startLogIn(change: Partial<StartInput> = {}): Promise<CallbackInput> {
      const { location, cookie } = await this.start(change);
      const parameters = new Map([
        ["state", new URL(location).searchParams.get("state") ?? ""],
        ["code", "c-1"],
      ]);
      return {
        providerName: change.providerName ?? "google",
        parameters,
        cookie: (name) => (name === cookie.name ? cookie.value : null),
      };
    },

    finish: (input: CallbackInput) => finishProviderLogIn({ ...context, appKey: null } as never, input),

    async dfUuid(): Promise<string> {
      const { outcome } = await this.finish(await this.startLogIn());
      if (!("dfUuid" in outcome)) throw new Error("The account is bound already.");
      return outcome.dfUuid;
    },

    link: (dfUuid: unknown, change: { user?: string; pass?: string; key?: string; language?: MailLanguage } = {}) => {
      const { user = "ada", pass = "secret", key, language = null } = change;
      const appKey = key === undefined ? context.appKey : { ...context.appKey, id: key };
      return logInAndLink({ ...context, appKey }, { user, pass, appNames: ["app"], deviceId: null, dfUuid, language });
    },

    trail: async () =>
      (await r.audit.read(0, 1_000)).map(({ type, outcome, providerName }) => [type, outcome, providerName].join(" ")),
  };
}

export type ProviderFixture = Awaited<ReturnType<typeof openProviderFixture>>;

/** The code of an error; `0` for a success. */
export function codeOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => 0,
    (error: unknown) => (error instanceof ServiceError ? error.code : error),
  );
}

/** The links from accounts to users. */
export async function linksIn({ records }: Repositories): Promise<IdentityLink[]> {
  return (await records.list(identityLinkKind, { after: null, limit: 100 })).map(({ value }) => value);
}
