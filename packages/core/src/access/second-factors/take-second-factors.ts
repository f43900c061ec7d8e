import { accountOwner, type ObjectId, type Repositories, ServiceError } from "@sallyport/storage";
import type { AdministrationContext } from "../../request/index.ts";
import { type AccountReference, requireAccount } from "../accounts/account-reference.ts";
import { requireCustomUser } from "../custom-users/change-custom-user.ts";
import { type FactorKey, type FactorSubject, type SecondFactor, SecondFactors } from "./second-factors.ts";

export interface TakeSecondFactorsInput {
  readonly of: "user" | "customUser" | "link";
  /** The user or custom user; the id of a link as text. */
  readonly name: AccountReference;
  /** `null`: all app names. */
  readonly appName: string | null;
}

/** Removes lost second factors of a user. Unknown name, or no factor: 304. */
export async function takeSecondFactors(
  { r: outside, unit, eventOf }: AdministrationContext,
  { of, name, appName }: TakeSecondFactorsInput,
): Promise<void> {
  const { subject, userId } = await ownerOf(outside, { of, name });
  await unit.transaction(async (r) => {
    if (!(await new SecondFactors(r.records).remove(subject, appName))) {
      const detail = `${typeof name === "string" ? `"${name}"` : "The user"} has no second factor${appName === null ? "" : ` for "${appName}"`}.`;
      throw new ServiceError(304, { detail });
    }
    const appNames = appName === null ? [] : [appName];
    await r.audit.append(eventOf({ type: "secondFactor.removed", subjectId: userId, appNames }));
  });
}

const kinds: Readonly<Record<string, TakeSecondFactorsInput["of"]>> = {
  user: "user",
  custom: "customUser",
  link: "link",
};

/** Removes lost second factors of an owner, as lists name it. Unknown owner, or no factor: 304. */
export async function takeSecondFactorsOf(
  context: AdministrationContext,
  subject: FactorSubject,
  appName: string | null,
): Promise<void> {
  const [, kind = "", id = ""] = /^(\w+):(.+)$/s.exec(subject) ?? [];
  const of = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
  if (of === undefined) throw new ServiceError(304, { detail: `"${subject}" names no owner of second factors.` });
  await takeSecondFactors(context, { of, name: of === "link" ? id : { id }, appName });
}

async function ownerOf(
  r: Repositories,
  { of, name }: Pick<TakeSecondFactorsInput, "of" | "name">,
): Promise<{ subject: FactorSubject; userId: ObjectId | null }> {
  if (of === "link") return { subject: `link:${String(name)}`, userId: null };
  const { id, userId } = await (of === "user" ? requireAccount(r, name) : requireCustomUser(r, name));
  return { subject: accountOwner(id), userId };
}

export interface ListedFactor extends SecondFactor {
  /** Log-in name of the user or custom user. `null` for a link or a deleted account. */
  readonly ownerName: string | null;
}

/** Lists at most `limit` second factors in the order of `SecondFactors.list`. */
export async function listSecondFactors(
  { r }: Pick<AdministrationContext, "r">,
  { after, limit }: { readonly after: FactorKey | null; readonly limit: number },
): Promise<ListedFactor[]> {
  const listed: ListedFactor[] = [];
  for (const factor of await new SecondFactors(r.records).list(after, limit))
    listed.push({ ...factor, ownerName: await nameOf(r, factor.subject) });
  return listed;
}

/** The second factors of one owner, as `accountOwner` names it. */
export async function secondFactorsOf(
  { r }: Pick<AdministrationContext, "r">,
  subject: FactorSubject,
): Promise<ListedFactor[]> {
  const ownerName = await nameOf(r, subject);
  return (await new SecondFactors(r.records).ofSubject(subject)).map((factor) => ({ ...factor, ownerName }));
}

async function nameOf(r: Repositories, subject: FactorSubject): Promise<string | null> {
  const [kind, id = ""] = subject.split(":");
  return kind === "link" ? null : ((await r.accounts.find({ id }, [])).account?.loginName ?? null);
}
