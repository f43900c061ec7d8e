import { type Digests, type RandomSource, type Repositories, ServiceError } from "@sallyport/storage";
import { type SessionContext, sessionEvent } from "../../request/index.ts";
import { type FactorSecrets, newRecoveryCodes, recoveryDigest, type TimeTokens } from "./factor-secrets.ts";
import { endOtherSessions, ownFactor } from "./own-factors.ts";
import type { ProveFactor } from "./prove-factor.ts";
import { type FactorKey, type SecondFactorRule, SecondFactors } from "./second-factors.ts";

/** Shown to the user once. */
export interface EnrolledFactor {
  /** Base32, for manual input into an authenticator. */
  readonly secret: string;
  /** `otpauth://` address with the secret, for a QR code. */
  readonly address: string;
  readonly recoveryCodes: readonly string[];
}

/** Starts the enrolment of a second factor, or restarts an unconfirmed one. */
export class EnrolSecondFactor {
  constructor(
    private readonly secrets: FactorSecrets,
    private readonly tokens: TimeTokens,
    private readonly digests: Digests,
    private readonly random: RandomSource,
  ) {}

  /** App name outside the session: 208. App name without second factors, or factor already confirmed: 307. */
  async enrolSecondFactor(context: SessionContext, appName: string): Promise<EnrolledFactor> {
    const { subject, rule } = await ownFactor(context, appName);
    if (rule === "off" || !this.secrets.usable)
      throw new ServiceError(307, { detail: "Second factors are disabled for this app name." });
    const secret = this.tokens.newSecret();
    const recoveryCodes = newRecoveryCodes(this.random);
    const address = this.tokens.address({
      secret,
      issuer: context.database.name,
      label: `${await nameOf(context)} (${appName})`,
    });
    const factor = {
      subject,
      appName,
      sealedSecret: this.secrets.seal({ subject, appName }, secret),
      recoveryCodes: this.digestsOf(recoveryCodes),
    };
    await context.unit.transaction(async (r) => {
      if ((await new SecondFactors(r.records).enrol(factor)) === "confirmed")
        throw new ServiceError(307, { detail: "The second factor is already confirmed. Disable it first." });
      await r.audit.append(sessionEvent(context, { type: "secondFactor.enrolled", appNames: [appName] }));
    });
    return { secret, address, recoveryCodes };
  }

  private digestsOf(codes: readonly string[]): string[] {
    return codes.flatMap((code) => recoveryDigest(this.digests, code) ?? []);
  }
}

async function nameOf({ r, principal: { userId } }: SessionContext): Promise<string> {
  const { user, account } = await r.accounts.find({ id: userId }, []);
  const name = user?.attributes["Name"];
  return typeof name === "string" && name !== "" ? name : (account?.loginName ?? userId);
}

/** Confirms a second factor with its token. Log-ins then require a token. Ends the user's other sessions. */
export class ConfirmSecondFactor {
  constructor(private readonly proveFactor: ProveFactor) {}

  /** Throws 208, 304, 341 or 342. */
  async confirmSecondFactor(context: SessionContext, appName: string, token: string | null): Promise<void> {
    const own = await ownFactor(context, appName);
    await this.proveFactor.proveFactor(context, own, token, async (r, { confirmed }) => {
      if (confirmed) return;
      await endOtherSessions(
        r,
        { userId: context.principal.userId, authenticationMethod: context.session.authenticationMethod },
        context.sessionDigest,
      );
      await r.audit.append(sessionEvent(context, { type: "secondFactor.confirmed", appNames: [appName] }));
    });
  }
}

/** Disables a second factor. A confirmed one requires a token. An unconfirmed one requires none. */
export class RemoveSecondFactor {
  constructor(private readonly proveFactor: ProveFactor) {}

  /** Throws 208, 304, 341 or 342. A forced factor: 307. */
  async removeSecondFactor(context: SessionContext, appName: string, token: string | null): Promise<void> {
    const own = await ownFactor(context, appName);
    if (own.rule === "forced") throw new ServiceError(307, { detail: "The app name requires a second factor." });
    const remove = async (r: Repositories): Promise<void> => {
      await new SecondFactors(r.records).remove(own.subject, appName);
      await r.audit.append(sessionEvent(context, { type: "secondFactor.removed", appNames: [appName] }));
    };
    const { factor } = own;
    const abandoned =
      factor?.confirmed === false && (await context.unit.transaction((r) => this.abandon(r, factor, remove)));
    if (!abandoned) await this.proveFactor.proveFactor(context, own, token, remove);
  }

  /** Returns `false` if the factor has been confirmed. The `enrol` call detects this and makes a concurrent confirmation fail. */
  private async abandon(
    r: Repositories,
    { subject, appName }: FactorKey,
    remove: (r: Repositories) => Promise<void>,
  ): Promise<boolean> {
    const disabledFactor = { subject, appName, sealedSecret: "", recoveryCodes: [] };
    if ((await new SecondFactors(r.records).enrol(disabledFactor)) === "confirmed") return false;
    await remove(r);
    return true;
  }
}

export interface FactorState {
  readonly enrolled: boolean;
  readonly confirmed: boolean;
  /** `unavailable`: the server has no master key to seal secrets with. */
  readonly rule: SecondFactorRule | "unavailable";
}

export class ReadSecondFactor {
  constructor(private readonly secrets: FactorSecrets) {}

  /** Throws 208 for an app name outside the session. */
  async readSecondFactor(context: SessionContext, appName: string): Promise<FactorState> {
    const { factor, rule } = await ownFactor(context, appName);
    return {
      enrolled: factor !== null,
      confirmed: factor?.confirmed ?? false,
      rule: this.secrets.usable ? rule : "unavailable",
    };
  }
}
