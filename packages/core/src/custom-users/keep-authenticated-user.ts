import { confusableKeyOf } from "../accounts/login-name.ts";
import type { PasswordHasher } from "../accounts/password-hasher.ts";
import { entryEvent } from "../audit/entry-event.ts";
import type { RandomSource } from "../digests/random-source.ts";
import { randomUuid } from "../one-time/random-uuid.ts";
import type { AppKeyContext } from "../request/request-context.ts";
import type { AuthenticatedUser } from "./authenticated-user.ts";
import type { CustomAccount } from "./custom-account.ts";

/**
 * Keeps an account for whoever the hook accepts, as the hook says it: so that administrators see who comes in, can keep him out, and
 * end his sessions. It has a password that nobody knows.
 */
export class KeepAuthenticatedUser {
  constructor(
    private readonly hasher: PasswordHasher,
    private readonly random: RandomSource,
  ) {}

  /** The account as it is now; `null` if its name looks like that of another one. */
  async run(context: AppKeyContext, found: AuthenticatedUser): Promise<CustomAccount | null> {
    const { customAccounts } = context.r;
    const known = (await customAccounts.forProof(found.loginName)).account ?? (await this.create(context, found));
    if (known === null || (known.userId === found.userId && known.email === found.email)) return known;
    await this.change(context, known, found);
    return customAccounts.find(known.id);
  }

  private async create(
    context: AppKeyContext,
    { loginName, userId, email }: AuthenticatedUser,
  ): Promise<CustomAccount | null> {
    const secret = await this.hasher.hash(this.random.secret());
    const account = { id: randomUuid(this.random), loginName, userId, email, secret };
    await context.database.storage.transaction(async (r) => {
      if ((await r.customAccounts.create(account, confusableKeyOf(loginName))) === "nameTaken") return;
      await r.audit.append(entryEvent(context, { type: "customUser.stored", outcome: 0, userId }));
    });
    // Another log-in may have been faster.
    return (await context.r.customAccounts.forProof(loginName)).account;
  }

  private change(
    context: AppKeyContext,
    { id, userId, email }: CustomAccount,
    found: AuthenticatedUser,
  ): Promise<void> {
    return context.database.storage.transaction(async (r) => {
      if (email !== found.email) await r.customAccounts.setEmail(id, found.email);
      if (userId !== found.userId) {
        await r.customAccounts.setUser(id, found.userId);
        await r.sessions.end({ customAccountId: id });
      }
      await r.audit.append(entryEvent(context, { type: "customUser.stored", outcome: 0, userId: found.userId }));
    });
  }
}
