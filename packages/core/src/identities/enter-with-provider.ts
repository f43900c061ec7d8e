import type { Gate, LogInResult, ShownFactor } from "../access/index.ts";
import { type Digests, type RandomSource, randomUuid } from "../digests/index.ts";
import { ServiceError } from "../errors/index.ts";
import type { SerializeOwnUser } from "../objects/index.ts";
import type { AppKeyContext } from "../request/index.ts";
import { identityLinkId, type Repositories } from "../storage/index.ts";
import type { AssignProviderUser, NewExternalUser } from "./assign-provider-user.ts";
import { assignableIdentities, type AssignableIdentity, assignableLifetime, printableText } from "./links.ts";

/** An opened session, or the `dfUuid` to link the external account with. */
export type ProviderOutcome = LogInResult | { readonly dfUuid: string };

/** An identity proven by a provider, and the log-in that requested it. */
export interface ProvenLogIn extends NewExternalUser {
  readonly deviceId: string | null;
  readonly secondFactor: ShownFactor;
  /** Consumes the proof in the transaction that stores the outcome. `false` if it is already consumed, which results in 324. */
  readonly spend?: (r: Repositories) => Promise<boolean>;
}

export class EnterWithProvider {
  constructor(
    private readonly gate: Gate,
    private readonly assignUser: AssignProviderUser,
    private readonly serializeOwnUser: SerializeOwnUser,
    private readonly digests: Digests,
    private readonly random: RandomSource,
  ) {}

  async enterWithProvider(context: AppKeyContext, logIn: ProvenLogIn): Promise<ProviderOutcome> {
    try {
      return await this.enter(context, logIn);
    } catch (error) {
      if (!(error instanceof UnboundError)) throw error;
      return this.offer(context, logIn);
    }
  }

  /** Logs in the linked user. An unlinked identity is linked first, if a default user or a hook provides a user. */
  private async enter(context: AppKeyContext, logIn: ProvenLogIn): Promise<LogInResult> {
    const { profile, registered, appNames, deviceId, secondFactor, spend } = logIn;
    const links = this.serializeOwnUser.links(context);
    const prepareProof = async () => {
      const find = () => context.r.accounts.find({ linkId: identityLinkId(profile, this.digests) }, links);
      const known = await find();
      return async () => {
        if (known.link === null && !(await this.assignUser.assignProviderUser(context, logIn)))
          throw new UnboundError();
        const { link, account, user, linked } = known.link === null ? await find() : known;
        if (link === null) throw new UnboundError();
        const authenticationMethod = { kind: "provider", link } as const;
        return account === null || user === null || account.disabled
          ? null
          : { account, user, linked, authenticationMethod };
      };
    };
    const userKey = ["provider", profile.issuer, profile.subject].join("\0");
    const asked = { appNames, deviceId, secondFactor, providerName: registered.provider.type };
    const known = { mode: "session", userKey, prepareProof, ...asked } as const;
    const attempt = spend === undefined ? known : { ...known, spend: spending(spend, () => new SpentError()) };
    const { sessionId, prepared: user } = await this.gate.enter(context, attempt, (person) =>
      this.serializeOwnUser.serializeOwnUser(context, person),
    );
    return { sessionId, user, databaseName: context.database.name };
  }

  /** Issues a `dfUuid` for an identity without a linked user. */
  private async offer(
    { r, database, appKey }: AppKeyContext,
    { profile, registered, spend }: ProvenLogIn,
  ): Promise<{ dfUuid: string }> {
    const { issuer, subject, email, name, surname } = profile;
    const dfUuid = randomUuid(this.random);
    const known = { appKeyId: appKey.id, provider: registered.provider.type, issuer, subject };
    const identity = {
      ...known,
      email: printableText(email),
      displayName: printableText(`${name} ${surname}`),
    } satisfies AssignableIdentity;
    const keep = ({ records }: Repositories) =>
      records.put(assignableIdentities, this.digests.sha256(dfUuid), identity, { lifetime: assignableLifetime });
    if (spend === undefined) await keep(r);
    else {
      await database.storage.transaction(async (inside) => {
        await spending(spend, () => new ServiceError(324, { detail: spentDetail }))(inside);
        await keep(inside);
      });
    }
    return { dfUuid };
  }
}

/** The identity is not linked, and neither a default user nor a hook provides a user. */
class UnboundError extends Error {
  override readonly name = "UnboundError";
}

const spentDetail = "Another request was quicker.";

/** A concurrent request has consumed the proof. The gate has already audited it. */
export class SpentError extends ServiceError {
  constructor() {
    super(324, { detail: spentDetail });
  }
}

function spending(
  spend: (r: Repositories) => Promise<boolean>,
  refusal: () => ServiceError,
): (r: Repositories) => Promise<void> {
  return async (r) => {
    if (!(await spend(r))) throw refusal();
  };
}
