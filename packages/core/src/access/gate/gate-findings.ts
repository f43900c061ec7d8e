import type {
  AccountSelector,
  AuthenticatedAccount,
  Finding,
  FindingReader,
  SeatLimit,
  ServiceError,
  ThrottleKey,
} from "@sallyport/storage";
import { type Database, discardingWrites } from "../../request/index.ts";

/** The account of a refused attempt. It may not exist. */
export function accountFinding(selector: AccountSelector | null): FindingReader {
  return async ({ storage }: Database): Promise<Finding[]> => {
    if (selector === null) return [];
    const { account } = await storage.repositories.accounts.find(selector, []);
    const asked = "linkId" in selector ? "Is the provider account linked to a user?" : "Does the user exist?";
    if (account === null) return [{ asked, found: "No." }];
    return [{ asked, found: account.disabled ? "Yes, but the account is disabled." : "Yes.", accountId: account.id }];
  };
}

export const wrongProof: Finding = { asked: "Is the password, code or token right?", found: "No." };

const lockoutAsked = "Is a lockout in force?";

/** The lockout in force, which of the throttle keys it belongs to, and whether the user is exempt. */
export function lockoutFindings(wait: number, keys: readonly ThrottleKey[]): [Finding, FindingReader] {
  return [
    {
      asked: lockoutAsked,
      found: `Yes, for another ${seconds(wait)}. The password, code or token was not checked.`,
    },
    async ({ storage }: Database): Promise<Finding[]> => {
      const findings: Finding[] = [];
      for (const { exemption, ...key } of keys) {
        // A transaction per key, because log-ins lock the keys in an order of their own.
        const waits = await discardingWrites(storage, async ({ throttle }) => [
          (await throttle.attempt([key])).wait,
          exemption === undefined ? null : (await throttle.attempt([{ ...key, exemption }])).wait,
        ]);
        const [left = 0, forUser = null] = waits;
        const found = left === null || left === 0 ? "No." : `Yes, for another ${seconds(left)}.`;
        findings.push({
          asked: `Has the ${exemption === undefined ? "user" : "network"} too many failures?`,
          found: left !== 0 && forUser === 0 ? `${found} The user is exempt after an earlier log-in.` : found,
        });
      }
      return findings;
    },
  ];
}

function seconds(milliseconds: number): string {
  return `${Math.ceil(milliseconds / 1000)} s`;
}

/** The findings for an authenticated user whose session did not open. */
export function openingFindings(
  error: ServiceError,
  { account, authenticationMethod }: Pick<AuthenticatedAccount, "account" | "authenticationMethod">,
  seats: readonly SeatLimit[],
): (Finding | FindingReader)[] {
  const accountId = authenticationMethod.kind === "custom" ? authenticationMethod.accountId : account.id;
  const proven: Finding = { asked: "Are the credentials right?", found: "Yes.", accountId };
  if (error.code === 302) return [proven, { asked: lockoutAsked, found: "Yes, since failures of parallel requests." }];
  if (error.code === 306) return [proven, seatFindings(seats)];
  return error.code === 315 ? [proven, limitFinding] : [proven];
}

/** The taken seats of each limited app name. */
export function seatFindings(seats: readonly SeatLimit[]): FindingReader {
  return ({ storage }: Database): Promise<Finding[]> =>
    Promise.all(
      seats.map(async ({ name, seats: limit, kind }) => {
        const taken = await storage.repositories.sessions.count({ name, kind });
        return {
          asked: `Is a seat of "${name}" free?`,
          found: `${taken} of ${limit} are taken (one per ${holders[kind]}).`,
        };
      }),
    );
}

const holders = { concurrent: "user and device", user: "user", device: "device" } as const;

async function limitFinding({ storage, limits }: Database): Promise<Finding[]> {
  const { sessions } = await limits.latest({ r: storage.repositories });
  const count = await storage.repositories.sessions.count();
  const asked = "Is another session within the limits?";
  if (sessions.limit > 0 && count >= sessions.limit)
    return [{ asked, found: `No: the database has ${count} sessions, the limit is ${sessions.limit}.` }];
  return [{ asked, found: `No: the user has reached the limit of sessions per user: ${sessions.perUserLimit}.` }];
}
